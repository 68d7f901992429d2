"""Edges with an author's timetable: the question goes to a host, the answer comes with a later round."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gnomon.dependencies.upstream_query import DagSide, RecordedSlots
from gnomon.engine.state.task_instance import Dag
from gnomon.model.instants import SECOND, Instant
from gnomon.model.upstream_edges import Edge
from gnomon.store.cross_dag.upstream_dags import UpstreamDag
from gnomon.timetable_host import UPSTREAM_SLOTS, TimetableHost, TimetableRequest, TimetableResponse, pack_arguments

EdgeKey = tuple[int, int]
"""(dag_pk, edge_no)"""


@dataclass(frozen=True, slots=True)
class PendingSlotQuery:
    """Runs of one DAG, one edge of it, and both DAGs as they were when it was asked."""

    key: EdgeKey
    ats: dict[int, Instant]
    """By run_pk: its planned time."""
    down: DagSide
    up: DagSide
    history: RecordedSlots | None = None
    """None: it was asked how much of it there should be."""


class AuthorSlotQueries:
    """The questions that are under way, at most one an edge: one that hangs does not hang a thousand times."""

    def __init__(self, host: TimetableHost | None) -> None:
        self._host = host
        self._asked: dict[int, PendingSlotQuery] = {}
        self._under_way: dict[EdgeKey, int] = {}
        self._last = 0

    @property
    def is_available(self) -> bool:
        """Whether this process can ask."""
        return self._host is not None

    def __contains__(self, key: EdgeKey) -> bool:
        return key in self._under_way

    def reset(self) -> None:
        """No answer counts any more."""
        self._asked, self._under_way = {}, {}

    def submit(self, asked: PendingSlotQuery, dag: Dag, edge: Edge, up: UpstreamDag) -> None:
        """Its answer will be collected."""
        assert self._host is not None
        self._last += 1
        self._asked[self._last] = asked
        self._under_way[asked.key] = self._last
        is_of_down = not asked.down.timetable.builtin
        self._host.ask(TimetableRequest(
            number=self._last, function=UPSTREAM_SLOTS, timetable=(asked.down if is_of_down else asked.up).timetable,
            file=dag.record.file if is_of_down else up.file,
            input_hash=dag.record.input_hash if is_of_down else up.input_hash, imports_author_files=True,
            arguments=pack_arguments(after=edge.after, down=asked.down, up=asked.up, ats=tuple(asked.ats.values()), past=asked.history),
        ))

    def collect(self) -> list[tuple[PendingSlotQuery, TimetableResponse]]:
        """What has been answered since the last call."""
        found = []
        for answer in self._host.collect() if self._host is not None else ():
            asked = self._asked.pop(answer.number, None)
            if asked is not None and self._under_way.get(asked.key) == answer.number:
                del self._under_way[asked.key]
                found.append((asked, answer))
        return found

    def wake_at(self, now: Instant) -> Instant | None:
        """When to look for answers though nobody rang."""
        seconds = self._host.wake_in_s() if self._host is not None else None
        return None if seconds is None else now + int(seconds * SECOND)


def with_history(asked: PendingSlotQuery, past: RecordedSlots) -> PendingSlotQuery:
    """The same question, with the past that it takes."""
    return replace(asked, history=past)
