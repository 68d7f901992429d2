"""The heap of due times: one place a DAG, and one DAG's fault is its own."""

from __future__ import annotations

import pytest

from gnomon.model.instants import SECOND
from gnomon.model.records import DagRecord, PlanChange, PlanOutcome
from gnomon.model.spec import DagSpec
from gnomon.rules.engine.state.engine_state import EngineLimits, EngineState
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.rules.timetables.registry import reference
from gnomon.services.scheduler import planner as planner_module
from gnomon.services.scheduler.planner import Planner
from gnomon.timetables import CronTriggerTimetable

NOW = 1_767_225_600 * SECOND


def memory_of(*dag_ids: str) -> EngineState:
    engine_state = EngineState(EngineLimits())
    for pk, dag_id in enumerate(dag_ids):
        spec = DagSpec(
            dag_id=dag_id,
            timetable=reference(CronTriggerTimetable("0 0 * * *", timezone="UTC")),
            tasks=(),
            start_at=NOW,
        )
        engine_state.dags[pk] = Dag(
            DagRecord(pk, dag_id, 0, False, True, 0, None, None, None, 1, spec, {}, "f.py", "h")
        )
    return engine_state


def settled(planner: Planner, changes: list[PlanChange]) -> None:
    for change in changes:
        planner.apply_outcome(change, PlanOutcome(change.dag_pk, accepted=True), NOW)


def test_looking_often_leaves_one_entry() -> None:
    engine_state = memory_of("daily")
    planner = Planner(engine_state, 60.0)
    planner.enqueue([0])
    settled(planner, planner.plan(NOW + 1, 10))
    for _ in range(1000):
        planner.enqueue([0])
        assert not planner.plan(NOW + 1, 10)
    assert len(planner._due) == 1 and planner.wake_at(NOW + 1) == NOW + 86_400 * SECOND


def test_a_timetable_that_raises_stops_its_dag_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    really = planner_module.build

    def build(ref: object) -> object:
        if not built:
            built.append(ref)
            raise ZeroDivisionError("somebody's fault")
        return really(ref)  # type: ignore[arg-type]

    built: list[object] = []
    monkeypatch.setattr(planner_module, "build", build)
    planner = Planner(memory_of("bad", "good"), 60.0)
    planner.enqueue([0, 1])
    bad, good = planner.plan(NOW + 1, 10)
    assert "ZeroDivisionError" in (bad.error or "") and good.error is None
