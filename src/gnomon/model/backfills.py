"""Backfills: the request for runs of past slots of one DAG, and how far its owner has carried it out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gnomon.model.instants import Instant
from gnomon.model.sentences import Command, Sentence, say
from gnomon.model.slots import Cursor, PlannedRun

Reprocess = Literal["none", "failed", "completed"]
"""Which finished runs in the range run again: none, failed ones, or all."""
REPROCESS_CHOICES: tuple[Reprocess, ...] = ("none", "failed", "completed")
DEFAULT_MAX_ACTIVE_RUNS = 10
"""Runs of one backfill that run at the same time, unless the request names another number."""
MAX_SLOTS = 100_000
"""The largest number of slots of one backfill: eleven years of hours, or ten weeks of minutes."""

ALREADY_EXISTS = "exists"
"""The slot has a finished run, which the backfill leaves as it is."""
IN_FLIGHT = "unfinished"
"""The slot has a run that has not ended, which the backfill leaves as it is."""
TO_REPROCESS = "to_reprocess"
"""The slot has a finished run, which runs again when its turn comes."""
REPROCESSED = "reprocessed"
"""The run was cleared, and runs again as a run of the backfill."""


@dataclass(slots=True)
class BackfillRecord:
    """One backfill. Its DAG's owner changes the fields from `position` on; a user sets `paused` and `cancelled_by`."""

    backfill_pk: int
    dag_pk: int
    group_no: int
    from_at: Instant
    to_at: Instant
    """The slots of the backfill are those that the timetable finds from `from_at` to `to_at`, both inclusive."""
    reprocess: Reprocess
    max_active_runs: int
    runs_backwards: bool
    """The newest slot runs first."""
    conf: dict[str, object]
    created_at: Instant
    """Only slots whose data interval ended by then get a run."""
    created_by: str
    paused: bool = False
    cancelled_by: str | None = None
    position: Cursor | None = None
    """The last slot for which a run was created, or found."""
    is_planned: bool = False
    """True when all slots have their runs."""
    is_windowed: bool = True
    """Queued runs are kept in the store until their turn comes. False: in memory, because their tasks depend on the run before."""
    slot_count: int = 0
    first_run_after: Instant | None = None
    """The `run_after` of its first slot."""
    error: str | None = None
    """Why no further slots are found: the message of the timetable's failure, with its remedy."""
    ended_at: Instant | None = None

    @property
    def is_ended(self) -> bool:
        """True when all its runs have ended, or it was cancelled and none of its runs is queued."""
        return self.ended_at is not None

    @property
    def hold_reason(self) -> Sentence | None:
        """Why none of its runs may start now; None when runs may start."""
        if self.is_ended:
            return None  # one of its runs was cleared later
        if self.cancelled_by is not None:
            return say("backfill_is_cancelled", backfill=self.backfill_pk, by=self.cancelled_by)
        if self.paused:
            command = Command("backfill unpause", (str(self.backfill_pk),))
            return say("backfill_is_paused", backfill=self.backfill_pk, command=command)
        if self.runs_backwards and not self.is_planned:
            return say("backfill_looks_for_newest_slot", backfill=self.backfill_pk)
        return None


@dataclass(slots=True, frozen=True)
class BackfillChange:
    """Further slots of a backfill, found after its `position`; applied if the store has still `believed_slots` slots of it."""

    backfill_pk: int
    dag_pk: int
    group_no: int
    believed_slots: int
    version_pk: int
    runs: tuple[PlannedRun, ...]
    position: Cursor | None
    is_planned: bool
    is_windowed: bool
    reprocess: Reprocess
    conf: dict[str, object]
    error: str | None = None


@dataclass(slots=True)
class BackfillOutcome:
    """The outcome of a BackfillChange."""

    accepted: bool
    """False: the backfill was cancelled, or another scheduler continued it; read it again."""
    created: int = 0
    left: dict[str, int] = field(default_factory=dict)
    """The number of slots by why no run was created (ALREADY_EXISTS, IN_FLIGHT) or by what happens to their run (TO_REPROCESS)."""
    error: str | None = None
    """A run id is used by the run of another slot: no further slot gets a run."""
