"""The sentence on an attempt that no worker has claimed yet, as its executor sees it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping

from gnomon.model.executors import CELERY_EXECUTOR
from gnomon.model.ids import TaskKey
from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.records import WorkerRecord
from gnomon.queries.report.listings import process_health
from gnomon.storage.store import Transaction
from gnomon.storage.store.coordination import remote_attempts

WORKERS_SHOWN = 3


def describe_attempt_wait(tx: Transaction, key: TaskKey) -> list[str]:
    """Why no worker has claimed the attempt of the task instance; [] when one has, or when the executor knows no reason."""
    reason = remote_attempts.find_wait_reason(tx, key)
    return [] if reason is None else [reason]


def describe_message_waits(tx: Transaction, claims: Mapping[str, str], queued_timeout_s: float) -> dict[str, str]:
    """By attempt id, for each attempt of the CeleryExecutor that no worker has claimed: the live workers of its queue and their free slots, and its message.

    `claims`: by attempt id, the worker that has claimed it. A worker is known from its first claim on.
    """
    waiting = remote_attempts.list_waiting_messages(tx, CELERY_EXECUTOR)
    if not waiting:
        return {}
    workers = [worker for worker in process_health.list_live_workers(tx) if worker.queues is not None]
    used, now = Counter(claims.values()), tx.lease_now()
    return {
        attempt_id: f"{_describe_workers(workers, used, queue)}; {_describe_message(sent_at, now, queued_timeout_s)}"
        for attempt_id, queue, sent_at in waiting
    }


def _describe_workers(workers: list[WorkerRecord], used: Mapping[str, int], queue: str) -> str:
    found = [worker for worker in workers if worker.queues is not None and queue in worker.queues]
    if not found:
        return (
            "no live worker is known to take it; a worker is known from the first task that it claims on. If none runs, "
            f"start one with: gnomon celery worker -q {shlex.quote(queue)}"
        )
    shown = ", ".join(
        f"{worker.worker_id} on {worker.host} ({_count_free(worker, used)} of {worker.slots} slots free)"
        for worker in found[:WORKERS_SHOWN]
    )
    more = f" and {len(found) - WORKERS_SHOWN} more" if len(found) > WORKERS_SHOWN else ""
    free = sum(_count_free(worker, used) for worker in found)
    return f"{_count(len(found), 'live worker')} {'takes' if len(found) == 1 else 'take'} this queue, with {_count(free, 'free slot')}: {shown}{more}"


def _count_free(worker: WorkerRecord, used: Mapping[str, int]) -> int:
    return max(0, worker.slots - used.get(worker.worker_id, 0))


def _describe_message(sent_at: Instant | None, now: Instant, queued_timeout_s: float) -> str:
    if sent_at is None:
        return "the broker has not accepted its message yet; the log of the scheduler says why (broker_away, queue_refused)"
    age_s = max(0, now - sent_at) // SECOND
    return f"its message was sent at {iso(sent_at)}, {age_s} s ago; if no worker claims it, another one is sent at {iso(sent_at + round(queued_timeout_s * SECOND))}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
