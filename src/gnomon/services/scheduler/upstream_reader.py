"""Reads the upstream side of an edge: its timetable, and the part of its history that a query needs."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

import msgspec

from gnomon.model.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec
from gnomon.model.upstream_edges import DependencySpec, Edge
from gnomon.rules.dependencies.upstream_query import (
    SIDE_US,
    DagSide,
    EdgeTimetables,
    RecordedSlots,
    TimeRange,
    count_needed_slots,
)
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.rules.planning import has_fixed_slots
from gnomon.rules.timetables.registry import build
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import upstream_dags
from gnomon.storage.store.dag_records.upstream_dags import UpstreamDag

_T = TypeVar("_T")

SLOTS_MAX = 60_000
"""Most slots in the cache of all edges together, about 20 MB; the least recently used edge is evicted first."""


class SlotsUnavailable(Exception):
    """The slots of an edge cannot be found now; the message says why and what to do."""


def resolve_or_raise(question: Callable[[], _T]) -> _T:
    """The result of `question`. Raises SlotsUnavailable with the message of the rules if they have no answer."""
    try:
        return question()
    except (ValueError, PlanningError, AirflowTimetableInvalid) as error:
        raise SlotsUnavailable(str(error)) from error


class UpstreamReader:
    """Reads upstream DAGs and their history in one transaction, each DAG once."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self._found: dict[str, UpstreamDag | None] = {}

    def find(self, dag_id: str) -> UpstreamDag | None:
        """The DAG; None if it does not exist. Raises SlotsUnavailable if its version cannot be read."""
        if dag_id not in self._found:
            try:
                self._found[dag_id] = upstream_dags.find_upstream_dag(self.tx, dag_id)
            except (msgspec.MsgspecError, zlib.error) as error:
                raise SlotsUnavailable(
                    f"DAG {dag_id} cannot be read ({error}); save its file, so that it is parsed again"
                ) from error
        return self._found[dag_id]

    def read_history(self, up: UpstreamDag, time_range: TimeRange) -> RecordedSlots:
        """The slots with runs in that range. The cursor is the older value read by `find`: slots passed since are not absent."""
        slots = upstream_dags.list_slots_with_runs(self.tx, up.dag_pk, time_range.start, time_range.end)
        return RecordedSlots(tuple(slots), up.decided_until)

    def read_history_for(self, up: UpstreamDag, timetables: EdgeTimetables, ats: Collection[Instant]) -> RecordedSlots:
        """The history that these runs need: whole days, or parts of days if the upstream has many slots per day."""
        time_range = resolve_or_raise(lambda: timetables.partial_window(ats))
        if time_range is None:
            return self.read_history(up, resolve_or_raise(lambda: timetables.windows(ats)))
        return self._read_partial_history(up, timetables, time_range)

    def read_own_history(
        self,
        up: UpstreamDag,
        dependency: DependencySpec,
        ats: Iterable[Instant],
        timetables: EdgeTimetables | None = None,
    ) -> RecordedSlots:
        """The history that these runs of a DAG that waits for itself need; whole days if `timetables` is None."""
        moments = sorted(ats)
        before = self._slots_before(up, moments[0], count_needed_slots(dependency))
        if len(before) < count_needed_slots(dependency):
            return self.read_history(up, TimeRange(0, moments[-1] + SIDE_US))
        is_decided = up.decided_until is not None and before[-1] <= up.decided_until
        if timetables is not None and timetables.uses_partial_days and is_decided:
            return self._read_partial_history(up, timetables, timetables.widen(TimeRange(before[0], moments[-1] + 1)))
        return self.read_history(up, TimeRange(before[0] - SIDE_US, moments[-1] + SIDE_US))

    def _slots_before(self, up: UpstreamDag, at: Instant, most: int) -> list[Instant]:
        return upstream_dags.list_slots_before(self.tx, up.dag_pk, at, most)

    def _read_partial_history(
        self, up: UpstreamDag, timetables: EdgeTimetables, time_range: TimeRange
    ) -> RecordedSlots:
        """The slots with runs in a part of days, and the days on which runs do not match the present timetable."""
        changed: tuple[int, ...] = ()
        remaining_range = timetables.uncompared_range(time_range, up.decided_until)
        if remaining_range is not None:
            recorded = self.read_history(up, remaining_range).slots
            changed = resolve_or_raise(lambda: timetables.compare(remaining_range, recorded))
        return msgspec.structs.replace(self.read_history(up, time_range), changed=changed)


class EdgeTimetablesCache:
    """A cache of edges between built-in timetables, with the days that they have computed. Least recently used first."""

    def __init__(self) -> None:
        self._known: dict[bytes, EdgeTimetables] = {}
        self._counted: dict[bytes, int] = {}
        """The slots of each edge at its last use; an edge without slots counts as one."""
        self._slots = 0

    def reset(self) -> None:
        """Empties the cache."""
        self._known, self._counted, self._slots = {}, {}, 0

    def get_timetables(self, dependency: DependencySpec, down: DagSide, up: DagSide) -> EdgeTimetables:
        """The edge, from the cache or new; it becomes the most recently used one."""
        key = msgspec.msgpack.encode((dependency, down, up))
        timetables = self._known.pop(key, None)
        self._slots -= self._counted.pop(key, 0)
        if timetables is None:
            timetables = EdgeTimetables(dependency, down, up, build(down.timetable), build(up.timetable))
        self._known[key] = timetables
        self._counted[key] = max(timetables.cached_slot_count, 1)
        self._slots += self._counted[key]
        while self._slots > SLOTS_MAX and len(self._known) > 1:
            oldest = next(iter(self._known))
            del self._known[oldest]
            self._slots -= self._counted.pop(oldest)
        return timetables


def build_sides(dag: Dag, edge: Edge, up: UpstreamDag) -> tuple[DagSide, DagSide]:
    """The downstream and the upstream DAG of an edge, as the rules take them."""
    backfilled = min((queue.record.from_at for queue in dag.backfills.values()), default=None)
    return (
        _build_side(dag.record.dag_id, dag.graph.spec, dag.record.file, backfilled),
        _build_side(edge.dependency.dag_id, up.spec, up.file, up.backfilled_from),
    )


def _build_side(dag_id: str, spec: DagSpec, file: str, backfilled_from: Instant | None) -> DagSide:
    """The DAG. Backfills have slots before its start date too, except where slots are counted from that date."""
    start_at = spec.start_at
    if start_at is not None and backfilled_from is not None and has_fixed_slots(spec.timetable):
        start_at = min(start_at, backfilled_from)
    return DagSide(
        dag_id=dag_id,
        timetable=spec.timetable,
        file=None if spec.timetable.builtin else file,
        timezone=spec.timezone,
        start_at=start_at,
        end_at=spec.end_at,
    )
