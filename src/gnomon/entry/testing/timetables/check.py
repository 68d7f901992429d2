"""Checks a timetable against the laws, and reports each violation with its smallest example. Entry point: `check_timetable`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from random import Random
from typing import NamedTuple

import msgspec

from gnomon.entry.testing.timetables.case import Case, draw_case, shrink_case
from gnomon.entry.testing.timetables.laws import LAWS, Law, find_fault
from gnomon.entry.testing.timetables.subject import Subject
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.slots import TimeRestriction
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.wall_clock.clock_change import clock_of
from gnomon.rules.timetables.wall_clock.zones import floor_seconds


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """A law that a timetable breaks, with the smallest example that was found."""

    law: str
    """The name of the law, a key of `LAWS`."""
    claim: str
    """A sentence that holds for every correct timetable."""
    found: str
    """A sentence on how this timetable contradicts the claim."""
    repeat: str
    """Python calls that reproduce the violation."""

    def __str__(self) -> str:
        lines = "\n".join(f"    {line}" for line in self.repeat.splitlines())
        return f"{self.law}: {self.claim}\n  {self.found}\n  To reproduce:\n{lines}"


class TimetableLawBroken(AssertionError):
    """A timetable breaks laws of timetables; the message shows each broken law with its smallest example."""

    def __init__(self, name: str, violations: Sequence[Violation]) -> None:
        self.violations = tuple(violations)
        count = len(self.violations)
        head = f"{name} breaks {count} law{'' if count == 1 else 's'} of timetables"
        super().__init__("\n\n".join([head, *map(str, self.violations)]))


CASES = 25
"""Default number of cases for each law."""
START = datetime(2020, 1, 1, tzinfo=UTC)
END = datetime(2026, 1, 1, tzinfo=UTC)
MAX_SHRINK = 300
"""Maximum number of simpler cases that are tried for a broken law."""
MAX_CHANGES = 200
"""Maximum number of clock changes near which cases are drawn."""
_OWN = 12
"""Number of the timetable's own runs near which cases are drawn."""


class _Evidence(NamedTuple):
    """A case in which a law is broken, the sentence on it, and the calls that reproduce it."""

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
    """The laws that the timetable breaks, each with its smallest example; empty when it keeps all.

    `cases`: random cases for each law, with instants from `start` to `end`; the same `seed` gives the same cases. `laws`: names
    of the laws to check. Raises ValueError when `start` is not before `end`.
    """
    subject = Subject(timetable)
    window = to_instant(start), to_instant(end)
    if window[0] >= window[1]:
        raise ValueError(f"start={start} is not before end={end}; give a window of time in which to test the laws")
    near = list(_interesting_instants(subject, *window, seed))
    violations = (_find_violation(name, subject, seed, cases, window, near) for name in laws)
    return [violation for violation in violations if violation is not None]


def assert_timetable(
    timetable: Timetable, *, start: datetime = START, end: datetime = END, seed: int = 0, cases: int = CASES
) -> None:
    """Check that the timetable keeps all laws. Raises TimetableLawBroken, an AssertionError, which shows each broken law.

    The arguments are those of `check_timetable`.
    """
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
    fault = find_fault(law, subject, case)
    if fault is None:
        return None
    return _Evidence(case, fault, "\n".join(subject.calls) or f"{subject.name}.summary, {subject.name}.description")


def _shrink(law: Law, subject: Subject, evidence: _Evidence, floor: Instant) -> _Evidence:
    """The simplest evidence: the first simpler case that also breaks the law, and so on from that case.

    The evidence is kept as first recorded, because a timetable with internal state may not break the law again.
    """
    remaining = MAX_SHRINK
    while True:
        for candidate in shrink_case(evidence.case, floor):
            if remaining <= 0:
                return evidence
            remaining -= 1
            simplest = _try_law(law, subject, candidate)
            if simplest is not None:
                evidence = simplest
                break
        else:
            return evidence


def _interesting_instants(subject: Subject, start: Instant, end: Instant, seed: int) -> Iterator[Instant]:
    """Instants near which faults are likely: runs of the timetable itself, and clock changes in its zone."""
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
