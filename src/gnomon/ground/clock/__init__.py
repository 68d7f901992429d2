"""The clock, passed as an argument to all code that needs the time."""

from __future__ import annotations

from gnomon.ground.clock.clocks import Clock, SystemClock, VirtualClock, skip_time, virtual_time

__all__ = ["Clock", "SystemClock", "VirtualClock", "skip_time", "virtual_time"]
