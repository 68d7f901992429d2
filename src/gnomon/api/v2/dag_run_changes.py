"""Changing runs: a new state, clearing, deleting."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import ApiUnsupported, Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.dag_runs import read_run
from gnomon.api.v2.lookup import find_dag_and_run, refuse_wildcard, require_answer
from gnomon.api.v2.schemas.dag_runs_shapes import DAGRunClearBody, DagRunMutableStates, DAGRunPatchBody, DAGRunResponse
from gnomon.api.v2.schemas.task_instances_shapes import ClearTaskInstanceCollectionResponse, TaskInstanceResponse
from gnomon.api.v2.task_instance_changes import build_answers, find_marked_instances
from gnomon.api.v2.task_instance_reader import RunInstances
from gnomon.changes.actions.note_changes import write_run_note
from gnomon.changes.actions.run_changes import clear_instances, delete_run, mark_instances
from gnomon.model.accounts import Role
from gnomon.model.sentences import RunName, say
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.queries.report.listings.cancelled_runs import list_cancelled_by
from gnomon.queries.report.listings.task_selection import select_instances

router = OperationRouter(prefix="/dags/{dag_id}/dagRuns/{dag_run_id}", tags=["DagRun"])
_EDIT = requires(Permission.EDIT, ApiResource.DAG_RUN)


@router.patch("", dependencies=[_EDIT])
def patch_dag_run(
    dag_id: Id,
    dag_run_id: Id,
    body: DAGRunPatchBody,
    context: Context,
    user: CurrentUser,
    update_mask: Annotated[list[str] | None, Query()] = None,
) -> DAGRunResponse:
    """Set the state of a run: success or failed end it, queued runs its tasks again. Or its note; null and an empty text delete it.

    With success, runs and tasks of other DAGs that failed because the run did run again.
    """
    refuse_wildcard("dag_id", dag_id)
    fields = body.model_fields_set if update_mask is None else body.model_fields_set.intersection(update_mask)
    unknown = set(update_mask or ()) - {"state", "note"}
    if unknown:
        raise Refusal(400, say("mask_of_run_is_wrong", names=", ".join(sorted(unknown))))
    actor = context.act_as(user)
    with context.database.read() as tx:
        dag, run = find_dag_and_run(tx, dag_id, dag_run_id)
        cancelled = (
            list_cancelled_by(tx, dag, run) if "state" in fields and body.state is DagRunMutableStates.SUCCESS else []
        )
        changeable = VisibleDags(context, tx, user, Role.USER) if cancelled else ()
    if "note" in fields:
        write_run_note(actor, context.database, dag, run, body.note or "")
    if "state" in fields and body.state is not None:
        if body.state is DagRunMutableStates.QUEUED:
            require_answer(clear_instances(actor, context.database, dag, run, None))
        else:
            require_answer(mark_instances(actor, context.database, dag, run, None, body.state.value))
            for reachable in (instances for instances in cancelled if instances.dag.dag_id in changeable):
                require_answer(clear_instances(actor, context.database, reachable.dag, reachable.run, reachable.rows))
    return read_run(context, dag_id, dag_run_id)


@router.delete("", status_code=204, dependencies=[requires(Permission.DELETE, ApiResource.DAG_RUN)])
def delete_dag_run(dag_id: Id, dag_run_id: Id, context: Context, user: CurrentUser) -> Response:
    """Delete a run that has ended, or is queued, with everything that belongs to it."""
    with context.database.read() as tx:
        dag, run = find_dag_and_run(tx, dag_id, dag_run_id)
    if run.state not in FINISHED_RUN_STATES and run.started_at is not None:
        raise Refusal(409, say("run_has_not_ended", run=RunName(dag_id, dag_run_id), dag=dag_id, state=str(run.state)))
    require_answer(delete_run(context.act_as(user), context.database, dag, run))
    return Response(status_code=204)


@router.post("/clear", dependencies=[_EDIT])
def clear_dag_run(
    dag_id: Id, dag_run_id: Id, body: DAGRunClearBody, context: Context, user: CurrentUser
) -> ClearTaskInstanceCollectionResponse | DAGRunResponse:
    """Run the tasks of a run again; with `dry_run`, which is the default, only show which."""
    check_clear_body(body)
    if body.dry_run:
        answers = show_clear(context, user, dag_id, dag_run_id, body)
        return ClearTaskInstanceCollectionResponse(task_instances=[*answers], total_entries=len(answers))
    clear_run(context, user, dag_id, dag_run_id, body)
    return read_run(context, dag_id, dag_run_id)


def check_clear_body(body: DAGRunClearBody) -> None:
    """Raise ApiUnsupported for what clearing a run cannot do."""
    if body.only_new:
        raise ApiUnsupported(say("new_tasks_join_by_themselves"))


def show_clear(
    context: ApiContext, user: User, dag_id: str, run_id: str, body: DAGRunClearBody
) -> list[TaskInstanceResponse]:
    """The task instances that `clear_run` would clear. Raises NameNotFound and AccessRefused."""
    with context.database.read() as tx:
        instances = RunInstances(tx, dag_id, run_id)
        rows = select_instances(tx, instances.dag, instances.run, only_failed=body.only_failed)
        marked = find_marked_instances(
            context, tx, user, instances, rows, is_only_shown=True, only_failed=body.only_failed
        )
        return [answer for of_run, several in [(instances, rows), *marked] for answer in build_answers(of_run, several)]


def clear_run(context: ApiContext, user: User, dag_id: str, run_id: str, body: DAGRunClearBody) -> None:
    """Run the tasks of the run again, and set its note if there is one. Raises NameNotFound, RequestRefused and HTTPException (503) without an answer."""
    actor = context.act_as(user)
    with context.database.read() as tx:
        dag, run = find_dag_and_run(tx, dag_id, run_id)
        rows = select_instances(tx, dag, run, only_failed=body.only_failed)
        marked = find_marked_instances(
            context, tx, user, RunInstances(tx, dag_id, run_id), rows, is_only_shown=False, only_failed=body.only_failed
        )
    if body.note is not None:
        write_run_note(actor, context.database, dag, run, body.note)
    if rows:
        require_answer(
            clear_instances(
                actor,
                context.database,
                dag,
                run,
                None,
                only_failed=body.only_failed,
                is_newest_wanted=body.run_on_latest_version,
            )
        )
    for instances, several in marked:
        require_answer(
            clear_instances(
                actor,
                context.database,
                instances.dag,
                instances.run,
                several,
                is_newest_wanted=body.run_on_latest_version,
            )
        )
