"""The notes of a run and of its task instances, as commands print them."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records.notes import NotePlace, read_notes


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A note as listings print it; `task` is None for that of the run."""

    task: str | None
    note: str
    author: str
    updated_at: str | None

    @property
    def title(self) -> str:
        """What the note is about."""
        return "note" if self.task is None else f"note of {self.task}"


def list_note_rows(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[NoteRow]:
    """The note of the run first, then those of its task instances, by the number of the task and by map index."""
    names = {number: task_id for task_id, number in dag.task_numbers.items()}
    notes = read_notes(tx, [run.run_pk]).by_place
    return [
        NoteRow(_name(place, names, run), note.content, note.author, iso(note.updated_at))
        for place, note in sorted(notes.items())
    ]


def _name(place: NotePlace, names: dict[int, str], run: RunRecord) -> str | None:
    if place == NotePlace(run.run_pk):
        return None
    task_id = names.get(place.task_no, f"task {place.task_no}")
    return task_id if place.map_index == UNMAPPED else f"{task_id}[{place.map_index}]"
