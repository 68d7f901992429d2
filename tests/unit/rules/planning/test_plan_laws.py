"""Laws of planning: however the clock is looked at, the same runs, each once, in order."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.rules.timetables import made as m

from gnomon.model.instants import to_instant
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.rules.planning import plan_runs
from gnomon.rules.timetables import system_time
from gnomon.timetables import BuiltinTimetable, reference

law = settings(derandomize=True, max_examples=100, deadline=None)
SPAN = timedelta(days=3)
LOOKS = st.lists(st.floats(0, 1), max_size=8)


@pytest.fixture(autouse=True)
def no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test fails when planning reads the clock of the machine instead of its argument `now`."""

    def now() -> NoReturn:
        raise AssertionError("planning read the clock of the machine")

    monkeypatch.setattr(system_time, "now", now)


@law
@given(m.TIMETABLES, m.MOMENTS, LOOKS, st.integers(1, 40))
def test_the_runs_do_not_depend_on_when_the_clock_is_looked_at(
    timetable: BuiltinTimetable, start: datetime, looks: list[float], max_new_runs: int
) -> None:
    spec = _spec(timetable, start, catchup=True)
    end = start + SPAN
    at_once = _replay(spec, timetable, [end], max_new_runs)
    assert _replay(spec, timetable, [*(start + SPAN * look for look in sorted(looks)), end], max_new_runs) == at_once
    assert (
        _replay(spec, timetable, [*(start + SPAN * look for look in sorted(looks)), end], max_new_runs, keep=True)
        == at_once
    )


@law
@given(m.TIMETABLES, m.MOMENTS, LOOKS, st.booleans(), st.booleans())
def test_no_slot_is_planned_twice_and_none_out_of_order(
    timetable: BuiltinTimetable, start: datetime, looks: list[float], catchup: bool, keep: bool
) -> None:
    spec = _spec(timetable, start, catchup)
    runs = _replay(spec, timetable, [start + SPAN * look for look in sorted(looks)], 5, keep)
    assert len({run.run_id for run in runs}) == len(runs)
    assert [run.run_after for run in runs] == sorted({run.run_after for run in runs})


@law
@given(m.GRIDS, m.MOMENTS, LOOKS)
def test_without_catchup_what_runs_is_a_part_of_what_runs_with_it(
    timetable: BuiltinTimetable, start: datetime, looks: list[float]
) -> None:
    moments = [start + SPAN * look for look in sorted(looks)] or [start]
    all_of_them = {run.run_after for run in _replay(_spec(timetable, start, True), timetable, moments, 10**6)}
    some = {run.run_after for run in _replay(_spec(timetable, start, False), timetable, moments, 10**6, keep=True)}
    assert some <= all_of_them
    assert bool(some) == bool(all_of_them)


def _replay(
    spec: DagSpec, timetable: BuiltinTimetable, moments: list[datetime], max_new_runs: int, keep: bool = False
) -> list[PlannedRun]:
    """All runs that are planned when the clock is looked at in these moments, until nothing more is due then.

    `keep`: the next run is stored and given back, as the scheduler does.
    """
    runs: list[PlannedRun] = []
    cursor: Cursor | None = None
    promised_run: PlannedRun | None = None
    for now in map(to_instant, moments):
        while True:
            plan = plan_runs(
                dag=spec,
                timetable=timetable,
                cursor=cursor,
                now=now,
                max_new_runs=max_new_runs,
                has_unfinished_runs=False,
                promised_run=promised_run if keep else None,
            )
            assert len(plan.runs) <= max_new_runs
            runs += plan.runs
            cursor, promised_run = plan.cursor, plan.next_run
            if not plan.runs:
                break
    return runs


def _spec(timetable: BuiltinTimetable, start: datetime, catchup: bool) -> DagSpec:
    return DagSpec(dag_id="clock", timetable=reference(timetable), start_at=to_instant(start), catchup=catchup)
