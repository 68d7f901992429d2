"""The timetable under test: calls it as the scheduler does, in this process, and records the calls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import tzinfo
from functools import cached_property
from typing import Any

from gnomon.entry.testing.timetables import wording
from gnomon.ground.clock import SystemClock
from gnomon.model.instants import Instant, to_instant
from gnomon.model.slots import Cursor, DataInterval, PlannedRun, TimeRestriction
from gnomon.rules.planning.queries import ask_manual, ask_next
from gnomon.rules.timetables.base import BuiltinTimetable, Timetable
from gnomon.rules.timetables.wall_clock.zones import zone_of


class Subject:
    """A timetable under test. `calls`: its last two calls as Python, newest last, for the report of a violation."""

    def __init__(self, timetable: Timetable, name: str = "timetable") -> None:
        self.timetable = timetable
        self.name = name
        self.calls: list[str] = []
        self._clock = SystemClock()

    @cached_property
    def takes_now(self) -> bool:
        """Whether the timetable receives the current time as an argument, as built-in ones do, so that a law can choose it."""
        cls = next(kind for kind in type(self.timetable).__mro__ if "next_dagrun_info" in vars(kind))
        return isinstance(self.timetable, BuiltinTimetable) and cls.__module__.startswith("gnomon.")

    @property
    def follows_runs(self) -> bool:
        """Whether its next run depends on the end of the previous one, as with ContinuousTimetable."""
        return bool(getattr(self.timetable, "follows_runs", False))

    @cached_property
    def zone(self) -> tzinfo | None:
        """The zone in its serialized form, or None."""
        try:
            return zone_of(self.timetable.serialize()["timezone"])
        except Exception:
            return None

    def now(self, chosen: Instant) -> Instant:
        """The time of a call: the chosen one, or the machine's when the author's code reads the clock itself."""
        return chosen if self.takes_now else self._clock.now()

    def next(self, last: PlannedRun | None, bounds: TimeRestriction, now: Instant) -> PlannedRun | None:
        """The run after `last`. Raises PlanningError when the scheduler could not use the answer."""
        self._call(wording.format_next_call(self.name, last, bounds, now if self.takes_now else None))
        return ask_next(self.timetable, None if last is None else _cursor(last), bounds, now)

    def manual(self, run_after: Instant) -> tuple[Instant, Instant]:
        """The data interval of a manual run. Raises PlanningError when the scheduler could not use the answer."""
        self._call(wording.format_manual_call(self.name, run_after))
        interval: DataInterval = ask_manual(self.timetable, run_after)
        return to_instant(interval.start), to_instant(interval.end)

    def steps(
        self, bounds: TimeRestriction, now: Instant, count: int, last: PlannedRun | None = None
    ) -> Iterator[PlannedRun]:
        """Up to `count` consecutive runs after `last`, each computed from the previous one when it is requested."""
        for _ in range(count):
            last = self.next(last, bounds, now)
            if last is None:
                return
            yield last

    def walk(
        self, bounds: TimeRestriction, now: Instant, count: int, last: PlannedRun | None = None
    ) -> list[PlannedRun]:
        """The runs of `steps` as a list."""
        return list(self.steps(bounds, now, count, last))

    def data(self) -> dict[str, Any]:
        """The serialized timetable. Exceptions of the author's code propagate."""
        self._call(f"{self.name}.serialize()")
        return self.timetable.serialize()

    def stored(self) -> Subject:
        """The timetable after serialize, JSON and deserialize. Exceptions of the author's code propagate."""
        data = json.loads(json.dumps(self.data()))
        cls = type(self.timetable)
        self._call(f"{cls.__name__}.deserialize({data!r})")
        return Subject(cls.deserialize(data), f"{cls.__name__}.deserialize({self.name}.serialize())")

    def _call(self, question: str) -> None:
        self.calls.append(question)
        del self.calls[:-2]


def _cursor(run: PlannedRun) -> Cursor:
    return Cursor(run_after=run.run_after, interval_start=run.interval_start, interval_end=run.interval_end)
