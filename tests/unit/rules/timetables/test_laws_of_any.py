"""The laws of timetables, as `gnomon.testing` tells them, on any timetable in any zone from 1990 to 2050."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest
from tests.unit.rules.timetables.anything import END, START, anything
from tests.unit.rules.timetables.made import ALL_ZONES

from gnomon.entry.testing.timetables import check_timetable
from gnomon.model.instants import SECOND, to_datetime, to_instant
from gnomon.rules.planning.window import list_runs_in_window
from gnomon.rules.timetables.delta_timetable import DeltaTimetable
from gnomon.timetables import BuiltinTimetable

SHORT, CASES = len(ALL_ZONES), 1
LONG, LONG_CASES = 5 * len(ALL_ZONES), 8
BLOCKS = 6
"""Parts of the short form, for machines with several processors."""


def _broken(seeds: range, cases: int) -> list[str]:
    found: list[str] = []
    for seed in seeds:
        timetable = anything(seed)
        violations = check_timetable(timetable, start=START, end=END, seed=seed, cases=cases)
        found += [f"anything({seed}) is {timetable!r}\n{violation}" for violation in violations]
    return found


@pytest.mark.parametrize("block", range(BLOCKS))
def test_any_timetable_keeps_the_laws(block: int) -> None:
    assert _broken(range(block, SHORT, BLOCKS), CASES) == []


def _windows(seeds: range, most: int) -> list[str]:
    """Timetables of a grid whose walk through a window differs from what `slots_between` yields."""
    found: list[str] = []
    for seed in seeds:
        timetable, random = anything(seed), Random(seed)
        if (
            not isinstance(timetable, BuiltinTimetable)
            or isinstance(timetable, DeltaTimetable)
            or not timetable.periodic
        ):
            continue
        start = random.randrange(to_instant(START), to_instant(END))
        end = start + random.choice((2, 40, 500)) * 86400 * SECOND
        walked = [
            to_datetime(run.run_after) for run in list_runs_in_window(timetable, start=start, end=end, most=most).runs
        ]
        slots = list(islice(timetable.slots_between(to_datetime(start), to_datetime(end)), most))
        if walked != slots:
            found.append(
                f"anything({seed}) is {timetable!r}: from {to_datetime(start)}, {sorted(set(walked) ^ set(slots))[:4]}"
            )
    return found


def test_a_walk_through_a_window_makes_the_slots_between_its_ends() -> None:
    assert _windows(range(SHORT, SHORT + 150), most=300) == []


@pytest.mark.soak
def test_thousands_of_windows_have_the_slots_between_their_ends() -> None:
    assert _windows(range(LONG), most=3000) == []


@pytest.mark.soak
def test_thousands_of_timetables_keep_the_laws() -> None:
    broken = _broken(range(SHORT, SHORT + LONG), LONG_CASES)
    assert not broken, "\n\n".join(broken)
