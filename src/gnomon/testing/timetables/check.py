"""What a broken law looks like to the person who wrote the timetable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from random import Random
from typing import NamedTuple

import msgspec

from gnomon.errors.timetable import PlanningError
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.slots import TimeRestriction
from gnomon.testing.timetables.case import Case, draw_case, shrink_case
from gnomon.testing.timetables.laws import LAWS, Law, find_fault
from gnomon.testing.timetables.subject import Subject
from gnomon.timetables.base import Timetable
from gnomon.timetables.wall_clock.clock_change import clock_of
from gnomon.timetables.wall_clock.zones import floor_seconds


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """A law that does not hold, shown by the smallest example that was found."""

    law: str
    """Its name, a key of `LAWS`."""
    claim: str
    """What should be true."""
    found: str
    """What is, in words."""
    repeat: str
    """Python that shows it again."""

    def __str__(self) -> str:
        lines = "\n".join(f"    {line}" for line in self.repeat.splitlines())
        return f"{self.law}: {self.claim}\n  {self.found}\n  Again:\n{lines}"


class TimetableLawBroken(AssertionError):
    """A timetable does not keep the laws of timetables; the message shows each law with its smallest example."""

    def __init__(self, name: str, violations: Sequence[Violation]) -> None:
        self.violations = tuple(violations)
        count = len(self.violations)
        head = f"{name} breaks {count} law{'' if count == 1 else 's'} of timetables"
        super().__init__("\n\n".join([head, *map(str, self.violations)]))


CASES = 25
"""So many cases are tried of each law."""
START = datetime(2020, 1, 1, tzinfo=UTC)
END = datetime(2026, 1, 1, tzinfo=UTC)
MAX_SHRINK = 300
"""So many simpler cases are tried once a law is found broken."""
MAX_CHANGES = 200
"""Clock changes near which cases are drawn, at most."""
_OWN = 12
"""Runs of its own near which cases are drawn."""


class _Evidence(NamedTuple):
    """A case that shows a law broken, and what was seen."""

    case: Case
    found: str
    calls: str


def check_timetable(
    timetable: Timetable,
    *,
    start: datetime = START,
    end: datetime = END,
    seed: int = 0,
    cases: int = CASES,
    laws: Sequence[str] = tuple(LAWS),
) -> list[Violation]:
    """The laws that the timetable breaks, each with its smallest example; none: it keeps all that were tried.

    Cases lie from `start` to `end`, and are the same for the same `seed`.
    """
    subject = Subject(timetable)
    window = to_instant(start), to_instant(end)
    if window[0] >= window[1]:
        raise ValueError(f"start={start} is not before end={end}; give a window of time to try the laws in")
    near = list(_interesting_instants(subject, *window, seed))
    found = (_find_violation(name, subject, seed, cases, window, near) for name in laws)
    return [violation for violation in found if violation is not None]


def assert_timetable(
    timetable: Timetable, *, start: datetime = START, end: datetime = END, seed: int = 0, cases: int = CASES
) -> None:
    """The timetable keeps the laws of timetables; else TimetableLawBroken, an AssertionError, shows which it breaks."""
    violations = check_timetable(timetable, start=start, end=end, seed=seed, cases=cases)
    if violations:
        raise TimetableLawBroken(type(timetable).__name__, violations)


def _find_violation(
    name: str, subject: Subject, seed: int, cases: int, window: tuple[Instant, Instant], near: Sequence[Instant]
) -> Violation | None:
    law, random = LAWS[name], Random(f"{seed}/{name}")
    for _ in range(1 if law.timeless else cases):
        evidence = _try_law(law, subject, draw_case(random, *window, near))
        if evidence is not None:
            smallest = evidence if law.timeless else _shrink(law, subject, evidence, window[0])
            return Violation(law=name, claim=law.claim, found=smallest.found, repeat=smallest.calls)
    return None


def _try_law(law: Law, subject: Subject, case: Case) -> _Evidence | None:
    subject.calls.clear()
    found = find_fault(law, subject, case)
    if found is None:
        return None
    return _Evidence(case, found, "\n".join(subject.calls) or f"{subject.name}.summary, {subject.name}.description")


def _shrink(law: Law, subject: Subject, evidence: _Evidence, floor: Instant) -> _Evidence:
    """The simplest that still shows it: from each, the first simpler one that does.

    (It is kept as it was seen: a timetable that remembers its questions may not show it twice.)
    """
    left = MAX_SHRINK
    while True:
        for candidate in shrink_case(evidence.case, floor):
            if left <= 0:
                return evidence
            left -= 1
            simplest = _try_law(law, subject, candidate)
            if simplest is not None:
                evidence = simplest
                break
        else:
            return evidence


def _interesting_instants(subject: Subject, start: Instant, end: Instant, seed: int) -> Iterator[Instant]:
    """Instants where timetables go wrong: their own runs, and the clock changes of their zone."""
    random = Random(f"{seed}/near")
    for _ in range(3):
        earliest = random.randrange(start, end)
        try:
            runs = subject.walk(TimeRestriction(to_datetime(earliest), None, True), earliest, _OWN // 3)
        except PlanningError:
            continue
        yield from (run.run_after for run in runs)
    if subject.zone is not None:
        clock, at = clock_of(subject.zone), floor_seconds(to_datetime(start))
        for _ in range(MAX_CHANGES):
            at = clock.at(at).end
            if at * 1_000_000 >= end:
                break
            yield at * 1_000_000
