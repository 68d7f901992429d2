"""A step for a caller that stores nothing decides the same, and builds no rows."""

from __future__ import annotations

from tests.unit.rules.engine.world import dag_record

from gnomon.model.attempts import AttemptResult
from gnomon.model.instants import SECOND
from gnomon.model.records import PoolRecord, RunRecord
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunState, DagRunType, TaskInstanceState
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineLimits, EngineState
from gnomon.rules.engine.step import step
from gnomon.rules.engine.step_context import StepResult

START = 1_767_225_600 * SECOND


def run_one_task(*, keeps_rows: bool) -> list[StepResult]:
    engine_state = EngineState(EngineLimits())
    engine_state.update_pools([PoolRecord("default_pool", 4, 0)])
    run = RunRecord(1, 1, "r", DagRunType.MANUAL, DagRunState.QUEUED, START, START, None, None, 1, {}, START)
    result = AttemptResult(
        attempt_id="a", group_no=0, run_pk=1, task_no=0, outcome="success", started_at=START, ended_at=START
    )
    rounds: list[list[e.EngineEvent]] = [
        [e.WorkerJoined("w", 1), e.DagRead(dag_record([TaskSpec(task_id="t")])), e.RunRead(run)],
        [e.AuthorCodeEntered("a", START), e.ResultReceived(result, "w")],
    ]
    return [step(engine_state, events, START, lambda: "a", keeps_rows=keeps_rows) for events in rounds]


def test_a_step_without_rows_names_the_same_instances_and_runs_and_builds_nothing_to_store() -> None:
    for stored, unstored in zip(run_one_task(keeps_rows=True), run_one_task(keeps_rows=False), strict=True):
        assert [row.key for row in stored.changes.tasks] == [ti.key() for ti in stored.changed_instances]
        assert [ti.key() for ti in unstored.changed_instances] == [ti.key() for ti in stored.changed_instances]
        assert [run.pk for run in unstored.ended_runs] == [run.pk for run in stored.ended_runs]
        assert unstored.acknowledges == stored.acknowledges
        assert [each.attempt_id for each in unstored.submits.get("w", [])] == [
            each.attempt_id for each in stored.submits.get("w", [])
        ]
        changes = unstored.changes
        assert (changes.tasks, changes.attempts, changes.events, changes.pool_used, unstored.admissions) == (
            [],
            [],
            [],
            {},
            [],
        )
    (ti,) = unstored.changed_instances
    assert (ti.state, [run.record.state for run in unstored.ended_runs]) == (
        TaskInstanceState.SUCCESS,
        [DagRunState.SUCCESS],
    )
