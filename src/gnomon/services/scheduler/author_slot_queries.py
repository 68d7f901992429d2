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
from gnomon.author_code.timetable_host.pending_requests import PendingRequests
from gnomon.model.instants import Instant
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
        self._requests: PendingRequests[EdgeKey, PendingSlotQuery] = PendingRequests(host)

    @property
    def is_available(self) -> bool:
        """True if this process has a timetable host."""
        return self._requests.has_host

    def __contains__(self, key: EdgeKey) -> bool:
        return key in self._requests

    def reset(self) -> None:
        """Forgets all queries: their answers are ignored."""
        self._requests.reset()

    def submit(self, query: PendingSlotQuery, dag: Dag, edge: Edge, up: UpstreamDag) -> None:
        """Sends the query to the host; `collect` returns the answer in a later round."""
        is_of_down = not query.down.timetable.builtin
        self._requests.submit(
            query.key,
            query,
            TimetableRequest(
                function=UPSTREAM_SLOTS,
                timetable=(query.down if is_of_down else query.up).timetable,
                file=dag.record.file if is_of_down else up.file,
                input_hash=dag.record.input_hash if is_of_down else up.input_hash,
                imports_author_files=True,
                arguments=pack_arguments(
                    dependency=edge.dependency,
                    down=query.down,
                    up=query.up,
                    ats=tuple(query.ats.values()),
                    past=query.history,
                ),
            ),
        )

    def collect(self) -> list[tuple[PendingSlotQuery, TimetableResponse]]:
        """The queries that were answered since the last call, with their answers."""
        return [(answered.subject, answered.response) for answered in self._requests.collect()]

    def wake_at(self, now: Instant) -> Instant | None:
        """When to call `collect` without a wake-up; None if that is not needed."""
        return self._requests.wake_at(now)


def with_history(query: PendingSlotQuery, past: RecordedSlots) -> PendingSlotQuery:
    """The same query with the history that the host needs to answer it."""
    return replace(query, history=past)
