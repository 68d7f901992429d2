"""A simulation ends soon where runs follow from runs without end, and says why. What "soon" means is counted, in rounds and in runs."""

from __future__ import annotations

import pytest

from gnomon.entry.projection import attempt_counter, simulation
from gnomon.entry.projection.assumed_times import NamedTimes
from gnomon.entry.projection.attempt_counter import CAUSED_RUNS
from gnomon.entry.projection.projected_dags import build_records
from gnomon.entry.projection.projector import CAUSED_PER_DAG, CAUSED_PER_INSTANT, NAMED_DAGS, EndlessInstant, Projector
from gnomon.entry.projection.simulation import Scenario, SimulatedRuns, simulate
from gnomon.entry.simulate.year_simulation import SETTINGS
from gnomon.model.assets import AssetKey
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import PoolRecord
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.engine.step_context import StepResult
from gnomon.rules.timetables.registry import reference
from gnomon.testing import Play
from gnomon.timetables import ContinuousTimetable, CronTriggerTimetable

START: Instant = 1_767_225_600 * SECOND
DAY = 86_400 * SECOND
LEFT, RIGHT = AssetKey("left", "s3://bucket/left"), AssetKey("right", "s3://bucket/right")
BY_ASSETS = TimetableRef(path="NullTimetable", can_be_scheduled=False, periodic=False)
DAILY = reference(CronTriggerTimetable("0 3 * * *", timezone="UTC"))


def build_dag(dag_id: str, *, by: AssetKey | None, writes: AssetKey, runs_code: bool = True) -> DagSpec:
    return DagSpec(
        dag_id=dag_id,
        timetable=DAILY if by is None else BY_ASSETS,
        tasks=(TaskSpec(task_id="write", outlets=(writes,), runs_code=runs_code),),
        start_at=START if by is None else None,
        asset_condition=by,
        paused_upon_creation=False,
    )


def build_circle(*, runs_code: bool = True) -> list[DagSpec]:
    """`first` begins it each day, then `there` and `back` cause each other."""
    return [
        build_dag("first", by=None, writes=LEFT, runs_code=runs_code),
        build_dag("there", by=LEFT, writes=RIGHT, runs_code=runs_code),
        build_dag("back", by=RIGHT, writes=LEFT, runs_code=runs_code),
    ]


def run(specs: list[DagSpec], days: int, duration_s: float) -> SimulatedRuns:
    dags = [(spec, "/dags/circle.py") for spec in specs]
    times = NamedTimes(default_s=duration_s)
    return simulate(Scenario(dags, START, START + days * DAY, SETTINGS, 1_000, times=times))


@pytest.mark.parametrize("runs_code", [True, False])
def test_assets_that_produce_each_other_in_no_time_end_a_simulation_at_that_instant(*, runs_code: bool) -> None:
    with pytest.raises(UserError) as refused:
        run(build_circle(runs_code=runs_code), 30, 0.0)
    assert "at 2026-01-01T03:00:00" in str(refused.value)
    assert "without end and without time between them (DAGs: back, there)" in str(refused.value)


def test_assets_that_produce_each_other_too_fast_end_a_simulation_after_as_many_runs_as_show_it() -> None:
    with pytest.raises(UserError) as refused:
        run(build_circle(), 365, 1.0)
    assert f"after {CAUSED_RUNS + 1:,} attempts of tasks" in str(refused.value)


def test_assets_that_produce_each_other_with_time_between_them_are_simulated() -> None:
    runs = run(build_circle(), 5, 60.0).runs
    assert CAUSED_RUNS < len(runs) < 5 * 1440


def test_attempts_at_a_rate_of_far_too_many_end_a_simulation_as_soon_as_there_are_enough_to_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attempt_counter, "RATE_AFTER", 1_000)
    monkeypatch.setattr(simulation, "MAX_ATTEMPTS", 20_000)
    busy = DagSpec(
        dag_id="busy",
        timetable=reference(CronTriggerTimetable("* * * * *", timezone="UTC")),
        tasks=tuple(TaskSpec(task_id=f"t{n}") for n in range(10)),
        start_at=START,
        paused_upon_creation=False,
    )
    with pytest.raises(UserError) as refused:
        run([busy], 365, 1.0)
    assert "after 1,000 attempts of tasks" in str(refused.value)
    assert run([busy], 1, 1.0).attempt_count == 1440 * 10
    with pytest.raises(UserError, match="after 20,010 attempts of tasks"):
        run([busy], 2, 1.0)


def test_many_runs_of_assets_at_one_instant_are_no_circle() -> None:
    writer = build_dag("first", by=None, writes=LEFT)
    readers = [build_dag(f"reader_{n:04}", by=LEFT, writes=RIGHT) for n in range(CAUSED_RUNS // 3)]
    assert len(run([writer, *readers], 4, 0.0).runs) == 4 * (1 + len(readers))


def test_a_dag_that_follows_its_own_runs_in_no_time_has_one_run_at_an_instant() -> None:
    spec = DagSpec(
        dag_id="ceaseless",
        timetable=reference(ContinuousTimetable()),
        tasks=(TaskSpec(task_id="nothing"),),
        start_at=START,
        paused_upon_creation=False,
    )
    projector = build_projector([spec])
    ended = count_ended_runs(projector)
    projector.run_until(START + DAY)
    assert ended == [1]


def test_circles_side_by_side_end_a_projection_after_as_many_runs_as_one_and_the_error_names_few_of_their_dags() -> (
    None
):
    circles = [
        build_dag(f"{kind}_{n}", by=by, writes=writes, runs_code=False)
        for n in range(20)
        for kind, by, writes in (("there", LEFT, RIGHT), ("back", RIGHT, LEFT))
    ]
    projector = build_projector([build_dag("first", by=None, writes=LEFT), *circles])
    ended = count_ended_runs(projector)
    with pytest.raises(EndlessInstant) as endless:
        projector.run_until(START + DAY)
    assert len(endless.value.dag_ids) == NAMED_DAGS
    assert ended[0] <= CAUSED_PER_INSTANT + (CAUSED_PER_DAG + 1) * (len(circles) + 1)


def build_projector(specs: list[DagSpec]) -> Projector:
    pools = [PoolRecord("default_pool", -1, 0)]
    projector = Projector(settings=SETTINGS, start=START, script=lambda _: Play(0.0), pools=pools, worker_slots=1_000)
    projector.add_dags(build_records([(spec, "/dags/circle.py") for spec in specs], START))
    return projector


def count_ended_runs(projector: Projector) -> list[int]:
    """A list with the number of runs that have ended so far."""
    ended = [0]

    def count(result: StepResult, _now: Instant) -> None:
        ended[0] += len(result.ended_runs)

    projector.observe = count
    return ended
