"""The timetable under test, and every question that the laws ask it: as the scheduler asks, in this process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import tzinfo
from functools import cached_property
from typing import Any

from gnomon.clock import SystemClock
from gnomon.model.instants import Instant, to_instant
from gnomon.model.slots import Cursor, DataInterval, PlannedRun, TimeRestriction
from gnomon.planning.queries import ask_manual, ask_next
from gnomon.testing.timetables import wording
from gnomon.timetables.base import BuiltinTimetable, Timetable
from gnomon.timetables.wall_clock.zones import zone_of


class Subject:
    """One timetable that is asked; `calls` are the questions so far, newest last, for the words of a violation."""

    def __init__(self, timetable: Timetable, name: str = "timetable") -> None:
        self.timetable = timetable
        self.name = name
        self.calls: list[str] = []
        self._clock = SystemClock()

    @cached_property
    def takes_now(self) -> bool:
        """Whether it is asked with `now` (the built-in ones), so that every law can choose the time."""
        cls = next(kind for kind in type(self.timetable).__mro__ if "next_dagrun_info" in vars(kind))
        return isinstance(self.timetable, BuiltinTimetable) and cls.__module__.startswith("gnomon.")

    @property
    def follows_runs(self) -> bool:
        """Whether it stands still with the clock, as Continuous does."""
        return bool(getattr(self.timetable, "follows_runs", False))

    @cached_property
    def zone(self) -> tzinfo | None:
        """The zone in its stored form, if it says one that we can read."""
        try:
            return zone_of(self.timetable.serialize()["timezone"])
        except Exception:
            return None

    def now(self, wished: Instant) -> Instant:
        """The time at which it is asked: the wished one, or that of this machine where the author's code reads it."""
        return wished if self.takes_now else self._clock.now()

    def next(self, last: PlannedRun | None, bounds: TimeRestriction, now: Instant) -> PlannedRun | None:
        """The run after `last`; PlanningError when the answer is none that the scheduler can use."""
        self._call(wording.format_next_call(self.name, last, bounds, now if self.takes_now else None))
        return ask_next(self.timetable, None if last is None else _cursor(last), bounds, now)

    def manual(self, run_after: Instant) -> tuple[Instant, Instant]:
        """The data interval of a run by hand; PlanningError when the answer is none that can be used."""
        self._call(wording.format_manual_call(self.name, run_after))
        asked: DataInterval = ask_manual(self.timetable, run_after)
        return to_instant(asked.start), to_instant(asked.end)

    def steps(self, bounds: TimeRestriction, now: Instant, count: int, last: PlannedRun | None = None) -> Iterator[PlannedRun]:
        """Up to `count` answers, each fed with the one before, asked one by one."""
        for _ in range(count):
            last = self.next(last, bounds, now)
            if last is None:
                return
            yield last

    def walk(self, bounds: TimeRestriction, now: Instant, count: int, last: PlannedRun | None = None) -> list[PlannedRun]:
        """All of these steps."""
        return list(self.steps(bounds, now, count, last))

    def data(self) -> dict[str, Any]:
        """What it is stored as. Whatever the author's code raises propagates."""
        self._call(f"{self.name}.serialize()")
        return self.timetable.serialize()

    def stored(self) -> Subject:
        """It again, after a journey through its JSON. Whatever the author's code raises propagates."""
        data = json.loads(json.dumps(self.data()))
        cls = type(self.timetable)
        self._call(f"{cls.__name__}.deserialize({data!r})")
        return Subject(cls.deserialize(data), f"{cls.__name__}.deserialize({self.name}.serialize())")

    def _call(self, question: str) -> None:
        self.calls.append(question)
        del self.calls[:-2]


def _cursor(run: PlannedRun) -> Cursor:
    return Cursor(run_after=run.run_after, interval_start=run.interval_start, interval_end=run.interval_end)
