"""Instants on a terminal: in the local time of this machine, or in UTC with `--utc`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from gnomon.entry.cli.terminal.screen import Screen
from gnomon.model.instants import SECOND, Instant, to_datetime

_STORED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")


def to_shown_zone(moment: datetime, screen: Screen) -> datetime:
    """The moment in the zone in which the screen shows times."""
    return moment.astimezone(UTC) if screen.utc else moment.astimezone()


def parse_stored(text: object) -> datetime | None:
    """The moment of a text in the form of `model.instants.iso`; None for any other value."""
    return datetime.fromisoformat(text) if isinstance(text, str) and _STORED.fullmatch(text) else None


class ColumnTimes:
    """Formats the times of one column: `2026-03-01 07:00:00`, with the offset where the column has more than one."""

    def __init__(self, values: Iterable[object], screen: Screen) -> None:
        self._screen = screen
        moments = [to_shown_zone(moment, screen) for moment in map(parse_stored, values) if moment is not None]
        names = {f"{moment:%Z}" for moment in moments}
        self._has_offsets = len(names) > 1
        self.zone = names.pop() if len(names) == 1 else ""
        """The name of the zone, for the head of the column; empty when the column has no times, or times with offsets."""

    def format(self, value: object) -> str | None:
        """The time; None for a value that is no time."""
        moment = parse_stored(value)
        if moment is None:
            return None
        shown = to_shown_zone(moment, self._screen)
        return f"{shown:%Y-%m-%d %H:%M:%S}" + (f"{shown:%z}" if self._has_offsets else "")


def format_moment(at: Instant, screen: Screen) -> str:
    """`2026-03-01 07:00:00 CET`: one time with the name of its zone."""
    return f"{to_shown_zone(to_datetime(at), screen):%Y-%m-%d %H:%M:%S %Z}"


def format_span(length: Instant) -> str:
    """A length of time in the two largest units: `4s`, `3m 20s`, `2h 5m`, `3d 4h`."""
    seconds = max(0, length // SECOND)
    for unit, size, smaller, rest in (("d", 86400, "h", 3600), ("h", 3600, "m", 60), ("m", 60, "s", 1)):
        if seconds >= size:
            rest_count = seconds % size // rest
            return f"{seconds // size}{unit}" + (f" {rest_count}{smaller}" if rest_count else "")
    return f"{seconds}s"
