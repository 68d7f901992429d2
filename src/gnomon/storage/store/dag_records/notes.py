"""Notes that people write about runs and task instances. They are deleted with the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gnomon.model.ids import UNMAPPED, TaskKey
from gnomon.model.instants import Instant
from gnomon.storage.store.transaction import Transaction

NOTE_MAX = 1000
"""The longest note, in characters, as in Airflow."""
_RUN_ITSELF = -1
"""In the place of the number of a task."""


class NotePlace(NamedTuple):
    """What a note is about: a run, or with the number of a task a task instance of it."""

    run_pk: int
    task_no: int = _RUN_ITSELF
    map_index: int = UNMAPPED


@dataclass(frozen=True, slots=True)
class StoredNote:
    """A note."""

    content: str
    author: str
    """What wrote it last, for example `api:ann`."""
    updated_at: Instant


@dataclass(frozen=True, slots=True)
class NotesOfRuns:
    """The notes of some runs and of their task instances."""

    by_place: dict[NotePlace, StoredNote]

    def find_run_note(self, run_pk: int) -> str | None:
        """The note of the run."""
        return self._find(NotePlace(run_pk))

    def find_instance_note(self, key: TaskKey) -> str | None:
        """The note of the task instance."""
        return self._find(NotePlace(key.run_pk, key.task_no, key.map_index))

    def _find(self, place: NotePlace) -> str | None:
        note = self.by_place.get(place)
        return None if note is None else note.content


def read_notes(tx: Transaction, run_pks: Sequence[int]) -> NotesOfRuns:
    """The notes of these runs and of their task instances."""
    rows = tx.all("notes.of_runs", run_pks=list(run_pks)) if run_pks else []
    return NotesOfRuns({NotePlace(*row[:3]): StoredNote(*row[3:]) for row in rows})


def find_note(tx: Transaction, place: NotePlace) -> str | None:
    """The text of the note; None when there is none."""
    row = tx.one("notes.find", run_pk=place.run_pk, task_no=place.task_no, map_index=place.map_index)
    return None if row is None else str(row[0])


def put_note(tx: Transaction, place: NotePlace, content: str, author: str, at: Instant) -> bool:
    """Insert a note or replace its text; False when the run is not stored any more."""
    return (
        tx.run(
            "notes.put",
            run_pk=place.run_pk,
            task_no=place.task_no,
            map_index=place.map_index,
            content=content,
            author=author,
            at=at,
        )
        == 1
    )


def remove_note(tx: Transaction, place: NotePlace) -> bool:
    """Delete a note; False when there is none."""
    return tx.run("notes.remove", run_pk=place.run_pk, task_no=place.task_no, map_index=place.map_index) == 1
