"""What one run waits for in other DAGs: an edge each, with what was heard of its slots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gnomon.decide.edges import EdgeVerdict, evaluate_edge
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import RunRecord
from gnomon.model.run_waits import NO_SLOT, RunWait, WaitState, missing_dag_note
from gnomon.model.states import DagRunType
from gnomon.model.upstream_edges import Edge

WAITING_TYPES = (DagRunType.SCHEDULED, DagRunType.BACKFILL)
"""Runs of these types wait for other DAGs; one that somebody triggers starts at once."""


class EdgeWaits:
    """One edge of one run."""

    __slots__ = ("edge", "is_expired", "resolution_error", "waits")

    def __init__(self, edge: Edge, waits: Iterable[RunWait] = ()) -> None:
        self.edge = edge
        self.waits: dict[Instant, RunWait] = {wait.up_at: wait for wait in waits}
        """By slot; empty while the slots are being found."""
        self.resolution_error: str | None = None
        """Why they cannot be found now."""
        self.is_expired = False
        """`max_wait` is over."""

    @property
    def verdict(self) -> EdgeVerdict:
        found = evaluate_edge(self.edge.after, [wait.state for wait in self.waits.values()])
        return EdgeVerdict.CANCEL if self.is_expired and found is EdgeVerdict.WAIT else found

    @property
    def cancel_reason(self) -> str:
        """Why it ends what waits."""
        after = self.edge.after
        if self.is_expired:
            return f"max_wait: {self.edge.label} was not done after {after.max_wait_s:g} s"
        of = [wait for wait in self.waits.values() if wait.state in (WaitState.BAD, WaitState.MISSED)]
        notes = sorted({wait.note for wait in of if wait.note})
        return f"cancelled: {self.edge.label}" + (f": {'; '.join(notes[:_MAX_LISTED])}" if notes else "")

    def expires_at(self, run: RunRecord) -> Instant | None:
        """When its `max_wait` is over: counted from the making of the run, for a task from the run's start."""
        limit_s = self.edge.after.max_wait_s
        since = run.queued_at if self.edge.task_id is None else run.started_at
        return None if limit_s is None or since is None else max(since, run.run_after) + int(limit_s * SECOND)

    def open_waits(self) -> Iterator[RunWait]:
        """Waits that are not over."""
        return (wait for wait in self.waits.values() if wait.state.is_open)

    def describe(self) -> str:
        """What it waits for, in a few words."""
        if self.resolution_error is not None:
            return f"{self.edge.label} ({self.resolution_error})"
        if NO_SLOT in self.waits:
            return f"{self.edge.label} (there is no DAG {self.edge.after.dag_id})"
        notes = [wait.note for wait in self.waits.values() if wait.state is WaitState.BAD]
        failed = sum(note != missing_dag_note(self.edge.after.dag_id) for note in notes)
        told = ([f"{failed} failed"] if failed else []) + (["it is in no file any more"] if failed < len(notes) else [])
        return self.edge.label + (f" ({', '.join(told)})" if told else "")


def build_edge_waits(edges: Iterable[Edge], record: RunRecord, waits: Iterable[RunWait]) -> dict[int, EdgeWaits]:
    """The edges that count for a run, each with its waits; waits of edges that the DAG no longer has are left out."""
    if record.run_type not in WAITING_TYPES:
        return {}
    by_edge: dict[int, list[RunWait]] = {}
    for wait in waits:
        by_edge.setdefault(wait.edge_no, []).append(wait)
    return {edge.number: EdgeWaits(edge, by_edge.get(edge.number, ())) for edge in edges}


def waits_for_upstreams(edges: Iterable[EdgeWaits]) -> bool:
    """Whether a queued run waits for other DAGs."""
    return any(edge.edge.task_id is None and edge.verdict is not EdgeVerdict.PASS for edge in edges)


def describe_upstream_waits(edges: Iterable[EdgeWaits]) -> str | None:
    """The reason of a queued run that waits; None when it waits for nothing."""
    names = [edge.describe() for edge in edges if edge.edge.task_id is None and edge.verdict is EdgeVerdict.WAIT]
    if not names:
        return None
    return f"waits for {', '.join(names[:_MAX_LISTED])}" + (f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else "")


_MAX_LISTED = 5
