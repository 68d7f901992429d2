"""Attempts of executors that reach their workers through a broker: submitted, claimed by one worker, ended (SUBMIT, line 19, in docs/contributing/ownership.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from gnomon.model.attempts import Attempt
from gnomon.model.ids import TaskKey
from gnomon.model.instants import SECOND, Instant
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.transaction import Transaction

UNCLAIMED_MAX = 500
"""Attempts in one answer of `list_unclaimed`."""


@dataclass(frozen=True, slots=True)
class GivenUpAttempt:
    """An attempt that no live worker has: its worker is lost, or it was cancelled before a worker claimed it."""

    attempt_id: str
    group_no: int
    run_pk: int
    task_no: int
    map_index: int
    worker_id: str | None
    host: str | None
    entered_at: Instant | None
    cancel_reason: str | None
    lost_reason: str | None = None
    """How its pod ended; None: it has none, or its worker is lost for another reason."""
    costs_try: bool | None = None
    """With a `lost_reason`: whether it costs a try although no worker had claimed it."""


@dataclass(frozen=True, slots=True)
class ClaimedRow:
    """An attempt that a worker has claimed."""

    attempt_id: str
    cancel_reason: str | None
    """Why it is to end; None: it may go on."""
    cancel_grace_s: float | None
    claimed_at: Instant
    entered_at: Instant | None
    group_no: int
    run_pk: int
    task_no: int
    map_index: int


def offer_attempts(tx: Transaction, executor: str, attempts: Iterable[Attempt], at: Instant) -> None:
    """Insert submitted attempts; one that is stored already stays as it is. Conf and trigger events may be secret: the bodies are encrypted."""
    rows = [
        (
            attempt.attempt_id,
            executor,
            attempt.group_no,
            attempt.run.run_pk,
            attempt.task_no,
            attempt.map_index,
            attempt.queue,
            tx.cipher.encrypt(msgspec.json.encode(attempt).decode()),
            at,
        )
        for attempt in attempts
    ]
    tx.send_many("remote_attempts.offer", rows)


def mark_published(tx: Transaction, attempt_ids: Iterable[str], at: Instant) -> None:
    """Record that messages about these attempts were given to the broker. Several schedulers may do so for the same attempts: in one order, or they deadlock."""
    tx.send_many("remote_attempts.mark_published", [(attempt_id, at) for attempt_id in sorted(set(attempt_ids))])


def list_unclaimed(
    tx: Transaction, executor: str, before: Instant, now: Instant, worker_ttl_s: float, unsent_s: float = 0.0
) -> list[tuple[str, str, int]]:
    """(attempt id, queue, group) of unclaimed attempts without a message since `before`, or since a worker that may have fetched it was lost; at most UNCLAIMED_MAX.

    `worker_ttl_s`: after so many seconds without a heartbeat a worker is lost. `unsent_s`: one without any message is listed so many seconds after it was submitted.
    """
    unsent_before = now - round(unsent_s * SECOND)
    rows = tx.all(
        "remote_attempts.unclaimed",
        executor=executor,
        before=before,
        unsent_before=unsent_before,
        now=now,
        ttl=round(worker_ttl_s * SECOND),
        limit=UNCLAIMED_MAX,
    )
    return [(row[0], row[1], row[2]) for row in rows]


def list_waiting_messages(tx: Transaction, executor: str) -> list[tuple[str, str, Instant | None]]:
    """(attempt id, queue, when its last message was sent) of the attempts that no worker has claimed."""
    return [(row[0], row[1], row[2]) for row in tx.all("remote_attempts.waiting_messages", executor=executor)]


def claim_attempt(tx: Transaction, attempt_id: str, worker_id: str, at: Instant) -> Attempt | None:
    """Give the attempt to this worker. None: another worker has it, it was cancelled, or its owner no longer waits for it."""
    row = tx.one("remote_attempts.claim", attempt=attempt_id, worker=worker_id, at=at)
    if row is None:
        return None
    run_pk, task_no, map_index, body = row
    if (
        tx.one("remote_attempts.is_live", run_pk=run_pk, task_no=task_no, map_index=map_index, attempt=attempt_id)
        is None
    ):
        remove_attempts(tx, [attempt_id])
        return None
    return _decode_body(tx, body)


def claim_attempts(tx: Transaction, attempt_ids: Sequence[str], worker_id: str, at: Instant) -> dict[str, Attempt]:
    """As `claim_attempt`, for several attempts: those that the worker has now, by their ids."""
    bodies = {
        row[0]: row[1]
        for row in tx.all("remote_attempts.claim_batch", attempts=list(attempt_ids), worker=worker_id, at=at)
    }
    live = {row[0] for row in tx.all("remote_attempts.live_batch", attempts=list(bodies))} if bodies else set()
    remove_attempts(tx, sorted(bodies.keys() - live))
    return {attempt_id: _decode_body(tx, body) for attempt_id, body in bodies.items() if attempt_id in live}


def find_claimed_attempt(tx: Transaction, attempt_id: str, worker_id: str) -> Attempt | None:
    """The attempt, while this worker has claimed it and its result is not stored."""
    row = tx.one("remote_attempts.of_claimed", attempt=attempt_id, worker=worker_id)
    return None if row is None else _decode_body(tx, row[0])


def enter_attempt(tx: Transaction, attempt_id: str, worker_id: str, at: Instant) -> int | None:
    """Record that author code was entered. The group of the attempt; None when it was recorded before, or the worker no longer has the attempt."""
    row = tx.one("remote_attempts.enter", attempt=attempt_id, worker=worker_id, at=at)
    return None if row is None else row[0]


def finish_attempt(tx: Transaction, attempt_id: str, worker_id: str) -> tuple[int, int, int, int] | None:
    """Delete the attempt; the same transaction stores its result as mail.

    Its group, run, number of the task and map index; None: this worker no longer has the attempt.
    """
    row = tx.one("remote_attempts.finish", attempt=attempt_id, worker=worker_id)
    return None if row is None else (row[0], row[1], row[2], row[3])


def finish_attempts(
    tx: Transaction, attempt_ids: Sequence[str], worker_id: str
) -> dict[str, tuple[int, int, int, int]]:
    """As `finish_attempt`, for several attempts: the places of those that the worker had, by their ids."""
    rows = tx.all("remote_attempts.finish_batch", attempts=list(attempt_ids), worker=worker_id)
    return {row[0]: (row[1], row[2], row[3], row[4]) for row in rows}


def cancel_attempt(tx: Transaction, attempt_id: str, reason: str, grace_s: float) -> None:
    """Record that the attempt is to end."""
    tx.run("remote_attempts.cancel", attempt=attempt_id, reason=reason, grace_s=grace_s)


def list_claims(tx: Transaction, worker_id: str) -> list[ClaimedRow]:
    """The attempts that the worker has claimed."""
    return [ClaimedRow(*row) for row in tx.all("remote_attempts.of_worker", worker=worker_id)]


def list_claiming_workers(tx: Transaction) -> list[tuple[str, str]]:
    """(attempt id, worker id) of all claimed attempts."""
    return [(row[0], row[1]) for row in tx.all("remote_attempts.claiming_workers")]


def release_attempt(tx: Transaction, attempt_id: str, worker_id: str) -> None:
    """Undo the claim of an attempt that the worker does not hold, unless author code was entered: the attempt gets another message."""
    tx.run("remote_attempts.release", attempt=attempt_id, worker=worker_id)


def list_held(tx: Transaction, executor: str, groups: Sequence[int]) -> list[tuple[str, bool]]:
    """(attempt id, True once author code was entered) of the attempts of these groups."""
    return [
        (row[0], row[1] is not None) for row in tx.all("remote_attempts.held", executor=executor, groups=list(groups))
    ]


def list_given_up(tx: Transaction, executor: str) -> list[GivenUpAttempt]:
    """The attempts that no live worker has."""
    return [GivenUpAttempt(*row) for row in tx.all("remote_attempts.given_up", executor=executor)]


def lose_attempt(tx: Transaction, attempt_id: str, reason: str, *, costs_try: bool) -> bool:
    """Record that the pod of the attempt has ended, and declare its worker lost, so that no result comes after it. False: its result is stored, or it was lost before."""
    row = tx.one("remote_attempts.lose", attempt=attempt_id, reason=reason, costs_try=costs_try)
    if row is not None and row[0] is not None:
        leases.retire_worker(tx, row[0])
    return row is not None


def note_wait(tx: Transaction, attempt_id: str, reason: str | None) -> None:
    """Record why no worker has claimed the attempt yet."""
    tx.run("remote_attempts.note_wait", attempt=attempt_id, reason=reason)


def find_wait_reason(tx: Transaction, key: TaskKey) -> str | None:
    """Why no worker has claimed the attempt of the task instance yet; None when it is claimed, or the executor knows no reason."""
    row = tx.one("remote_attempts.wait_of_task", run_pk=key.run_pk, task_no=key.task_no, map_index=key.map_index)
    return None if row is None else row[0]


def find_attempt(tx: Transaction, attempt_id: str) -> Attempt | None:
    """The attempt, while its result is not stored."""
    row = tx.one("remote_attempts.body", attempt=attempt_id)
    return None if row is None else _decode_body(tx, row[0])


def list_attempt_ids(tx: Transaction, executor: str) -> list[str]:
    """The attempts of the executor whose results are not stored."""
    return [row[0] for row in tx.all("remote_attempts.ids", executor=executor)]


def remove_attempts(tx: Transaction, attempt_ids: Iterable[str]) -> None:
    """Delete these attempts: their owner has their result."""
    tx.send_many("remote_attempts.remove", [(attempt_id,) for attempt_id in sorted(set(attempt_ids))])


def _decode_body(tx: Transaction, body: str) -> Attempt:
    return msgspec.json.decode(tx.cipher.decrypt(body), type=Attempt)
