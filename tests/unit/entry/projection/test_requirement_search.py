"""`--find`: the value that is found against brute force, in random cases."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from gnomon.changes.scenarios.expectation import read_expectation
from gnomon.changes.scenarios.task_times import TaskTime
from gnomon.entry.projection.assumed_times import NamedTimes
from gnomon.entry.projection.least_value import find_latest, find_least
from gnomon.entry.projection.promises import ScenarioPromises
from gnomon.entry.projection.requirement_search import Goal, search
from gnomon.entry.projection.simulation import Scenario, simulate
from gnomon.entry.simulate.year_simulation import SETTINGS
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.timetables.registry import reference
from gnomon.timetables import CronTriggerTimetable

START: Instant = 1_767_225_600 * SECOND
"""2026-01-01T00:00:00Z"""
DAY = 86_400 * SECOND
CASES = 200


def spec_of(dag_id: str, tasks: int, slots: int = 1, cron: str = "0 1 * * *") -> DagSpec:
    return DagSpec(
        dag_id=dag_id,
        timetable=reference(CronTriggerTimetable(cron, timezone="UTC")),
        tasks=tuple(TaskSpec(task_id=f"t{number}", pool="etl", pool_slots=slots) for number in range(tasks)),
        start_at=START - 9 * DAY,
    )


def scenario_of(specs: list[DagSpec], durations: dict[str, TaskTime]) -> Scenario:
    limits = replace(SETTINGS.limits, parallelism=1_000, executors=None)
    return Scenario(
        dags=[(spec, "dags.py") for spec in specs],
        start=START,
        end=START + DAY,
        settings=replace(SETTINGS, limits=limits),
        worker_slots=1_000,
        times=NamedTimes(durations=durations),
        pool_slots={"etl": 100},
    )


def promises_of(specs: list[DagSpec], *texts: str, baselines: tuple[BaselineSpec, ...] = ()) -> ScenarioPromises:
    by_id = {spec.dag_id: spec for spec in specs}
    return ScenarioPromises([read_expectation(text, by_id) for text in texts], baselines, by_id)


def test_the_least_of_a_rising_condition_is_that_of_brute_force_and_each_value_is_asked_once() -> None:
    draw = random.Random(5)
    for _ in range(CASES):
        least, most = draw.randint(0, 5), draw.randint(6, 400)
        border = draw.randint(least, most + 40)
        asked: list[int] = []

        def holds(value: int, border: int = border, asked: list[int] = asked) -> bool:
            asked.append(value)
            return value >= border

        expected = next((value for value in range(least, most + 1) if value >= border), None)
        assert find_least(holds, least, most) == expected
        assert len(asked) <= 2 + 2 * most.bit_length()


def test_of_any_condition_the_value_is_enough_and_one_less_is_not() -> None:
    draw = random.Random(6)
    for _ in range(CASES):
        enough = {value for value in range(1, 30) if draw.random() < 0.5} | {30}
        value = find_least(enough.__contains__, 1, 30)
        assert value in enough and (value == 1 or value - 1 not in enough)


def test_the_latest_is_after_the_last_mark_that_is_enough() -> None:
    draw = random.Random(7)
    for _ in range(CASES):
        border = draw.randint(-5, 100)
        latest = find_latest(lambda value, border=border: value <= border, range(0, 90, 15))  # type: ignore[misc]
        assert latest == (None if border < 0 else min(border, 75))


@pytest.mark.parametrize("kind", ["pool", "workers"])
def test_the_smallest_number_of_slots_is_that_of_brute_force(kind: str) -> None:
    _compare_with_brute_force(kind, random.Random(len(kind)), cases=30)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["pool", "workers"])
def test_the_smallest_number_of_slots_is_that_of_brute_force_at_length(kind: str) -> None:
    _compare_with_brute_force(kind, random.Random(f"{kind} at length"), cases=200)


def _compare_with_brute_force(kind: str, draw: random.Random, cases: int) -> None:
    """Each case simulates a day for each of thirteen values."""
    answers = set()
    for _ in range(cases):
        specs = [spec_of(f"d{number}", draw.randint(1, 3), draw.randint(1, 2)) for number in range(draw.randint(1, 2))]
        durations = {
            f"{spec.dag_id}.{task.task_id}": TaskTime(60.0 * draw.randint(1, 30))
            for spec in specs
            for task in spec.tasks
        }
        scenario = scenario_of(specs, durations)
        promises = promises_of(specs, *(f"{spec.dag_id} ends before 01:{draw.randint(10, 59)}" for spec in specs))

        def holds(slots: int, scenario: Scenario = scenario, promises: ScenarioPromises = promises) -> bool:
            limits = replace(scenario.settings.limits, parallelism=slots)
            world = (
                replace(scenario, pool_slots={"etl": slots})
                if kind == "pool"
                else replace(scenario, worker_slots=slots, settings=replace(scenario.settings, limits=limits))
            )
            return not any(promises.judge(world, simulate(world)).values())

        enough = [slots for slots in range(1, 14) if holds(slots)]
        answer = search(scenario, promises, Goal(kind, "etl" if kind == "pool" else "")).value
        answers.add(answer)
        assert (answer is None) == (not enough)
        assert answer is None or (answer in enough and answer - 1 not in enough)
        if enough == list(range(min(enough, default=14), 14)):
            assert answer == (min(enough) if enough else None)
    assert len(answers) > 3


def test_a_share_of_the_samples_is_enough_and_samples_are_the_same_for_all_values() -> None:
    spec = spec_of("d", 4)
    scenario = scenario_of([spec], {"d": TaskTime(600.0, spread_s=1200.0)})
    promises = promises_of([spec], "d ends before 01:45")
    sizes = {
        share: search(scenario, promises, Goal("pool", "etl", share, samples=40)).value for share in (0.05, 0.5, 1.0)
    }
    assert sizes[0.05] is not None and sizes[0.5] is not None and sizes[1.0] is not None
    assert 1 < sizes[0.05] <= sizes[0.5] <= sizes[1.0] <= 4
    answer = search(scenario, promises, Goal("pool", "etl", 0.95, samples=40))
    assert answer == search(scenario, promises, Goal("pool", "etl", 0.95, samples=40))
    assert all(trial.samples == 40 for trial in answer.trials)


def test_the_latest_start_is_the_minute_before_the_first_that_is_too_late() -> None:
    specs = [spec_of("d", 1, cron="7 1 * * 1-5"), spec_of("e", 1)]
    scenario = scenario_of(specs, {"d": TaskTime(1800.0)})
    baseline = BaselineSpec(name="early", of=("d",), by="06:10")
    assert search(scenario, promises_of(specs, baselines=(baseline,)), Goal("start", "d")).value == 5 * 60 + 40


def test_what_decides_nothing_or_has_no_time_of_the_day_is_refused() -> None:
    specs = [spec_of("d", 1, cron="*/5 * * * *")]
    scenario = scenario_of(specs, {})
    with pytest.raises(UserError, match="needs one time of the day, and the schedule of DAG d is"):
        search(scenario, promises_of(specs, "d ends before 06:00"), Goal("start", "d"))
    later = BaselineSpec(name="later", of=("d",), by="06:00", days=3)
    with pytest.raises(UserError, match="nothing that is promised is decided in the simulated time"):
        search(scenario, promises_of(specs, baselines=(later,)), Goal("workers"))
