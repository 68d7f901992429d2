"""Wake-ups between processes of one host. They only wake: a lost one costs a sweep, never a run."""

from __future__ import annotations

from gnomon.wakeups.notifications import Listener, Notifier
from gnomon.wakeups.process_lock import DAG_PROCESSOR_LOCK, ProcessLock
from gnomon.wakeups.retry import retry_until_available
from gnomon.wakeups.stop_signals import STOP_SIGNALS, StopFlag, reset_signals

__all__ = ["DAG_PROCESSOR_LOCK", "STOP_SIGNALS", "Listener", "Notifier", "ProcessLock", "StopFlag", "reset_signals", "retry_until_available"]
