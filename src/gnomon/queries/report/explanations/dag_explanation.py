"""Why a DAG has no unfinished run, or why its unfinished runs wait."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.errors.timetable import PlanningError
from gnomon.model.ids import GROUPS
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import Command, RunName, say
from gnomon.model.wait_conditions import WaitCondition, list_unmet
from gnomon.queries.report.explanations.dag_state_conditions import (
    add_activity,
    check_scheduler,
    describe_rest,
    list_file_errors,
    list_quarantined,
    quote_all,
)
from gnomon.queries.report.explanations.ended_conditions import clause, describe_ended_run
from gnomon.queries.report.explanations.engine_state_reading import load_engine_state
from gnomon.queries.report.explanations.explanation import Explanation
from gnomon.queries.report.explanations.skipped_slots import describe_newest_skipped
from gnomon.queries.report.listings.asset_list import describe_asset_schedule
from gnomon.queries.report.listings.dag_list import describe_process_kind
from gnomon.queries.report.listings.import_problems import list_calendar_warnings, list_upstream_warnings
from gnomon.queries.report.listings.run_callback_list import describe_callbacks
from gnomon.rules.assets.leaf_mappers import PartitionAnswers
from gnomon.rules.engine.conditions.dag_conditions import list_dag_conditions
from gnomon.rules.engine.conditions.run_conditions import list_run_conditions
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs

RUNS_MAX = 20
"""The most unfinished runs that are conditions of their own."""
_SHOWN = 5
"""The most unfinished runs with a sentence each; the others are counted."""


def explain_dag(
    tx: Transaction,
    dag: DagRecord,
    limits: EngineLimits,
    now: Instant,
    answers: PartitionAnswers | PlanningError | None = None,
) -> Explanation:
    """The conditions for runs of the DAG, and its unfinished runs with theirs. `answers`: as for `describe_asset_schedule`."""
    explanation = Explanation()
    explanation.add(*list_file_errors(tx, dag))
    add_activity(explanation, dag)
    if dag.active:
        _add_definition(explanation, tx, dag, now)
    explanation.add(*list_quarantined(tx, dag), check_scheduler(tx))
    explanation.note(*(describe_asset_schedule(tx, dag, answers) if dag.active else []))
    unfinished = dag_runs.list_unfinished_runs(tx, dag.dag_pk)
    groups = range(GROUPS) if unfinished else (dag.group_no,)  # runs share pools with all DAGs
    with load_engine_state(tx, limits, dag_pk=dag.dag_pk, groups=groups) as state:
        explanation.add(*list_dag_conditions(state, dag.dag_pk, now))
        runs = [_check_run(dag, run, list_run_conditions(state, run.run_pk, now)) for run in unfinished[:RUNS_MAX]]
    explanation.conditions += runs
    explanation.tell(runs[:_SHOWN])
    explanation.note(*describe_rest(len(unfinished), _SHOWN, "more_unfinished_runs"))
    ended = dag_runs.find_newest_ended_run(tx, dag.dag_pk)
    if ended is not None:
        explanation.note(describe_ended_run(dag, ended), *describe_callbacks(tx, dag, ended))
    elif not unfinished:
        explanation.note(say("no_runs_yet"))
    explanation.note(*describe_newest_skipped(tx, dag))
    return explanation


def _add_definition(explanation: Explanation, tx: Transaction, dag: DagRecord, now: Instant) -> None:
    """Add what the file of the DAG says, and is wrong or in the future."""
    if dag.dependency_error is not None:
        explanation.add(WaitCondition("dependencies", False, say("no_run_is_planned", error=dag.dependency_error)))
    explanation.note(*quote_all(list_upstream_warnings(tx, dag.dag_id).get(dag.dag_id, [])))
    explanation.note(*quote_all(list_calendar_warnings(dag.spec.timetable, now)))
    if dag.fresh is not None:
        explanation.note(say("tasks_run_in", where=describe_process_kind(dag)))
    start = dag.spec.start_at
    if start is not None and start > now:
        explanation.add(WaitCondition("start_date", False, say("start_date_is_in_the_future", at=start)))


def _check_run(dag: DagRecord, run: RunRecord, conditions: Sequence[WaitCondition]) -> WaitCondition:
    """That the run is unfinished, with its conditions that are not met."""
    name, state = RunName(dag.dag_id, run.run_id), run.state.value
    explain = say(
        "run_is_unfinished_explain",
        run=name,
        state=state,
        stored=clause("in_brackets", run.reason),
        command=Command("explain", (dag.dag_id, run.run_id)),
    )
    unfinished, since = say("run_is_unfinished", run=name, state=state), run.started_at or run.queued_at
    return WaitCondition("run", False, unfinished, since, children=tuple(list_unmet(conditions)), longer=explain)
