"""The laws of timetables, as a tool: `assert_timetable` in a test, `check_timetable` for the list of what does not hold.

Any timetable can be checked, built-in or an author's. A violation comes with the smallest example that was found for it,
and with the call that shows it again.
"""

from __future__ import annotations

from gnomon.testing.timetables.check import CASES, TimetableLawBroken, Violation, assert_timetable, check_timetable
from gnomon.testing.timetables.laws import LAWS

__all__ = ["CASES", "LAWS", "TimetableLawBroken", "Violation", "assert_timetable", "check_timetable"]
