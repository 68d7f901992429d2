"""The clock as an argument: whoever needs the time is given one of these."""

from __future__ import annotations

from gnomon.clock.clocks import Clock, SystemClock, VirtualClock

__all__ = ["Clock", "SystemClock", "VirtualClock"]
