"""The waits of one run for other DAGs: each edge of the DAG with the state of its upstream slots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gnomon.model.instants import Instant, add_seconds
from gnomon.model.records import RunRecord
from gnomon.model.run_waits import NO_SLOT, RunWait, WaitState, missing_dag_note
from gnomon.model.sentences import Sentence, list_literals, quote, render, say
from gnomon.model.states import DagRunType
from gnomon.model.upstream_edges import Edge
from gnomon.rules.decide.edges import EdgeVerdict, evaluate_edge

WAITING_TYPES = (DagRunType.SCHEDULED, DagRunType.BACKFILL)
"""Runs of these types wait for other DAGs; a triggered run starts at once."""

_CANCELLED = list_literals("cancelled_with_upstream")[0]


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
            expired = say("wait_for_upstream_expired", upstream=self._upstream, duration=after.max_wait_s)
            return render(expired)
        failed = [wait for wait in self.waits.values() if wait.state in (WaitState.BAD, WaitState.MISSED)]
        notes = sorted({wait.note for wait in failed if wait.note})
        told = say("because", why=quote("; ".join(notes[:_MAX_LISTED]))) if notes else None
        return render(say("cancelled_with_upstream", upstream=self._upstream, stored=told))

    @property
    def _upstream(self) -> Sentence:
        """The upstream DAG or task, as `Edge.label` writes it."""
        upstream = self.edge.dependency
        if upstream.task_id is None:
            return say("dag", dag=upstream.dag_id)
        return say("task_of_dag", dag=upstream.dag_id, task_id=upstream.task_id)

    def expires_at(self, run: RunRecord) -> Instant | None:
        """When `max_wait` ends: it counts from the creation of the run, or from the run's start for an edge of a task."""
        limit_s = self.edge.dependency.max_wait_s
        since = run.queued_at if self.edge.task_id is None else run.started_at
        return None if limit_s is None or since is None else add_seconds(max(since, run.run_after), limit_s)

    def open_waits(self) -> Iterator[RunWait]:
        """The waits that are open."""
        return (wait for wait in self.waits.values() if wait.state.is_open)

    def describe(self) -> Sentence:
        """The upstream DAG or task, and why it is not done, for a sentence of `explain`."""
        if self.resolution_error is not None:
            return self._describe_with(quote(self.resolution_error))
        if NO_SLOT in self.waits:
            return self._describe_with(say("upstream_dag_is_missing", dag=self.edge.dependency.dag_id))
        notes = [wait.note for wait in self.waits.values() if wait.state is WaitState.BAD]
        if not notes:
            return self._upstream
        failed = len(notes) - notes.count(missing_dag_note(self.edge.dependency.dag_id))
        details = [say("some_failed", number=failed)] if failed else []
        if failed < len(notes):
            details.append(say("no_file_defines_it"))
        return self._describe_with(*details)

    def _describe_with(self, *details: Sentence) -> Sentence:
        return say("upstream_with_details", upstream=self._upstream, phrases=details)


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


def describe_upstream_waits(edges: Iterable[EdgeWaits]) -> Sentence | None:
    """The reason of a queued run with these edges; None when it waits for no other DAG."""
    waiting = [edge.describe() for edge in edges if edge.edge.task_id is None and edge.verdict is EdgeVerdict.WAIT]
    if not waiting:
        return None
    more = say("and_more", count=len(waiting) - _MAX_LISTED) if len(waiting) > _MAX_LISTED else None
    return say("waits_for_upstreams", phrases=tuple(waiting[:_MAX_LISTED]), more=more)


_MAX_LISTED = 5
