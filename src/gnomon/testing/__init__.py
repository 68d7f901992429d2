"""Tools for tests: `VirtualClock`, which moves only when a test sets it; an executor that follows a script; the laws of timetables.

To test a timetable, open `timetables/check.py`; to test a scheduler without worker processes, open `scripted.py`.
"""

from __future__ import annotations

from gnomon.ground.clock import VirtualClock
from gnomon.testing.scripted import Play, ScriptedExecutor, ScriptedWorker
from gnomon.testing.timetables import assert_timetable, check_timetable

__all__ = ["Play", "ScriptedExecutor", "ScriptedWorker", "VirtualClock", "assert_timetable", "check_timetable"]
