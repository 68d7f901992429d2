"""Tools to test what you build on Gnomon, and Gnomon itself: a clock that stands still, an executor that follows a script."""

from __future__ import annotations

from gnomon.clock import VirtualClock
from gnomon.testing.scripted import Play, ScriptedExecutor, ScriptedWorker

__all__ = ["Play", "ScriptedExecutor", "ScriptedWorker", "VirtualClock"]
