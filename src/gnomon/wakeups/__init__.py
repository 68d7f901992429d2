"""Wake-ups between processes of one host. They only wake: a lost one costs a sweep, never a run."""

from __future__ import annotations

from gnomon.wakeups.bell import Bell
from gnomon.wakeups.ear import Ear
from gnomon.wakeups.patience import as_soon_as_possible
from gnomon.wakeups.presence import DAG_PROCESSOR, Presence
from gnomon.wakeups.stopping import STOP_SIGNALS, StopFlag, forget_signals

__all__ = ["DAG_PROCESSOR", "STOP_SIGNALS", "Bell", "Ear", "Presence", "StopFlag", "as_soon_as_possible", "forget_signals"]
