"""The queued and running runs of one backfill, which its own limit counts: the DAG's max_active_runs does not."""

from __future__ import annotations

from gnomon.model.backfills import BackfillRecord
from gnomon.model.instants import Instant
from gnomon.model.records import RunRecord


class BackfillQueue:
    """One backfill of a DAG in memory. It stays as long as one of its runs may be unfinished."""

    __slots__ = ("queued_runs", "record", "running_runs")

    def __init__(self, record: BackfillRecord) -> None:
        self.record = record
        self.queued_runs: list[tuple[Instant, int]] = []
        """Heap of (order, run_pk) of its runs in memory that wait to start; an entry whose run is no longer queued is void."""
        self.running_runs: set[int] = set()
        """Its running runs (run_pk)."""

    def key_of(self, run: RunRecord) -> tuple[Instant, int]:
        """The order in which its runs start: by slot, the newest first if the backfill runs backwards."""
        return (-run.run_after, -run.run_pk) if self.record.runs_backwards else (run.run_after, run.run_pk)

    @property
    def running_count(self) -> int:
        return len(self.running_runs)

    @property
    def has_room(self) -> bool:
        """True when another of its runs may start."""
        return self.record.hold_reason is None and self.running_count < self.record.max_active_runs
