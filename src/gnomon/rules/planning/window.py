"""The runs of a timetable in a window of time if every slot got a run: for display, not for the creation of runs. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.model.sentences import render, say
from gnomon.model.slots import Cursor, PlannedRun, TimeRestriction
from gnomon.rules.planning.queries import ask_next
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.delta_timetable import DeltaTimetable
from gnomon.rules.timetables.registry import is_builtin
from gnomon.rules.timetables.spans import compute_fixed_seconds

_DAY = 86400 * SECOND
LOOK_BACK_SPANS = (0, 3600 * SECOND, _DAY, 40 * _DAY, 400 * _DAY, 9 * 366 * _DAY)
"""How far before the window the search for its first run starts: intervals may last years, leap days are 8 years apart."""
MAX_STEPS_TO_WINDOW = 200_000
"""Most runs that are stepped over before the window."""


class WindowRuns(msgspec.Struct, frozen=True, kw_only=True):
    """The runs in a window."""

    runs: list[PlannedRun]
    stop_reason: str | None = None
    """Why the runs after the last one are not known; None if the timetable did not fail."""


def list_runs_in_window(
    timetable: Timetable,
    *,
    start: Instant,
    end: Instant | None = None,
    most: int,
    earliest: Instant | None = None,
    latest: Instant | None = None,
    last: Cursor | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> WindowRuns:
    """The runs due from `start` (inclusive) to `end` (exclusive), at most `most`, up to where the timetable fails.

    `earliest` and `latest`: the dates of a DAG. `last`: the last slot that was planned for it, if the slots of the window
    depend on it. `is_over`: asked before each run, whether the caller waits no longer. Raises PlanningError if the timetable
    fails before the first run.
    """
    runs: list[PlannedRun] = []
    try:
        for step_count, run in enumerate(_iterate_near(timetable, start, earliest, latest, last)):
            if end is not None and run.run_after >= end:
                break
            if run.run_after >= start:
                runs.append(run)
            if is_over():
                return WindowRuns(runs=runs, stop_reason=render(say("time_for_answer_is_over")))
            if len(runs) >= most or step_count >= most + MAX_STEPS_TO_WINDOW or timetable.follows_runs:
                break
    except PlanningError as error:
        if not runs:
            raise
        return WindowRuns(runs=runs, stop_reason=str(error))
    return WindowRuns(runs=runs)


def iterate_runs_from(
    timetable: Timetable, begin: Instant, latest: Instant | None, last: Cursor | None = None, now: Instant | None = None
) -> Iterator[PlannedRun]:
    """The runs of a DAG that starts at `begin`, in order; only those after `last` if it is given.

    `now`: the present that the timetable gets; default `begin`. Raises PlanningError when the timetable fails.
    """
    bounds = TimeRestriction(to_datetime(begin), None if latest is None else to_datetime(latest), True)
    while (run := ask_next(timetable, last, bounds, begin if now is None else now)) is not None:
        yield run
        last = Cursor(run_after=run.run_after, interval_start=run.interval_start, interval_end=run.interval_end)


def find_walk_start(timetable: Timetable, start: Instant, earliest: Instant | None, latest: Instant | None) -> Instant:
    """A start date from which the first run due at or after `start` is reached in few steps."""
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


def _iterate_near(
    timetable: Timetable, start: Instant, earliest: Instant | None, latest: Instant | None, last: Cursor | None
) -> Iterator[PlannedRun]:
    if last is not None and start - LOOK_BACK_SPANS[-2] <= last.run_after <= start:
        near = _find_near(timetable, start, last)
        if near is not None:
            return iterate_runs_from(timetable, near.run_after if earliest is None else earliest, latest, near, start)
    return iterate_runs_from(timetable, find_walk_start(timetable, start, earliest, latest), latest, None, start)


def _find_near(timetable: Timetable, start: Instant, last: Cursor) -> Cursor | None:
    """The slot from which the slots of the window are found in few steps, because they depend on `last`; None if they depend on no slot.

    A year of a schedule with a slot a minute has 525,600 of them: only the slots of an author's timetable, and those of steps
    that vary, have to be asked for one after the other. A window that begins with `last` begins after it.
    """
    if not is_builtin(timetable) or timetable.follows_runs or last.run_after == start:
        return last
    if not isinstance(timetable, DeltaTimetable):
        return None
    step = timetable.fixed_step
    return last if step is None else last.move(max(0, (start - last.run_after) // step - 1) * step)


def _step_before(timetable: DeltaTimetable, start: Instant, earliest: Instant | None) -> Instant:
    """The last step from the start date before the window; the window's start if there is no start date."""
    if earliest is None or earliest >= start:
        return start if earliest is None else earliest
    seconds = compute_fixed_seconds(timetable.span)
    if seconds is None:
        return earliest
    step = int(seconds * SECOND)
    return max(earliest, earliest + ((start - earliest) // step - 1) * step) if step > 0 else earliest
