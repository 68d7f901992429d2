"""Tests the laws of timetables: `assert_timetable` for a test, `check_timetable` for a list of violations.

Any timetable can be checked, built-in or an author's. A violation has the smallest example that was found for it, and Python
calls that reproduce it. The laws are in `laws.py`, the search for violations in `check.py`, the random cases in `case.py`.
"""

from __future__ import annotations

from gnomon.entry.testing.timetables.check import (
    CASES,
    TimetableLawBroken,
    Violation,
    assert_timetable,
    check_timetable,
)
from gnomon.entry.testing.timetables.laws import LAWS

__all__ = ["CASES", "LAWS", "TimetableLawBroken", "Violation", "assert_timetable", "check_timetable"]
