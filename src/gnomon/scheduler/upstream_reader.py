"""The other side of an edge as the store has it: the upstream's timetable, and as much of its past as a question looks at."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

import msgspec

from gnomon.dependencies.upstream_query import (
    SIDE_US,
    DagSide,
    Dependency,
    RecordedSlots,
    TimeRange,
    count_needed_slots,
)
from gnomon.engine.state.task_instance import Dag
from gnomon.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec
from gnomon.model.upstream_edges import AfterSpec, Edge
from gnomon.store import Transaction
from gnomon.store.cross_dag import upstream_dags
from gnomon.store.cross_dag.upstream_dags import UpstreamDag
from gnomon.timetables.registry import build

_T = TypeVar("_T")

SLOTS_MAX = 60_000
"""Slots that all edges remember together, about 20 MB; the edge that was looked at first leaves."""


class SlotsUnavailable(Exception):
    """The slots of an edge cannot be found now: the sentence names thing, place and remedy."""


def resolve_or_raise(question: Callable[[], _T]) -> _T:
    """What the rules answer; CannotTell, in their words, where they have no answer."""
    try:
        return question()
    except (ValueError, PlanningError, AirflowTimetableInvalid) as error:
        raise SlotsUnavailable(str(error)) from error


class UpstreamReader:
    """DAGs read in one transaction, each once."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self._found: dict[str, UpstreamDag | None] = {}

    def find(self, dag_id: str) -> UpstreamDag | None:
        """The DAG, None when there is none; CannotTell when its version cannot be read."""
        if dag_id not in self._found:
            try:
                self._found[dag_id] = upstream_dags.find_upstream_dag(self.tx, dag_id)
            except (msgspec.MsgspecError, zlib.error) as error:
                raise SlotsUnavailable(f"DAG {dag_id} cannot be read ({error}); let its file be parsed again") from error
        return self._found[dag_id]

    def read_history(self, up: UpstreamDag, stretch: TimeRange) -> RecordedSlots:
        """What ran in that stretch. The cursor was read before: what it passed since is not taken for absent."""
        slots = upstream_dags.list_slots_with_runs(self.tx, up.dag_pk, stretch.start, stretch.end)
        return RecordedSlots(tuple(slots), up.decided_until)

    def read_history_for(self, up: UpstreamDag, dependency: Dependency, ats: Collection[Instant]) -> RecordedSlots:
        """What these runs look at: whole days, or parts of them where the upstream has very many slots a day."""
        stretch = resolve_or_raise(lambda: dependency.partial_window(ats))
        if stretch is None:
            return self.read_history(up, resolve_or_raise(lambda: dependency.windows(ats)))
        return self._read_partial_history(up, dependency, stretch)

    def read_own_history(
        self, up: UpstreamDag, after: AfterSpec, ats: Iterable[Instant], dependency: Dependency | None = None
    ) -> RecordedSlots:
        """What a DAG that waits for itself looks at, for all of these runs; whole days where no `dependency` is given."""
        moments = sorted(ats)
        before = self._slots_before(up, moments[0], count_needed_slots(after))
        if len(before) < count_needed_slots(after):
            return self.read_history(up, TimeRange(0, moments[-1] + SIDE_US))
        is_decided = up.decided_until is not None and before[-1] <= up.decided_until
        if dependency is not None and dependency.uses_partial_days and is_decided:
            return self._read_partial_history(up, dependency, dependency.widen(TimeRange(before[0], moments[-1] + 1)))
        return self.read_history(up, TimeRange(before[0] - SIDE_US, moments[-1] + SIDE_US))

    def _slots_before(self, up: UpstreamDag, at: Instant, most: int) -> list[Instant]:
        return upstream_dags.list_slots_before(self.tx, up.dag_pk, at, most)

    def _read_partial_history(self, up: UpstreamDag, dependency: Dependency, stretch: TimeRange) -> RecordedSlots:
        """What ran in a part of days, and which of these days have seen another timetable."""
        changed: tuple[int, ...] = ()
        left = dependency.uncompared_range(stretch, up.decided_until)
        if left is not None:
            recorded = self.read_history(up, left).slots
            changed = resolve_or_raise(lambda: dependency.compare(left, recorded))
        return msgspec.structs.replace(self.read_history(up, stretch), changed=changed)


class DependencyCache:
    """Edges between timetables of our own, with the days that they remember."""

    def __init__(self) -> None:
        self._known: dict[bytes, Dependency] = {}
        self._counted: dict[bytes, int] = {}
        """Slots that each edge had when it was looked at last; an edge without any counts as one."""
        self._slots = 0

    def reset(self) -> None:
        self._known, self._counted, self._slots = {}, {}, 0

    def get_dependency(self, after: AfterSpec, down: DagSide, up: DagSide) -> Dependency:
        """The edge, as the one that was looked at last."""
        key = msgspec.msgpack.encode((after, down, up))
        dependency = self._known.pop(key, None)
        self._slots -= self._counted.pop(key, 0)
        if dependency is None:
            dependency = Dependency(after, down, up, build(down.timetable), build(up.timetable))
        self._known[key] = dependency
        self._counted[key] = max(dependency.cached_slot_count, 1)
        self._slots += self._counted[key]
        while self._slots > SLOTS_MAX and len(self._known) > 1:
            oldest = next(iter(self._known))
            del self._known[oldest]
            self._slots -= self._counted.pop(oldest)
        return dependency


def build_sides(dag: Dag, edge: Edge, up: UpstreamDag) -> tuple[DagSide, DagSide]:
    """Both DAGs of an edge as the rules see them."""
    return (
        _build_side(dag.record.dag_id, dag.graph.spec, dag.record.file),
        _build_side(edge.after.dag_id, up.spec, up.file),
    )


def _build_side(dag_id: str, spec: DagSpec, file: str) -> DagSide:
    return DagSide(
        dag_id=dag_id, timetable=spec.timetable, file=None if spec.timetable.builtin else file, timezone=spec.timezone,
        start_at=spec.start_at, end_at=spec.end_at,
    )
