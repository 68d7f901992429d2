"""What a broken law looks like to the person who wrote the timetable."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


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
