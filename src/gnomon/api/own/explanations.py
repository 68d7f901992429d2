"""Why a DAG, a run or a task instance is not running, or how it ended: the sentences of `gnomon explain`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import APIRouter, Query

from gnomon.actions.author_queries import ask_partition_mappers
from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.policies import ApiResource, Permission, User
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.paths import Id
from gnomon.api.context import ApiContext, Context
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.api.v2.schemas.base import Answer
from gnomon.engine.state.engine_state import EngineLimits
from gnomon.model.ids import UNMAPPED
from gnomon.report.explanations import explanation
from gnomon.report.explanations.schedule_switch import describe_schedule_switch
from gnomon.report.explanations.skipped_slots import explain_slot, parse_instant
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.run_list import find_run, list_task_instances
from gnomon.store import Transaction
from gnomon.store.dag_records import dag_runs

router = APIRouter(prefix="/dags/{dag_id}", tags=["Explanation"])


class ExplanationAnswer(Answer):
    """Why something is not running, or how it ended."""

    state: str | None
    """The state of the run or the task instance, None without one; of a DAG `active`, `paused` or `deleted`."""
    sentences: list[str]
    """Empty: nothing prevents it from running. A DAG that the user may not see has no name in them."""


@router.get("/explain", dependencies=[requires(Permission.READ, ApiResource.DAG)])
def explain_dag(dag_id: Id, context: Context, user: CurrentUser) -> ExplanationAnswer:
    """Why the DAG has no run, or why its unfinished runs wait."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
    answers = ask_partition_mappers(context.cfg, context.database, dag)
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
        sentences = describe_schedule_switch(context.cfg, dag)
        sentences += explanation.explain_dag(tx, dag, _read_limits(context), context.clock.now(), answers)
        state = "deleted" if not dag.active else "paused" if dag.paused else "active"
        return _answer(context, tx, user, state, sentences)


@router.get("/dagRuns/{dag_run_id}/explain", dependencies=[requires(Permission.READ, ApiResource.DAG_RUN)])
def explain_run(dag_id: Id, dag_run_id: Id, context: Context, user: CurrentUser) -> ExplanationAnswer:
    """Why the run has not ended, or how it ended. With the logical date or the due time of a slot as run id: why the slot has no run."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag, now = find_dag(tx, dag_id), context.clock.now()
        at = parse_instant(dag_run_id)
        run = find_run(tx, dag, dag_run_id) if at is None else dag_runs.find_stored_run(tx, dag_id, dag_run_id)
        if run is not None:
            return _answer(context, tx, user, run.state.value, explanation.explain_run(tx, dag, run, _read_limits(context), now))
        assert at is not None
        return _answer(context, tx, user, None, explain_slot(tx, dag, at, now))


@router.get("/dagRuns/{dag_run_id}/taskInstances/{task_id}/explain", dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)])
def explain_task_instance(
    dag_id: Id, dag_run_id: Id, task_id: Id, context: Context, user: CurrentUser, map_index: Annotated[int, Query(ge=UNMAPPED, lt=2**31)] = UNMAPPED
) -> ExplanationAnswer:
    """Why the task instance has not ended, or how it ended. `map_index`: that of an instance of a mapped task."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, dag_run_id)
        sentences = explanation.explain_task(tx, dag, run, task_id, map_index, _read_limits(context), context.clock.now())
        rows = list_task_instances(tx, dag, run)
        state = next((row.state for row in rows if (row.task_id, row.map_index) == (task_id, map_index)), None)
        return _answer(context, tx, user, state, sentences)


def _read_limits(context: ApiContext) -> EngineLimits:
    return EngineLimits(parallelism=context.cfg.integer("core", "parallelism") or None)


def _answer(context: ApiContext, tx: Transaction, user: User, state: str | None, sentences: Iterable[str]) -> ExplanationAnswer:
    hide = build_name_filter(VisibleDags(context, tx, user))
    return ExplanationAnswer(state=state, sentences=[hide(sentence) for sentence in sentences])
