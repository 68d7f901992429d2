"""Reports of one worker about several attempts, stored in one transaction: claims, entries and results (CLAIM in docs/contributing/ownership.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instants import Instant
from gnomon.model.records import NewMail
from gnomon.model.result_checks import check_result
from gnomon.queries.taskapi.result_mail import build_result_mail
from gnomon.storage import store
from gnomon.storage.store.coordination import leases, mailbox, remote_attempts


@dataclass(frozen=True, slots=True)
class RecordedReports:
    """What became of the reports. What is not named here was refused: the worker does not have the attempt."""

    claimed: Mapping[str, Attempt] = field(default_factory=dict)
    ended: frozenset[str] = frozenset()
    """Attempts whose results are stored."""
    foreign: frozenset[str] = frozenset()
    """Attempts whose results name another task instance."""
    is_lost: bool = False
    """The worker was declared lost; it claims nothing."""


class _ForeignResults(Exception):
    """Rolls the transaction back."""

    def __init__(self, attempt_ids: frozenset[str]) -> None:
        super().__init__()
        self.attempt_ids = attempt_ids


def record_reports(
    database: store.Database,
    worker_id: str,
    claims: Sequence[str],
    entries: Mapping[str, Instant],
    results: Mapping[str, AttemptResult],
    now: Instant,
) -> RecordedReports:
    """Store the results, then the entries, then the claims, as the functions of `taskapi.execution` for one attempt do. `entries`: instants by attempt id."""
    foreign: frozenset[str] = frozenset()
    results = {attempt_id: check_result(result, reads_values=True) for attempt_id, result in results.items()}
    while True:
        own_results = [result for attempt_id, result in results.items() if attempt_id not in foreign]
        try:
            with database.write() as tx:
                ended = _end(tx, worker_id, own_results)
                _enter(tx, worker_id, entries)
                is_lost = bool(claims) and not leases.beat_worker(tx, worker_id)
                claimed = {} if is_lost or not claims else remote_attempts.claim_attempts(tx, claims, worker_id, now)
        except _ForeignResults as error:
            foreign |= error.attempt_ids
        else:
            return RecordedReports(claimed, ended, foreign, is_lost)


def _end(tx: store.Transaction, worker_id: str, results: Sequence[AttemptResult]) -> frozenset[str]:
    if not results:
        return frozenset()
    places = remote_attempts.finish_attempts(tx, [result.attempt_id for result in results], worker_id)
    had = [result for result in results if result.attempt_id in places]
    foreign = frozenset(
        result.attempt_id
        for result in had
        if places[result.attempt_id] != (result.group_no, result.run_pk, result.task_no, result.map_index)
    )
    if foreign:
        raise _ForeignResults(foreign)
    if had:
        mailbox.send_messages(tx, [build_result_mail(tx, worker_id, result) for result in had])
        store.notify_on_commit(tx)
    return frozenset(places)


def _enter(tx: store.Transaction, worker_id: str, entries: Mapping[str, Instant]) -> None:
    messages = []
    for attempt_id, at in entries.items():
        group = remote_attempts.enter_attempt(tx, attempt_id, worker_id, at)
        if group is not None:
            messages.append(build_entry_mail(group, attempt_id, at))
    if messages:
        mailbox.send_messages(tx, messages)
        store.notify_on_commit(tx)


def build_entry_mail(group_no: int, attempt_id: str, at: Instant) -> NewMail:
    """The entry of author code as a message to the owner of the group."""
    return NewMail(
        group_no, "attempt_entered", json.dumps({"attempt_id": attempt_id, "at": at}), key=f"ent:{attempt_id}"
    )
