"""Wake-ups between processes of one host. They only wake: a lost one costs a sweep, never a run."""

from __future__ import annotations

from gnomon.wakeups.bell import Bell
from gnomon.wakeups.ear import Ear
from gnomon.wakeups.stopping import StopFlag, forget_signals

__all__ = ["Bell", "Ear", "StopFlag", "forget_signals"]
