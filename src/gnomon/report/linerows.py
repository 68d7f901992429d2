"""The lines of a day as a table: runs that wait for the same are one row, so that a DAG of every minute is readable."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby

from gnomon.model.instants import Instant
from gnomon.report.dayclock import DayClock
from gnomon.report.daylines import Line
from gnomon.report.rules import words_of

ROWS_MOST = 48
"""With more rows than this, runs that wait for slots at the same distance are one row too."""
COLUMNS = ("run", "waits_for", "rule", "looked_at")


def rows_of(lines: Iterable[Line], clock: DayClock) -> list[dict[str, object]]:
    """One row for each run, or for neighbours that wait for the same."""
    found = _together(list(lines), lambda line: (line.slots, line.rule))
    if len(found) > ROWS_MOST:
        found = _together([line for group in found for line in group], _distance)
    return [_row(group, clock) for group in found]


def _together(lines: list[Line], key: Callable[[Line], object]) -> list[list[Line]]:
    return [list(group) for _, group in groupby(lines, key)]


def _distance(line: Line) -> object:
    return line.rule, tuple(slot - line.run_after for slot in line.slots)


def _row(group: list[Line], clock: DayClock) -> dict[str, object]:
    first, last = group[0], group[-1]
    same = first.slots == last.slots
    one_window = (first.start, first.end) == (last.start, last.end)
    return {
        "run": _runs([line.run_after for line in group], clock),
        "waits_for": clock.several(first.slots) if same else f"{clock.several(first.slots)} ... {clock.several(last.slots)}",
        "rule": words_of(first.rule).name,
        "looked_at": clock.window(first.start, first.end) + ("" if one_window else " ..."),
    }


def _runs(slots: list[Instant], clock: DayClock) -> str:
    if len(slots) == 1:
        return clock.at(slots[0])
    return f"{clock.at(slots[0])} to {clock.at(slots[-1])} ({len(slots)})"
