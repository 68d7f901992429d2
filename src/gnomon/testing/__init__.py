"""Tools to test what you build on Gnomon, and Gnomon itself: a clock that stands still, an executor that follows a script,
the laws of timetables."""

from __future__ import annotations

from gnomon.clock import VirtualClock
from gnomon.testing.scripted import Play, ScriptedExecutor, ScriptedWorker
from gnomon.testing.timetables import assert_timetable, check_timetable

__all__ = ["Play", "ScriptedExecutor", "ScriptedWorker", "VirtualClock", "assert_timetable", "check_timetable"]
