"""Writing and deleting notes of runs and task instances."""

from __future__ import annotations

import json
from collections.abc import Iterable

from gnomon.changes.actions.actor import Actor
from gnomon.model.records import DagRecord, EventRecord, RunRecord
from gnomon.queries.report.listings.not_found import run_not_found
from gnomon.queries.report.listings.run_list import TaskInstanceRow
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.dag_records import event_log, notes
from gnomon.storage.store.dag_records.notes import NotePlace


def write_run_note(actor: Actor, db: Database, dag: DagRecord, run: RunRecord, content: str) -> None:
    """Set the note of a run; an empty text deletes it. Raises NameNotFound when the run was deleted meanwhile."""
    with db.write() as tx:
        _write_note(actor, tx, dag, run, NotePlace(run.run_pk), content)


def write_instance_notes(
    actor: Actor, db: Database, dag: DagRecord, run: RunRecord, rows: Iterable[TaskInstanceRow], content: str
) -> None:
    """Set the notes of these task instances of a run, all in one transaction; an empty text deletes them. Raises as `write_run_note` does."""
    with db.write() as tx:
        for row in rows:
            _write_note(
                actor, tx, dag, run, NotePlace(run.run_pk, dag.task_numbers[row.task_id], row.map_index), content
            )


def add_run_note(actor: Actor, tx: Transaction, dag: DagRecord, run: RunRecord, content: str) -> None:
    """Set the note of a run that this transaction has created."""
    _write_note(actor, tx, dag, run, NotePlace(run.run_pk), content)


def _write_note(actor: Actor, tx: Transaction, dag: DagRecord, run: RunRecord, place: NotePlace, content: str) -> None:
    before = notes.find_note(tx, place)
    if content and not notes.put_note(tx, place, content, actor.by, actor.clock.now()):
        raise run_not_found(dag.dag_id, run.run_id, ())
    if not content and not notes.remove_note(tx, place):
        return
    event_log.log_event(
        tx,
        EventRecord(
            actor.clock.now(),
            "note_set" if content else "note_deleted",
            dag_pk=run.dag_pk,
            run_pk=run.run_pk,
            by=actor.by,
            body=_describe(before, content),
            task_no=None if place == NotePlace(run.run_pk) else place.task_no,
            map_index=place.map_index,
            address=actor.address,
        ),
    )


def _describe(before: str | None, after: str) -> str:
    return json.dumps({name: text for name, text in (("before", before), ("after", after)) if text}, ensure_ascii=False)
