"""The waits of one run for other DAGs: each edge of the DAG with the state of its upstream slots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gnomon.model.instants import Instant, add_seconds
from gnomon.model.records import RunRecord
from gnomon.model.run_waits import NO_SLOT, RunWait, WaitState, missing_dag_note
from gnomon.model.states import DagRunType
from gnomon.model.upstream_edges import Edge
from gnomon.rules.decide.edges import EdgeVerdict, evaluate_edge

WAITING_TYPES = (DagRunType.SCHEDULED, DagRunType.BACKFILL)
"""Runs of these types wait for other DAGs; a triggered run starts at once."""

_CANCELLED = "cancelled: "


def is_cancel_reason(reason: str | None) -> bool:
    """Whether a run or task failed because a run did for which it waited (`EdgeWaits.cancel_reason`)."""
    return reason is not None and reason.startswith(_CANCELLED)


class EdgeWaits:
    """One edge of one run, and the waits for its slots."""

    __slots__ = ("edge", "is_expired", "resolution_error", "waits")

    def __init__(self, edge: Edge, waits: Iterable[RunWait] = ()) -> None:
        self.edge = edge
        self.waits: dict[Instant, RunWait] = {wait.up_at: wait for wait in waits}
        """By slot; empty while the slots are not resolved."""
        self.resolution_error: str | None = None
        """Why the slots cannot be resolved now."""
        self.is_expired = False
        """The edge was not met within its `max_wait`."""

    @property
    def verdict(self) -> EdgeVerdict:
        """Whether the edge lets its run or task start."""
        verdict = evaluate_edge(self.edge.dependency, [wait.state for wait in self.waits.values()])
        return EdgeVerdict.CANCEL if self.is_expired and verdict is EdgeVerdict.WAIT else verdict

    @property
    def cancel_reason(self) -> str:
        """Why the edge cancels its run or task, for a verdict CANCEL."""
        after = self.edge.dependency
        if self.is_expired:
            return f"max_wait: {self.edge.label} was not done after {after.max_wait_s:g} s"
        failed = [wait for wait in self.waits.values() if wait.state in (WaitState.BAD, WaitState.MISSED)]
        notes = sorted({wait.note for wait in failed if wait.note})
        return f"{_CANCELLED}{self.edge.label}" + (f": {'; '.join(notes[:_MAX_LISTED])}" if notes else "")

    def expires_at(self, run: RunRecord) -> Instant | None:
        """When `max_wait` ends: it counts from the creation of the run, or from the run's start for an edge of a task."""
        limit_s = self.edge.dependency.max_wait_s
        since = run.queued_at if self.edge.task_id is None else run.started_at
        return None if limit_s is None or since is None else add_seconds(max(since, run.run_after), limit_s)

    def open_waits(self) -> Iterator[RunWait]:
        """The waits that are open."""
        return (wait for wait in self.waits.values() if wait.state.is_open)

    def describe(self) -> str:
        """The upstream DAG or task, and why it is not done, for a sentence of `explain`."""
        if self.resolution_error is not None:
            return f"{self.edge.label} ({self.resolution_error})"
        if NO_SLOT in self.waits:
            return f"{self.edge.label} (there is no DAG {self.edge.dependency.dag_id})"
        notes = [wait.note for wait in self.waits.values() if wait.state is WaitState.BAD]
        failed = sum(note != missing_dag_note(self.edge.dependency.dag_id) for note in notes)
        details = ([f"{failed} failed"] if failed else []) + (
            ["no file defines it any more"] if failed < len(notes) else []
        )
        return self.edge.label + (f" ({', '.join(details)})" if details else "")


def build_edge_waits(edges: Iterable[Edge], record: RunRecord, waits: Iterable[RunWait]) -> dict[int, EdgeWaits]:
    """The edges of a run by number, each with its waits; waits of edges that the DAG no longer has are left out."""
    if record.run_type not in WAITING_TYPES:
        return {}
    by_edge: dict[int, list[RunWait]] = {}
    for wait in waits:
        by_edge.setdefault(wait.edge_no, []).append(wait)
    return {edge.number: EdgeWaits(edge, by_edge.get(edge.number, ())) for edge in edges}


def waits_for_upstreams(edges: Iterable[EdgeWaits]) -> bool:
    """True when a queued run with these edges waits for other DAGs."""
    return any(edge.edge.task_id is None and edge.verdict is not EdgeVerdict.PASS for edge in edges)


def describe_upstream_waits(edges: Iterable[EdgeWaits]) -> str | None:
    """The reason of a queued run with these edges; None when it waits for no other DAG."""
    names = [edge.describe() for edge in edges if edge.edge.task_id is None and edge.verdict is EdgeVerdict.WAIT]
    if not names:
        return None
    return f"waits for {', '.join(names[:_MAX_LISTED])}" + (
        f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    )


_MAX_LISTED = 5
