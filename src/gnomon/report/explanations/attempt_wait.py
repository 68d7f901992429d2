"""The sentence on an attempt that no worker has claimed yet, as its executor sees it."""

from __future__ import annotations

from gnomon.model.ids import TaskKey
from gnomon.store import Transaction
from gnomon.store.ownership import remote_attempts


def describe_attempt_wait(tx: Transaction, key: TaskKey) -> list[str]:
    """Why no worker has claimed the attempt of the task instance; [] when one has, or when the executor knows no reason."""
    reason = remote_attempts.find_wait_reason(tx, key)
    return [] if reason is None else [reason]
