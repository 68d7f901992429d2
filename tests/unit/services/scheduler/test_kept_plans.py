"""A kept plan is the plan that would be made."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gnomon.model.instants import SECOND
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.planning import Plan, plan_runs
from gnomon.rules.timetables.registry import build, reference
from gnomon.services.scheduler.kept_plans import KeptPlans
from gnomon.timetables import ContinuousTimetable, CronTriggerTimetable

START = 1_767_225_600 * SECOND
HOUR = 3600 * SECOND


@pytest.mark.parametrize("overlap", ["queue", "skip", "cancel_running"])
@pytest.mark.parametrize("timetable", [CronTriggerTimetable("0 * * * *", timezone="UTC"), ContinuousTimetable()])
def test_a_kept_plan_is_the_plan_that_would_be_made(timetable: Any, overlap: str) -> None:
    spec = DagSpec(
        dag_id="d",
        timetable=reference(timetable),
        tasks=(TaskSpec(task_id="t"),),
        start_at=START,
        catchup=True,
        overlap=overlap,
    )
    kept_plans, rng, built, made = KeptPlans(), random.Random(1), build(spec.timetable), 0
    for _ in range(300):
        arguments: dict[str, Any] = {
            "dag": spec,
            "cursor": None,
            "promised_run": None,
            "active_since": START,
            "evaluate_as_of": None,
            "now": START + rng.randrange(4) * HOUR,
            "max_new_runs": rng.randrange(6),
            "has_unfinished_runs": rng.random() < 0.5,
            "has_unfinished_regular_runs": rng.random() < 0.5,
            "misfire_grace_s": 60.0,
        }
        expected = plan_runs(timetable=built, **arguments)

        def make(plan: Plan = expected) -> Plan:
            nonlocal made
            made += 1
            return plan

        assert kept_plans.find(1, 1, built, arguments, make) == expected
    assert made < 200
