"""The load of pools in five minutes, against a count of each second."""

from __future__ import annotations

import random

import pytest

from gnomon.entry.projection.pool_load import STEP_US, LoadCollector
from gnomon.entry.projection.run_outcomes import RunOutcome, TaskOutcome
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import SECOND
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.rules.timetables.registry import reference
from gnomon.timetables import NullTimetable

pytestmark = pytest.mark.pure
START = 1_767_225_600 * SECOND
STEPS = 6
STEP_S = STEP_US // SECOND


def run_of(number: int, ready_s: int, start_s: int, end_s: int | None) -> RunOutcome:
    end = None if end_s is None else START + end_s * SECOND
    task = TaskOutcome("t", UNMAPPED, TaskInstanceState.SUCCESS, 1, START + start_s * SECOND, end)
    ready_at = START + ready_s * SECOND
    return RunOutcome(
        "d", number, f"r{number}", "scheduled", ready_at, DagRunState.SUCCESS, ready_at, ready_at, end, (task,)
    )


@pytest.mark.parametrize("seed", range(20))
def test_each_figure_is_the_most_at_once_in_its_five_minutes(seed: int) -> None:
    rng = random.Random(seed)
    spec = DagSpec(
        dag_id="d", timetable=reference(NullTimetable()), tasks=(TaskSpec(task_id="t", pool="p", pool_slots=2),)
    )
    collector = LoadCollector(START, START + STEPS * STEP_US, {"d": spec}, {"p": 4})
    spans = []
    for _ in range(12):
        ready_s = rng.randrange(-400, STEPS * STEP_S, rng.choice([1, 100]))
        start_s = ready_s + rng.choice([0, 0, 30, 500])
        spans.append((ready_s, start_s, rng.choice([None, start_s + 1, start_s + 90, start_s + 700, start_s + 200])))
    collector.add([run_of(number, *span) for number, span in enumerate(spans)])
    taken, waiting = [0] * STEPS, [0] * STEPS
    for second in range(STEPS * STEP_S):
        step = second // STEP_S
        taken[step] = max(taken[step], 2 * sum(s <= second and (e is None or e > second) for _, s, e in spans))
        waiting[step] = max(waiting[step], 2 * sum(r <= second < s for r, s, _ in spans))
    seen_taken, seen_waiting = [0] * STEPS, [0] * STEPS
    for load in collector.build():
        assert (load.pool, load.slots) == ("p", 4)
        for step in range((load.start - START) // STEP_US, (load.end - START) // STEP_US):
            seen_taken[step], seen_waiting[step] = load.taken_p50, load.waiting_p50
    assert (seen_taken, seen_waiting) == (taken, waiting)
