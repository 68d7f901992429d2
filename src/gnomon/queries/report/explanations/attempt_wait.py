"""An attempt that no worker has claimed yet, as its executor sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gnomon.model.executors import CELERY_EXECUTOR
from gnomon.model.ids import TaskKey
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import WorkerRecord
from gnomon.model.sentences import Command, Sentence, quote, say
from gnomon.queries.report.listings import process_health
from gnomon.storage.store import Transaction
from gnomon.storage.store.coordination import remote_attempts

WORKERS_SHOWN = 3


def describe_attempt_wait(tx: Transaction, key: TaskKey) -> list[Sentence]:
    """Why no worker has claimed the attempt of the task instance; [] when one has, or when the executor knows no reason."""
    reason = remote_attempts.find_wait_reason(tx, key)
    return [] if reason is None else [quote(reason)]


def describe_message_waits(tx: Transaction, claims: Mapping[str, str], queued_timeout_s: float) -> dict[str, Sentence]:
    """By attempt id, for each attempt of the CeleryExecutor that no worker has claimed: the live workers of its queue and their free slots, and its message.

    `claims`: by attempt id, the worker that has claimed it. A worker is known from its first claim on.
    """
    waiting = remote_attempts.list_waiting_messages(tx, CELERY_EXECUTOR)
    if not waiting:
        return {}
    workers = [worker for worker in process_health.list_live_workers(tx) if worker.queues is not None]
    used, now = Counter(claims.values()), tx.lease_now()
    return {
        attempt_id: say(
            "workers_and_message",
            workers=_describe_workers(workers, used, queue),
            message=_describe_message(sent_at, now, queued_timeout_s),
        )
        for attempt_id, queue, sent_at in waiting
    }


def _describe_workers(workers: list[WorkerRecord], used: Mapping[str, int], queue: str) -> Sentence:
    takers = [worker for worker in workers if worker.queues is not None and queue in worker.queues]
    if not takers:
        return say("no_worker_of_queue", command=Command("celery worker", (), ("-q", queue)))
    shown = tuple(
        say(
            "worker_with_slots",
            worker=worker.worker_id,
            host=worker.host,
            free=_count_free(worker, used),
            slots=worker.slots,
        )
        for worker in takers[:WORKERS_SHOWN]
    )
    more = say("and_more", count=len(takers) - WORKERS_SHOWN) if len(takers) > WORKERS_SHOWN else None
    free = say("free_slots", count=sum(_count_free(worker, used) for worker in takers))
    return say("workers_take_queue", count=len(takers), free_slots=free, names_of_workers=shown, more=more)


def _count_free(worker: WorkerRecord, used: Mapping[str, int]) -> int:
    return max(0, worker.slots - used.get(worker.worker_id, 0))


def _describe_message(sent_at: Instant | None, now: Instant, queued_timeout_s: float) -> Sentence:
    if sent_at is None:
        return say("message_is_not_accepted")
    again_at = sent_at + round(queued_timeout_s * SECOND)
    return say("message_was_sent", at=sent_at, duration=max(0, now - sent_at) // SECOND, until=again_at)
