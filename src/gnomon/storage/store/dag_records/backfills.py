"""Backfills as every process may read them, and what a user does to one: create, pause, continue, cancel.

These only write the row of the backfill and mail to the owner of its DAG, which alone writes runs (REQUEST in
docs/contributing/ownership.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from gnomon.model.accounts import Author
from gnomon.model.backfills import BackfillRecord
from gnomon.model.change_entries import BackfillNews
from gnomon.model.instants import Instant, iso
from gnomon.model.records import EventRecord, NewMail
from gnomon.model.sentences import Command, say
from gnomon.model.states import RUN_STATES_BY_CODE, DagRunState
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import event_log
from gnomon.storage.store.errors import BackfillActive
from gnomon.storage.store.record_codec import decode_cursor, encode_json
from gnomon.storage.store.transaction import Row, Transaction, notify_on_commit


def create_backfill(tx: Transaction, request: BackfillRecord, address: str | None = None) -> BackfillRecord:
    """Insert the backfill and mail to the owner of its DAG; returns it with its key.

    Raises BackfillActive when the DAG has a backfill that has not ended.
    """
    row = tx.one(
        "backfills.add",
        dag_pk=request.dag_pk,
        group_no=request.group_no,
        from_at=request.from_at,
        to_at=request.to_at,
        reprocess=request.reprocess,
        max_active_runs=request.max_active_runs,
        runs_backwards=request.runs_backwards,
        conf=encode_json(request.conf),
        created_at=request.created_at,
        created_by=request.created_by,
        paused=request.paused,
    )
    if row is None:
        active = find_active_backfill(tx, request.dag_pk)
        raise BackfillActive(
            say("dag_has_backfill")
            if active is None
            else say(
                "dag_has_this_backfill",
                backfill=active.backfill_pk,
                command=Command("backfill show", (str(active.backfill_pk),)),
                other_command=Command("backfill cancel", (str(active.backfill_pk),)),
            )
        )
    created = replace(request, backfill_pk=int(row[0]))
    body = (
        f"backfill {created.backfill_pk}: {iso(created.from_at)} to {iso(created.to_at)}, reprocess={created.reprocess}"
    )
    _announce(tx, created, "created", Author(created.created_by, created.created_at, address), body)
    return created


def set_backfill_paused(tx: Transaction, backfill: BackfillRecord, paused: bool, author: Author) -> bool:
    """Pause or continue the backfill; returns False when nothing changed."""
    if not tx.run("backfills.set_paused", backfill_pk=backfill.backfill_pk, paused=paused):
        return False
    _announce(tx, backfill, "paused" if paused else "unpaused", author)
    return True


def cancel_backfill(tx: Transaction, backfill: BackfillRecord, author: Author) -> bool:
    """Cancel the backfill: its owner ends its queued runs as failed. Returns False when it has ended or was cancelled before."""
    if not tx.run("backfills.cancel", backfill_pk=backfill.backfill_pk, by=author.by):
        return False
    _announce(tx, backfill, "cancelled", author)
    return True


def _announce(tx: Transaction, backfill: BackfillRecord, change: str, author: Author, body: str | None = None) -> None:
    record_change(tx, BackfillNews(backfill.dag_pk, backfill.backfill_pk, change))
    event_log.log_event(
        tx,
        EventRecord(
            author.now,
            f"backfill_{change}",
            dag_pk=backfill.dag_pk,
            by=author.by,
            body=body or f"backfill {backfill.backfill_pk}",
            address=author.address,
        ),
    )
    message = json.dumps({"backfill_pk": backfill.backfill_pk})
    mailbox.send_messages(tx, [NewMail(backfill.group_no, "backfill_changed", message, at=author.now)])
    notify_on_commit(tx)


def find_backfill(tx: Transaction, backfill_pk: int) -> BackfillRecord | None:
    """The backfill; None when it does not exist."""
    row = tx.one("backfills.find", backfill_pk=backfill_pk)
    return None if row is None else decode_backfill(row)


def find_active_backfill(tx: Transaction, dag_pk: int) -> BackfillRecord | None:
    """The backfill of the DAG that has not ended; None when there is none."""
    row = tx.one("backfills.active_of_dag", dag_pk=dag_pk)
    return None if row is None else decode_backfill(row)


def list_backfills(tx: Transaction) -> list[tuple[str, BackfillRecord]]:
    """All backfills with the ids of their DAGs, newest first."""
    return [(row[0], decode_backfill(row[1:])) for row in tx.all("backfills.list")]


def list_backfills_of_dag(tx: Transaction, dag_id: str) -> list[tuple[str, BackfillRecord]]:
    """The backfills of the DAG with its id, newest first."""
    return [(row[0], decode_backfill(row[1:])) for row in tx.all("backfills.of_dag", dag_id=dag_id)]


def find_named_backfill(tx: Transaction, backfill_pk: int) -> tuple[str, BackfillRecord] | None:
    """The id of the DAG and the backfill; None when it does not exist."""
    row = tx.one("backfills.named", backfill_pk=backfill_pk)
    return None if row is None else (row[0], decode_backfill(row[1:]))


def list_rows_of_groups(tx: Transaction, groups: Iterable[int]) -> list[Row]:
    """The rows, for `decode_backfill`, of backfills of these groups that have not ended, or of which a run has not ended."""
    return tx.all("backfills.of_groups", groups=list(groups))


def count_backfill_runs(tx: Transaction, backfill_pks: Sequence[int]) -> dict[int, dict[DagRunState, int]]:
    """For each of these backfills the number of its runs in each state; a state without runs is left out."""
    counts: dict[int, dict[DagRunState, int]] = {backfill_pk: {} for backfill_pk in backfill_pks}
    for backfill_pk, state, count in tx.all("backfills.run_counts", backfill_pks=list(counts)) if counts else ():
        counts[backfill_pk][RUN_STATES_BY_CODE[state]] = int(count)
    return counts


def count_backfill_slots(tx: Transaction, backfill_pks: Sequence[int]) -> dict[int, dict[str, int]]:
    """For each of these backfills the number of its slots that had a run already, by what the backfill does with the run (`model.backfills`)."""
    counts: dict[int, dict[str, int]] = {backfill_pk: {} for backfill_pk in backfill_pks}
    for backfill_pk, outcome, count in tx.all("backfills.slot_counts", backfill_pks=list(counts)) if counts else ():
        counts[backfill_pk][outcome] = int(count)
    return counts


def list_left_runs(tx: Transaction, backfill_pk: int, limit: int) -> list[tuple[Instant, str, str]]:
    """(slot, outcome, run id) of runs that the backfill left as they are, in the order of their slots; at most `limit`."""
    return [
        (at, outcome, run_id)
        for at, outcome, run_id in tx.all("backfills.left_runs", backfill_pk=backfill_pk, limit=limit)
    ]


def load_slot_states(tx: Transaction, dag_pk: int, slot_keys: list[str]) -> dict[str, Row]:
    """By slot key: (run_pk, run_id, run_type, run_after, state code, backfill_pk) of the run that holds the slot."""
    return {row[0]: row[1:] for row in tx.all("backfills.slot_states", dag_pk=dag_pk, slot_keys=slot_keys)}


def find_uncovered_range(tx: Transaction, dag_pk: int) -> tuple[Instant, Instant] | None:
    """(after, until): slots due in this range may still get a run from the DAG's backfill; None when no slot may.

    `until` is the instant of its creation: where the range of its slots ends is known only when all of them are found.
    """
    row = tx.one("backfills.uncovered", dag_pk=dag_pk)
    if row is None:
        return None
    position = decode_cursor(row[0])
    return (row[1] - 1 if position is None else position.run_after), row[2]


def decode_backfill(row: Row) -> BackfillRecord:
    """A backfill from the columns of `backfills.find`."""
    (
        backfill_pk,
        dag_pk,
        group_no,
        from_at,
        to_at,
        reprocess,
        max_active_runs,
        runs_backwards,
        conf,
        created_at,
        created_by,
        paused,
        cancelled_by,
        position,
        is_planned,
        is_windowed,
        slot_count,
        first_run_after,
        error,
        ended_at,
    ) = row
    return BackfillRecord(
        backfill_pk,
        dag_pk,
        group_no,
        from_at,
        to_at,
        reprocess,
        max_active_runs,
        bool(runs_backwards),
        json.loads(conf),
        created_at,
        created_by,
        bool(paused),
        cancelled_by,
        decode_cursor(position),
        bool(is_planned),
        bool(is_windowed),
        slot_count,
        first_run_after,
        error,
        ended_at,
    )
