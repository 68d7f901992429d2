"""The database as executors need it whose workers claim their attempts (`executors.remote.RemoteAttemptStore`, `executors.kubernetes.executor.PodAttemptStore`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.log.secret_masks import hide
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.executors import WORKER_TTL_S
from gnomon.model.instants import SECOND, to_datetime
from gnomon.model.sentences import Sentence, render, say
from gnomon.storage.remote_logs.live_copies import LiveCopies
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.coordination import remote_attempts
from gnomon.storage.store.coordination.remote_attempts import GivenUpAttempt

_log = log.get_logger("executor")


class DatabaseRemoteAttemptStore:
    """`executor`: the name of the executor in the rows."""

    def __init__(self, database: Database, executor: str, clock: Clock, logs: LiveCopies | None = None) -> None:
        """`logs`: where a reason why an attempt was lost is written to its log; None: nowhere."""
        self._database = database
        self._executor = executor
        self._clock = clock
        self._logs = logs
        self._queued_ids: frozenset[str] = frozenset()
        """The attempts of the last `offer_within`."""

    def offer_within(self, tx: Transaction, attempts: Sequence[Attempt]) -> None:
        """Keep these attempts as a part of the transaction that queues them. When it is committed they are submitted, and `offer` writes nothing for them."""
        remote_attempts.offer_attempts(tx, self._executor, attempts, self._clock.now())
        self._queued_ids = frozenset(attempt.attempt_id for attempt in attempts)

    def offer(self, attempts: Sequence[Attempt]) -> None:
        missing = [attempt for attempt in attempts if attempt.attempt_id not in self._queued_ids]
        if not missing:
            return
        with self._database.write() as tx:
            remote_attempts.offer_attempts(tx, self._executor, missing, self._clock.now())

    def mark_published(self, attempt_ids: Sequence[str]) -> None:
        with self._database.write() as tx:
            remote_attempts.mark_published(tx, attempt_ids, self._clock.now())

    def list_unclaimed(self, older_than_s: float, unsent_s: float = 0.0) -> list[tuple[str, str, int]]:
        with self._database.read() as tx:
            now = self._clock.now()
            return remote_attempts.list_unclaimed(
                tx, self._executor, now - int(older_than_s * SECOND), now, WORKER_TTL_S, unsent_s
            )

    def cancel(self, attempt_id: str, reason: str, grace_s: float) -> None:
        with self._database.write() as tx:
            remote_attempts.cancel_attempt(tx, attempt_id, reason, grace_s)

    def list_held(self, groups: Sequence[int]) -> list[tuple[str, bool]]:
        with self._database.read() as tx:
            return remote_attempts.list_held(tx, self._executor, groups)

    def build_lost_results(self) -> list[AttemptResult]:
        with self._database.read() as tx:
            return [_build_result(given_up) for given_up in remote_attempts.list_given_up(tx, self._executor)]

    def remove(self, attempt_ids: Sequence[str]) -> None:
        with self._database.write() as tx:
            remote_attempts.remove_attempts(tx, attempt_ids)

    def find_attempt(self, attempt_id: str) -> Attempt | None:
        with self._database.read() as tx:
            return remote_attempts.find_attempt(tx, attempt_id)

    def list_attempt_ids(self) -> list[str]:
        with self._database.read() as tx:
            return remote_attempts.list_attempt_ids(tx, self._executor)

    def lose_attempt(self, attempt_id: str, reason: str, *, costs_try: bool) -> bool:
        with self._database.write() as tx:
            attempt = remote_attempts.find_attempt(tx, attempt_id)
            is_lost = remote_attempts.lose_attempt(tx, attempt_id, reason, costs_try=costs_try)
        if is_lost and attempt is not None and attempt.log and self._logs is not None:
            self._write_reason(self._logs, attempt.log, reason)
        return is_lost

    def _write_reason(self, logs: LiveCopies, name: str, reason: str) -> None:
        moment = to_datetime(self._clock.now()).isoformat(timespec="microseconds")
        try:
            logs.append_line(name, f"{moment[:-6]}Z ERROR    {hide(reason)}")
        except OSError as error:
            _log.warning("reason_not_in_log", log=name, error=str(error))

    def note_wait(self, attempt_id: str, reason: str | None) -> None:
        with self._database.write() as tx:
            remote_attempts.note_wait(tx, attempt_id, reason)


class QueuedAttempts:
    """The stores of a scheduler's executors, by the worker that stands for each: what is queued for them is stored with the transaction that queues it."""

    def __init__(self) -> None:
        self._stores: dict[str, DatabaseRemoteAttemptStore] = {}

    def add(self, worker_id: str, store: DatabaseRemoteAttemptStore) -> None:
        """Store what is queued for this worker."""
        self._stores[worker_id] = store

    def offer_within(self, tx: Transaction, submits: Mapping[str, Sequence[Attempt]]) -> None:
        """`submits`: by worker, the attempts that the transaction queues."""
        for worker_id, attempts in submits.items():
            if attempts and worker_id in self._stores:
                self._stores[worker_id].offer_within(tx, attempts)


def _say_silent(worker_id: str, host: str | None) -> Sentence:
    if host is None:
        return say("worker_stopped_answering", worker=worker_id)
    return say("worker_on_host_stopped_answering", worker=worker_id, host=host)


def _build_result(given_up: GivenUpAttempt) -> AttemptResult:
    reason: str | None
    if given_up.lost_reason is not None:
        outcome, entered, reason = (
            "lost",
            given_up.worker_id is not None or bool(given_up.costs_try),
            render(say("attempt_was_lost", reason=given_up.lost_reason)),
        )
    elif given_up.worker_id is None:
        outcome, entered, reason = "failed", False, given_up.cancel_reason
    else:
        outcome, entered, reason = "lost", True, render(_say_silent(given_up.worker_id, given_up.host))
    return AttemptResult(
        attempt_id=given_up.attempt_id,
        group_no=given_up.group_no,
        run_pk=given_up.run_pk,
        task_no=given_up.task_no,
        map_index=given_up.map_index,
        outcome=outcome,
        entered=entered,
        reason=reason,
        is_own_fault=bool(given_up.costs_try),
    )
