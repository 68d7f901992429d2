"""Upstream slots of edges with an author's timetable: a timetable host finds them, and a later round takes the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gnomon.author_code.timetable_host import (
    UPSTREAM_SLOTS,
    TimetableHost,
    TimetableRequest,
    TimetableResponse,
    pack_arguments,
)
from gnomon.model.instants import SECOND, Instant
from gnomon.model.upstream_edges import Edge
from gnomon.rules.dependencies.upstream_query import DagSide, RecordedSlots
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.storage.store.dag_records.upstream_dags import UpstreamDag

EdgeKey = tuple[int, int]
"""(dag_pk, edge_no)"""


@dataclass(frozen=True, slots=True)
class PendingSlotQuery:
    """Runs of one DAG, one of its edges, and both DAGs as they were when the query was sent."""

    key: EdgeKey
    ats: dict[int, Instant]
    """Planned time by run_pk."""
    down: DagSide
    up: DagSide
    history: RecordedSlots | None = None
    """None in the first query for another DAG: the host answers with the range of the history that it needs."""


class AuthorSlotQueries:
    """The queries that wait for an answer: at most one per edge, so that a timetable that hangs is called once."""

    def __init__(self, host: TimetableHost | None) -> None:
        self._host = host
        self._queries: dict[int, PendingSlotQuery] = {}
        self._by_edge: dict[EdgeKey, int] = {}
        self._last = 0

    @property
    def is_available(self) -> bool:
        """True if this process has a timetable host."""
        return self._host is not None

    def __contains__(self, key: EdgeKey) -> bool:
        return key in self._by_edge

    def reset(self) -> None:
        """Forgets all queries: their answers are ignored."""
        self._queries, self._by_edge = {}, {}

    def submit(self, query: PendingSlotQuery, dag: Dag, edge: Edge, up: UpstreamDag) -> None:
        """Sends the query to the host; `collect` returns the answer in a later round."""
        assert self._host is not None
        self._last += 1
        self._queries[self._last] = query
        self._by_edge[query.key] = self._last
        is_of_down = not query.down.timetable.builtin
        self._host.ask(
            TimetableRequest(
                number=self._last,
                function=UPSTREAM_SLOTS,
                timetable=(query.down if is_of_down else query.up).timetable,
                file=dag.record.file if is_of_down else up.file,
                input_hash=dag.record.input_hash if is_of_down else up.input_hash,
                imports_author_files=True,
                arguments=pack_arguments(
                    after=edge.after, down=query.down, up=query.up, ats=tuple(query.ats.values()), past=query.history
                ),
            )
        )

    def collect(self) -> list[tuple[PendingSlotQuery, TimetableResponse]]:
        """The queries that were answered since the last call, with their answers."""
        found = []
        for answer in self._host.collect() if self._host is not None else ():
            query = self._queries.pop(answer.number, None)
            if query is not None and self._by_edge.get(query.key) == answer.number:
                del self._by_edge[query.key]
                found.append((query, answer))
        return found

    def wake_at(self, now: Instant) -> Instant | None:
        """When to poll the host without a wake-up; None if no query is pending."""
        seconds = self._host.wake_in_s() if self._host is not None else None
        return None if seconds is None else now + int(seconds * SECOND)


def with_history(query: PendingSlotQuery, past: RecordedSlots) -> PendingSlotQuery:
    """The same query with the history that the host needs to answer it."""
    return replace(query, history=past)
