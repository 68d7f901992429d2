"""The runs of a timetable in a window of time, as if every slot were made: for looking at it, not for making runs. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from gnomon.errors.timetable import PlanningError
from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.model.slots import Cursor, PlannedRun, TimeRestriction
from gnomon.planning.queries import ask_next
from gnomon.timetables.base import Timetable
from gnomon.timetables.delta_timetable import DeltaTimetable
from gnomon.timetables.spans import compute_fixed_seconds

_DAY = 86400 * SECOND
LOOK_BACK_SPANS = (0, _DAY, 40 * _DAY, 400 * _DAY, 9 * 366 * _DAY)
"""So far before the window its first run is looked for: an interval of years may end in it; leap days are 8 years apart."""
MAX_PASSED = 200_000
"""So many runs before the window are passed over at most."""


class WindowRuns(msgspec.Struct, frozen=True, kw_only=True):
    """What a look at a window found."""

    runs: list[PlannedRun]
    stop_reason: str | None = None
    """Why it is not known what follows the last of them."""


def list_runs_in_window(
    timetable: Timetable,
    *,
    start: Instant,
    end: Instant | None = None,
    most: int,
    earliest: Instant | None = None,
    latest: Instant | None = None,
    last: Cursor | None = None,
) -> WindowRuns:
    """The runs due from `start` (inclusive) to `end` (exclusive), at most `most`, as far as the timetable knows them.

    `earliest` and `latest`: the bounds of a DAG. `last`: the last slot that was planned for it; the walk goes on from there
    if it lies before the window. Raises PlanningError when the timetable fails or answers nonsense at once.
    """
    found: list[PlannedRun] = []
    try:
        for passed, run in enumerate(_walked(timetable, start, earliest, latest, last)):
            if end is not None and run.run_after >= end:
                break
            if run.run_after >= start:
                found.append(run)
            if len(found) >= most or passed >= most + MAX_PASSED or timetable.follows_runs:
                break
    except PlanningError as error:
        if not found:
            raise
        return WindowRuns(runs=found, stop_reason=str(error))
    return WindowRuns(runs=found)


def iterate_runs_from(
    timetable: Timetable, begin: Instant, latest: Instant | None, last: Cursor | None = None, now: Instant | None = None
) -> Iterator[PlannedRun]:
    """The runs in order, of a DAG that starts at `begin`; those after `last` if one is given. Raises PlanningError.

    `now`: from when they are seen; else from `begin`.
    """
    bounds = TimeRestriction(to_datetime(begin), None if latest is None else to_datetime(latest), True)
    while (run := ask_next(timetable, last, bounds, begin if now is None else now)) is not None:
        yield run
        last = Cursor(run_after=run.run_after, interval_start=run.interval_start, interval_end=run.interval_end)


def find_walk_start(timetable: Timetable, start: Instant, earliest: Instant | None, latest: Instant | None) -> Instant:
    """From where a walk reaches the first run that is due from `start` on after few others."""
    if isinstance(timetable, DeltaTimetable):
        return _step_before(timetable, start, earliest)
    if not timetable.periodic:
        return start if earliest is None else earliest
    for back in LOOK_BACK_SPANS:
        at = start - back
        if earliest is not None and at <= earliest:
            return earliest
        run = next(iterate_runs_from(timetable, at, latest, None, start), None)
        if run is not None and run.run_after < start:
            return at
    return start - LOOK_BACK_SPANS[-1]


def _walked(
    timetable: Timetable, start: Instant, earliest: Instant | None, latest: Instant | None, last: Cursor | None
) -> Iterator[PlannedRun]:
    if last is not None and start - LOOK_BACK_SPANS[-2] <= last.run_after <= start:
        return iterate_runs_from(timetable, last.run_after if earliest is None else earliest, latest, last, start)
    return iterate_runs_from(timetable, find_walk_start(timetable, start, earliest, latest), latest, None, start)


def _step_before(timetable: DeltaTimetable, start: Instant, earliest: Instant | None) -> Instant:
    """A schedule without a grid steps from its start date; without one, from the window's start."""
    if earliest is None or earliest >= start:
        return start if earliest is None else earliest
    seconds = compute_fixed_seconds(timetable._delta)
    if seconds is None:
        return earliest
    step = int(seconds * SECOND)
    return max(earliest, earliest + ((start - earliest) // step - 1) * step) if step > 0 else earliest
