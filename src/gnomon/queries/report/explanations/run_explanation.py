"""Why a run has not ended, or how it ended."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import Sentence
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState
from gnomon.model.wait_conditions import WaitCondition
from gnomon.queries.report.explanations.dag_state_conditions import (
    add_activity,
    check_scheduler,
    describe_rest,
    list_file_errors,
    list_quarantined,
)
from gnomon.queries.report.explanations.ended_conditions import check_failed_run, describe_ended_run, list_failed
from gnomon.queries.report.explanations.engine_state_reading import load_engine_state
from gnomon.queries.report.explanations.explanation import Explanation
from gnomon.queries.report.explanations.predicted_end import describe_predicted_end
from gnomon.queries.report.explanations.upstream_conditions import add_upstreams, describe_past_waits
from gnomon.queries.report.listings.run_callback_list import describe_callbacks
from gnomon.rules.engine.conditions.instance_conditions import CHILDREN_MAX
from gnomon.rules.engine.conditions.run_conditions import list_run_conditions, list_waits
from gnomon.rules.engine.state.engine_state import EngineLimits, KeptGraphs
from gnomon.storage.store import Transaction

_SHOWN = 5
"""The most failed tasks with a sentence each; the others are counted."""


def explain_run(tx: Transaction, dag: DagRecord, run: RunRecord, limits: EngineLimits, now: Instant) -> Explanation:
    """The conditions of a run that has not ended; how one ended, and of one that failed the failed tasks."""
    explanation = Explanation()
    if run.state in FINISHED_RUN_STATES:
        _add_end(explanation, tx, dag, run)
    else:
        explanation.add(check_scheduler(tx), *list_file_errors(tx, dag))
        add_activity(explanation, dag)
        explanation.add(*list_quarantined(tx, dag, run.run_pk))
        with load_engine_state(tx, limits, run) as state:
            conditions = list_run_conditions(state, run.run_pk, now, most=None)
        _add_conditions(explanation, conditions)
        add_upstreams(explanation, tx, dag, run, now)
        explanation.note(*describe_predicted_end(tx, dag.dag_id, run.run_id, now))
    if run.started_at is not None or run.ended_at is not None:
        explanation.note(*describe_past_waits(tx, dag, run))
    explanation.note(*describe_callbacks(tx, dag, run))
    return explanation


def _add_end(explanation: Explanation, tx: Transaction, dag: DagRecord, run: RunRecord) -> None:
    failed = list_failed(tx, dag, run)
    if run.state is DagRunState.FAILED:
        outcome = check_failed_run(dag, run, failed)
        explanation.add(outcome)
        explanation.tell(outcome.children[:_SHOWN])
        explanation.note(*describe_rest(len(failed), _SHOWN, "more_failed_tasks"))
    else:
        explanation.note(describe_ended_run(dag, run))


def _add_conditions(explanation: Explanation, conditions: Sequence[WaitCondition]) -> None:
    """Add what the engine says; that of the pause is known, and that of other DAGs follows slot by slot. All are told, and the first are conditions."""
    conditions_to_add = [condition for condition in conditions if condition.kind not in ("dag_active", "upstream_dags")]
    explanation.add(*conditions_to_add)
    del explanation.conditions[len(explanation.conditions) - len(conditions_to_add) :]
    explanation.conditions += conditions_to_add[:CHILDREN_MAX]


def explain_waits(
    tx: Transaction,
    runs: Sequence[RunRecord],
    most: int,
    limits: EngineLimits,
    now: Instant,
    graphs: KeptGraphs | None = None,
) -> dict[int, list[Sentence]]:
    """By run_pk: why each of these unfinished runs, or its tasks that are with no worker, wait; in their order, until `most` of them wait.

    The state is loaded once for all. `graphs`: as for `load_engine_state`.
    """
    reasons: dict[int, list[Sentence]] = {}
    waiting = 0
    with load_engine_state(tx, limits, graphs=graphs) as state:
        for run in runs:
            if waiting == most:
                break
            waits = reasons[run.run_pk] = list_waits(state, run.run_pk, now)
            waiting += bool(waits) or run.state is DagRunState.QUEUED
    return reasons
