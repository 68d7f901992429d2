"""The execution API: what workers without a database ask, by the ids of worker and attempt. Who may ask is decided by `api/execution`."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from gnomon.ground.metrics.figures import encode_numbers
from gnomon.model.attempts import Attempt, AttemptResult, XComElement
from gnomon.model.execution_messages import ClaimRequest, Figure
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import REMOTE_ADDRESS, WorkerRecord
from gnomon.model.result_checks import check_result
from gnomon.model.sentences import render, say
from gnomon.model.task_api_requests import AnyTaskApiRequest, GetCachedSecret, SetCachedSecret
from gnomon.queries.taskapi.answers import answer_task
from gnomon.queries.taskapi.report_batches import build_entry_mail
from gnomon.queries.taskapi.result_mail import build_result_mail
from gnomon.queries.taskapi.xcom_elements import read_elements
from gnomon.storage import store
from gnomon.storage.store.coordination import leases, mailbox, remote_attempts, service_figures
from gnomon.storage.store.coordination.remote_attempts import ClaimedRow


class WorkerIsLost(Exception):
    """The worker was declared lost, or retired: it has to begin a new incarnation."""


class AttemptIsGone(Exception):
    """The worker does not have the attempt: another one claimed it, it was given up, or its result is stored."""


class ForeignResult(Exception):
    """The result names the attempt, and another group or task instance than that of the attempt."""


UNHELD_S = 30.0
"""A claim of which the worker knows nothing for so long is undone; a shorter time could be that of an answer on its way."""


def claim(
    database: store.Database, attempt_id: str, request: ClaimRequest, now: Instant
) -> tuple[Attempt, tuple[XComElement, ...]]:
    """Give the attempt to the worker. Raises WorkerIsLost and AttemptIsGone.

    The first claim that succeeds registers the worker: until then it has no token for heartbeats, and would be declared lost.
    """
    with database.write() as tx:
        attempt = remote_attempts.claim_attempt(tx, attempt_id, request.worker_id, now)
        if attempt is not None:
            _register(tx, request)
    if attempt is None:
        raise AttemptIsGone(f"attempt {attempt_id} cannot be claimed: another worker has it, or it has ended")
    return attempt, read_elements(database, attempt)


def _register(tx: store.Transaction, request: ClaimRequest) -> None:
    """Register the worker if it is new, else check that it is the one that registered."""
    address = f"{REMOTE_ADDRESS}:{hashlib.sha256(request.secret.encode()).hexdigest()}"
    leases.register_worker(
        tx, WorkerRecord(request.worker_id, request.host, address, request.slots, 0, False, request.queues)
    )
    registered = leases.find_worker(tx, request.worker_id)
    if registered is None or registered.address != address:
        raise AttemptIsGone(f"worker {request.worker_id} was registered by another process")
    if not leases.beat_worker(tx, request.worker_id):
        raise WorkerIsLost(f"worker {request.worker_id} was declared lost")


def record_entry(database: store.Database, attempt_id: str, worker_id: str, at: Instant) -> None:
    """Tell the owner that author code was entered; a repeated notice changes nothing."""
    with database.write() as tx:
        group = remote_attempts.enter_attempt(tx, attempt_id, worker_id, at)
        if group is not None:
            mailbox.send_messages(tx, [build_entry_mail(group, attempt_id, at)])
            store.notify_on_commit(tx)


def record_result(database: store.Database, worker_id: str, result: AttemptResult) -> None:
    """Store the result as mail to the owner, one that cannot be stored as a failure, and end the claim. Raises AttemptIsGone and ForeignResult."""
    result = check_result(result, reads_values=True)
    with database.write() as tx:
        place = remote_attempts.finish_attempt(tx, result.attempt_id, worker_id)
        if place is None:
            raise AttemptIsGone(f"worker {worker_id} does not have attempt {result.attempt_id}")
        if place != (result.group_no, result.run_pk, result.task_no, result.map_index):
            raise ForeignResult(f"the result names another task instance than that of attempt {result.attempt_id}")
        mailbox.send_messages(tx, [build_result_mail(tx, worker_id, result)])
        store.notify_on_commit(tx)


def answer_attempt(database: store.Database, attempt_id: str, worker_id: str, request: AnyTaskApiRequest) -> object:
    """The answer to author code of an attempt that the worker has claimed. Raises AttemptIsGone, and as `answer_task`."""
    with database.read() as tx:
        attempt = remote_attempts.find_claimed_attempt(tx, attempt_id, worker_id)
    if attempt is None:
        raise AttemptIsGone(f"worker {worker_id} does not have attempt {attempt_id}")
    return answer_task(database, attempt, request)


def find_log_name(database: store.Database, attempt_id: str, worker_id: str) -> str:
    """The name of the log of an attempt that the worker has claimed: its path below the folder of logs. Raises AttemptIsGone."""
    with database.read() as tx:
        attempt = remote_attempts.find_claimed_attempt(tx, attempt_id, worker_id)
    if attempt is None:
        raise AttemptIsGone(f"worker {worker_id} does not have attempt {attempt_id}")
    return attempt.log


def answer_import(database: store.Database, worker_id: str, request: AnyTaskApiRequest) -> object:
    """The answer to a DAG file that a worker imports. Raises WorkerIsLost, and as `answer_task`: the token of a worker does nothing after its end.

    The worker keeps cached answers of secrets backends itself: in the memory of an api-server one worker would write what others read.
    """
    if isinstance(request, GetCachedSecret | SetCachedSecret):
        return None
    with database.read() as tx:
        worker = leases.find_worker(tx, worker_id)
    if worker is None or worker.lost:
        raise WorkerIsLost(f"worker {worker_id} was declared lost, or has ended")
    return answer_task(database, None, request)


def beat(
    database: store.Database, worker_id: str, held_ids: Collection[str], now: Instant, figures: Collection[Figure] = ()
) -> tuple[list[ClaimedRow], Instant]:
    """Record a heartbeat; returns what the worker has claimed, and the clock of the database. Raises WorkerIsLost.

    A claim whose answer was lost is undone: the attempt gets another message, or is lost if author code was entered.
    """
    with database.write() as tx:
        if not leases.beat_worker(tx, worker_id):
            raise WorkerIsLost(f"worker {worker_id} was declared lost")
        claimed = remote_attempts.list_claims(tx, worker_id)
        unheld = [row for row in claimed if row.attempt_id not in held_ids and now - row.claimed_at > UNHELD_S * SECOND]
        for row in unheld:
            if row.entered_at is None:
                remote_attempts.release_attempt(tx, row.attempt_id, worker_id)
            elif remote_attempts.finish_attempt(tx, row.attempt_id, worker_id):
                mailbox.send_messages(tx, [build_result_mail(tx, worker_id, _build_lost_result(row, worker_id))])
                store.notify_on_commit(tx)
        worker = leases.find_worker(tx, worker_id) if figures else None
        if worker is not None:
            service_figures.put_figures(tx, "worker", worker_id, worker.host, encode_numbers(figures))
        clock = tx.lease_now()
    return [row for row in claimed if row not in unheld], clock


def _build_lost_result(row: ClaimedRow, worker_id: str) -> AttemptResult:
    return AttemptResult(
        attempt_id=row.attempt_id,
        group_no=row.group_no,
        run_pk=row.run_pk,
        task_no=row.task_no,
        map_index=row.map_index,
        outcome="lost",
        reason=render(say("worker_no_longer_has_it", worker=worker_id)),
    )


def retire(database: store.Database, worker_id: str) -> None:
    """Record the orderly end of a worker."""
    with database.write() as tx:
        leases.retire_worker(tx, worker_id)
        service_figures.remove_figures(tx, worker_id)
