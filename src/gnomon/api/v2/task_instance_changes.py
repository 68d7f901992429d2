"""Changing task instances: clearing those of one or several runs, and setting states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Query

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import require_role
from gnomon.api.common.filters import read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import ApiUnsupported, Refusal
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.lookup import refuse_wildcard, require_answer
from gnomon.api.v2.schemas.task_instances_shapes import (
    ClearTaskInstancesBody,
    PatchTaskInstanceBody,
    TaskInstanceCollectionResponse,
    TaskInstanceResponse,
)
from gnomon.api.v2.task_instance_reader import RunInstances
from gnomon.changes.actions.note_changes import write_instance_notes
from gnomon.changes.actions.run_changes import clear_instances, mark_instances
from gnomon.model.accounts import Role
from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import RunName, say
from gnomon.model.states import TaskInstanceState
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.marked_tasks import follow_markers
from gnomon.queries.report.listings.neighbour_runs import bound_runs, list_bounded_runs, list_runs_to_change
from gnomon.queries.report.listings.run_list import TaskInstanceRow, find_run, find_spec_of_run
from gnomon.queries.report.listings.task_selection import Act, list_group_tasks, select_instances
from gnomon.storage.store import Transaction
from gnomon.storage.store.pages.page_query import Condition, Operator

router = OperationRouter(prefix="/dags/{dag_id}", tags=["Task Instance"])
_EDIT = requires(Permission.EDIT, ApiResource.TASK_INSTANCE)
_INSTANCE = "/dagRuns/{dag_run_id}/taskInstances/{task_id}"
MARKS = (TaskInstanceState.SUCCESS, TaskInstanceState.FAILED, TaskInstanceState.SKIPPED)
_RUNNING = frozenset({TaskInstanceState.RUNNING.value})


@router.post("/clearTaskInstances", dependencies=[_EDIT])
def post_clear_task_instances(
    dag_id: Id, body: ClearTaskInstancesBody, context: Context, user: CurrentUser
) -> TaskInstanceCollectionResponse:
    """Run task instances again: of one run, or of all runs with a logical date in a range. With `dry_run`, the default, only show which."""
    refuse_wildcard("dag_id", dag_id)
    if not body.reset_dag_runs:
        raise ApiUnsupported(say("cleared_run_is_always_queued"))
    chosen: list[tuple[RunInstances, list[TaskInstanceRow]]] = []
    with context.database.read() as tx:
        for run_id in _find_runs(tx, dag_id, body):
            instances = RunInstances(tx, dag_id, run_id)
            rows = _select(tx, instances, body)
            if rows:
                chosen.append((instances, rows))
                chosen += find_marked_instances(
                    context,
                    tx,
                    user,
                    instances,
                    rows,
                    is_only_shown=body.dry_run,
                    only_failed=body.only_failed and not body.only_running,
                )
        answers = [answer for instances, rows in chosen for answer in build_answers(instances, rows)]
    if body.prevent_running_task and any(row.state in _RUNNING for _, rows in chosen for row in rows):
        raise Refusal(409, say("selected_task_is_running"))
    if not body.dry_run:
        actor = context.act_as(user)
        for instances, rows in chosen:
            if body.note is not None:
                write_instance_notes(actor, context.database, instances.dag, instances.run, rows, body.note)
            require_answer(
                clear_instances(
                    actor,
                    context.database,
                    instances.dag,
                    instances.run,
                    rows,
                    is_newest_wanted=body.run_on_latest_version,
                )
            )
        answers = [answer for instances, rows in chosen for answer in _read_again(context, instances, rows)]
    return TaskInstanceCollectionResponse(task_instances=answers, total_entries=len(answers))


@router.patch(_INSTANCE, dependencies=[_EDIT])
def patch_task_instance(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    body: PatchTaskInstanceBody,
    context: Context,
    user: CurrentUser,
    map_index: Annotated[int | None, Query(ge=-1)] = None,
    update_mask: Annotated[list[str] | None, Query()] = None,
) -> TaskInstanceCollectionResponse:
    """Set the state of a task instance, or of all instances of a mapped task."""
    return _patch(context, user, (dag_id, dag_run_id, task_id, map_index), body, update_mask, dry_run=False)


@router.patch(_INSTANCE + "/dry_run", dependencies=[_EDIT])
def patch_task_instance_dry_run(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    body: PatchTaskInstanceBody,
    context: Context,
    user: CurrentUser,
    map_index: Annotated[int | None, Query(ge=-1)] = None,
    update_mask: Annotated[list[str] | None, Query()] = None,
) -> TaskInstanceCollectionResponse:
    """The task instances whose state a request without `dry_run` would set."""
    return _patch(context, user, (dag_id, dag_run_id, task_id, map_index), body, update_mask, dry_run=True)


@router.patch(_INSTANCE + "/{map_index}", dependencies=[_EDIT])
def patch_mapped_task_instance(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    map_index: int,
    body: PatchTaskInstanceBody,
    context: Context,
    user: CurrentUser,
    update_mask: Annotated[list[str] | None, Query()] = None,
) -> TaskInstanceCollectionResponse:
    """Set the state of one instance of a mapped task."""
    return _patch(context, user, (dag_id, dag_run_id, task_id, map_index), body, update_mask, dry_run=False)


@router.patch(_INSTANCE + "/{map_index}/dry_run", dependencies=[_EDIT])
def patch_mapped_task_instance_dry_run(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    map_index: int,
    body: PatchTaskInstanceBody,
    context: Context,
    user: CurrentUser,
    update_mask: Annotated[list[str] | None, Query()] = None,
) -> TaskInstanceCollectionResponse:
    """The task instances whose state a request without `dry_run` would set."""
    return _patch(context, user, (dag_id, dag_run_id, task_id, map_index), body, update_mask, dry_run=True)


def _patch(
    context: ApiContext,
    user: User,
    name: tuple[str, str, str, int | None],
    body: PatchTaskInstanceBody,
    update_mask: list[str] | None,
    *,
    dry_run: bool,
) -> TaskInstanceCollectionResponse:
    dag_id, run_id, task_id, map_index = name
    fields = read_patch(body, update_mask)
    with context.database.read() as tx:
        chosen = [
            _select_task(tx, (dag_id, marked_run_id, task_id, map_index), body, is_named=marked_run_id == run_id)
            for marked_run_id in list_runs_to_mark(tx, dag_id, run_id, body)
        ]
    return change_in_runs(context, user, chosen, fields, dry_run=dry_run)


def _select_task(
    tx: Transaction, name: tuple[str, str, str, int | None], body: PatchTaskInstanceBody, *, is_named: bool
) -> InstancesToChange:
    """The instances of a task in one run. Raises NameNotFound and HTTPException (404) when the run is the one that the request names; an earlier
    or later run may lack the task."""
    dag_id, run_id, task_id, map_index = name
    instances = RunInstances(tx, dag_id, run_id)
    spec = find_spec_of_run(tx, instances.dag, instances.run)
    if is_named and map_index is not None:
        instances.find(task_id, map_index)
    elif not is_named and all(task.task_id != task_id for task in spec.tasks):
        return InstancesToChange(instances, [], [])
    named = select_instances(
        tx, instances.dag, instances.run, {task_id: None if map_index in (None, UNMAPPED) else {map_index}}
    )
    return InstancesToChange(instances, named, _add_neighbours(tx, instances, body, named))


@dataclass(frozen=True, slots=True)
class InstancesToChange:
    """The task instances that a request changes."""

    instances: RunInstances
    named: list[TaskInstanceRow]
    """Those that the request names: they get the note."""
    rows: list[TaskInstanceRow]
    """These, and those before or behind them that the request includes: they get the state."""


def change_instances(
    context: ApiContext, user: User, chosen: InstancesToChange, fields: Mapping[str, Any], *, dry_run: bool
) -> TaskInstanceCollectionResponse:
    """Set notes and states, unless `dry_run`; returns the task instances whose state is set, without a new state those of the request."""
    instances, actor = chosen.instances, context.act_as(user)
    if not dry_run and "note" in fields:
        write_instance_notes(actor, context.database, instances.dag, instances.run, chosen.named, fields["note"] or "")
    state = fields.get("new_state")
    rows = chosen.rows if state is None else [row for row in chosen.rows if row.state != state.value]
    if (
        not dry_run and rows and state is not None
    ):  # with those that are in the state: they are selected too, and are not continued
        require_answer(mark_instances(actor, context.database, instances.dag, instances.run, chosen.rows, state.value))
    changed = build_answers(instances, rows) if dry_run else _read_again(context, instances, rows)
    return TaskInstanceCollectionResponse(task_instances=changed, total_entries=len(changed))


def change_in_runs(
    context: ApiContext, user: User, chosen: Sequence[InstancesToChange], fields: Mapping[str, Any], *, dry_run: bool
) -> TaskInstanceCollectionResponse:
    """As `change_instances`, in several runs, the first of which the request names: its instances get the note."""
    answers = []
    for number, run_instances in enumerate(chosen):
        own = fields if number == 0 else {name: value for name, value in fields.items() if name != "note"}
        if number == 0 or own:
            answers += change_instances(context, user, run_instances, own, dry_run=dry_run).task_instances
    return TaskInstanceCollectionResponse(task_instances=answers, total_entries=len(answers))


def select_group(tx: Transaction, names: tuple[str, str, str], body: PatchTaskInstanceBody) -> InstancesToChange:
    """The task instances of a task group, given as (dag_id, run_id, group_id). Raises NameNotFound, Refusal (404) for an unknown group."""
    dag_id, run_id, group_id = names
    instances = RunInstances(tx, dag_id, run_id)
    spec = find_spec_of_run(tx, instances.dag, instances.run)
    if group_id not in spec.groups:
        raise Refusal(
            404,
            say(
                "run_has_no_group",
                text=group_id,
                run=RunName(dag_id, run_id),
                dag=dag_id,
                names=", ".join(sorted(spec.groups)) or "none",
            ),
        )
    members = list_group_tasks(tx, instances.dag, instances.run, group_id)
    named = select_instances(tx, instances.dag, instances.run, dict.fromkeys(members)) if members else []
    if not named:
        raise Refusal(404, say("group_has_no_instances", text=group_id, run=RunName(dag_id, run_id)))
    return InstancesToChange(instances, named, _add_neighbours(tx, instances, body, named))


def _add_neighbours(
    tx: Transaction, instances: RunInstances, body: PatchTaskInstanceBody, named: list[TaskInstanceRow]
) -> list[TaskInstanceRow]:
    """The named instances, with those above and below them that the body includes, in the order of the run."""
    own: dict[str, set[int]] = {}
    for row in named:
        own.setdefault(row.task_id, set()).add(row.map_index)
    if not own:
        return []
    return select_instances(
        tx,
        instances.dag,
        instances.run,
        own,
        upstream=body.include_upstream,
        downstream=body.include_downstream,
        act=Act.MARK,
    )


def list_runs_to_mark(tx: Transaction, dag_id: str, run_id: str, body: PatchTaskInstanceBody) -> list[str]:
    """The run, then those before or after it that the body includes, the oldest first."""
    dag = find_dag(tx, dag_id)
    return [
        run.run_id
        for run in list_runs_to_change(
            tx, dag, find_run(tx, dag, run_id), past=body.include_past, future=body.include_future
        )
    ]


def read_patch(body: PatchTaskInstanceBody, update_mask: list[str] | None) -> dict[str, Any]:
    """`new_state` and `note`, as far as the request sets them. Raises Refusal for what cannot be set."""
    _check_patch(body, update_mask)
    set_fields = body.model_fields_set if update_mask is None else body.model_fields_set.intersection(update_mask)
    fields: dict[str, Any] = {}
    if "new_state" in set_fields and body.new_state is not None:
        fields["new_state"] = body.new_state
    if "note" in set_fields:
        fields["note"] = body.note
    return fields


def _check_patch(body: PatchTaskInstanceBody, update_mask: list[str] | None) -> None:
    unknown = set(update_mask or ()) - set(type(body).model_fields)
    if unknown:
        raise Refusal(400, say("mask_has_unknown_fields", fault=", ".join(sorted(unknown)), more=None))
    if body.new_state is not None and body.new_state not in MARKS:
        raise Refusal(
            422,
            say("state_cannot_be_set", states=", ".join(state.value for state in MARKS), state=body.new_state.value),
        )


def _find_runs(tx: Transaction, dag_id: str, body: ClearTaskInstancesBody) -> list[str]:
    """The runs that a request to clear is about, the oldest first."""
    dag = find_dag(tx, dag_id)
    conditions = [Condition("dag_pk", Operator.EQUAL, dag.dag_pk)]
    if body.dag_run_id is not None:
        run = find_run(tx, dag, body.dag_run_id)
        if not (body.include_past or body.include_future):
            return [run.run_id]
        conditions += bound_runs(run, past=body.include_past, future=body.include_future)
    elif body.include_past or body.include_future:
        raise Refusal(400, say("past_and_future_need_run"))
    if body.start_date is not None:
        conditions.append(Condition("logical_date", Operator.AT_LEAST, read_instant(body.start_date)))
    if body.end_date is not None:
        conditions.append(Condition("logical_date", Operator.AT_MOST, read_instant(body.end_date)))
    return [run.run_id for run in list_bounded_runs(tx, conditions)]


def _select(tx: Transaction, instances: RunInstances, body: ClearTaskInstancesBody) -> list[TaskInstanceRow]:
    named: dict[str, set[int] | None] = {}
    for entry in body.task_ids or ():
        task_id, index = (entry, None) if isinstance(entry, str) else _read_pair(entry)
        before = named.get(task_id, set())
        named[task_id] = None if index is None or before is None else before | {index}
    rows = select_instances(
        tx,
        instances.dag,
        instances.run,
        named,
        upstream=body.include_upstream,
        downstream=body.include_downstream,
        only_failed=body.only_failed and not body.only_running,
        act=Act.CLEAR,
    )
    return [row for row in rows if row.state is not None and (not body.only_running or row.state in _RUNNING)]


def _read_pair(entry: list[object]) -> tuple[str, int]:
    """A task id with a map index."""
    if len(entry) == 2 and isinstance(entry[0], str) and isinstance(entry[1], int):
        return entry[0], entry[1]
    raise Refusal(422, say("entry_of_task_ids_is_wrong"))


def find_marked_instances(
    context: ApiContext,
    tx: Transaction,
    user: User,
    instances: RunInstances,
    rows: Sequence[TaskInstanceRow],
    *,
    is_only_shown: bool,
    only_failed: bool,
) -> list[tuple[RunInstances, list[TaskInstanceRow]]]:
    """What a clear of these instances clears in runs of other DAGs. Raises AccessRefused when the user may not see them, or not clear them."""
    marked_runs = follow_markers(tx, instances.dag, instances.run, rows, only_failed=only_failed)
    for marked_run in marked_runs:
        require_role(context, tx, user, marked_run.dag.dag_id, Role.VIEWER if is_only_shown else Role.USER)
    return [
        (RunInstances(tx, marked_run.dag.dag_id, marked_run.run.run_id), marked_run.rows) for marked_run in marked_runs
    ]


def build_answers(instances: RunInstances, rows: list[TaskInstanceRow]) -> list[TaskInstanceResponse]:
    """The answers for these task instances of the run."""
    chosen = {(row.task_id, row.map_index) for row in rows}
    return instances.build(
        detail for detail in instances.details if (detail.row.task_id, detail.row.map_index) in chosen
    )


def _read_again(
    context: ApiContext, instances: RunInstances, rows: list[TaskInstanceRow]
) -> list[TaskInstanceResponse]:
    with context.database.read() as tx:
        return build_answers(RunInstances(tx, instances.dag.dag_id, instances.run.run_id), rows)
