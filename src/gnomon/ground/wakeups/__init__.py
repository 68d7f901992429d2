"""Wake-ups between the processes of one host, and the signals and locks of a service process.

A wake-up carries no data and may be lost: the receiver also reads the store at intervals. Open `notifications.py` first
(Notifier and Listener); `stop_signals.py` has the stop flag, `process_lock.py` the lock of a single-instance service,
`batch_pace.py` the wait of a busy process before its next batch.
"""

from __future__ import annotations

from gnomon.ground.wakeups.batch_pace import BatchPace
from gnomon.ground.wakeups.notifications import CHANGES_SUFFIX, Listener, Notifier, change_notifier
from gnomon.ground.wakeups.process_lock import DAG_PROCESSOR_LOCK, ProcessLock
from gnomon.ground.wakeups.retry import retry_until_available
from gnomon.ground.wakeups.stop_signals import STOP_SIGNALS, StopFlag, reset_signals

__all__ = [
    "CHANGES_SUFFIX",
    "DAG_PROCESSOR_LOCK",
    "STOP_SIGNALS",
    "BatchPace",
    "Listener",
    "Notifier",
    "ProcessLock",
    "StopFlag",
    "change_notifier",
    "reset_signals",
    "retry_until_available",
]
