"""Tools for tests: a clock that moves only when a test sets it, an executor that follows a script, the laws of timetables. Public."""

from __future__ import annotations

from gnomon.entry.testing.scripted import Play, ScriptedExecutor, ScriptedWorker
from gnomon.entry.testing.timetables import assert_timetable, check_timetable
from gnomon.ground.clock import VirtualClock

__all__ = ["Play", "ScriptedExecutor", "ScriptedWorker", "VirtualClock", "assert_timetable", "check_timetable"]
