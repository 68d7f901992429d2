"""The other side of an edge as the store has it: the upstream's timetable, and as much of its past as a question looks at."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

import msgspec

from gnomon.dependencies.asked import SIDE_US, Dependency, Past, Side, Stretch, newest
from gnomon.engine.cells import Dag
from gnomon.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.edges import AfterSpec, Edge
from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec
from gnomon.store import Transaction, upstream
from gnomon.store.upstream import Upstream
from gnomon.timetables.registry import build

_T = TypeVar("_T")

SLOTS_MAX = 60_000
"""Slots that all edges remember together, about 20 MB; the edge that was looked at first leaves."""


class CannotTell(Exception):
    """The slots of an edge cannot be found now: the sentence names thing, place and remedy."""


def told(question: Callable[[], _T]) -> _T:
    """What the rules answer; CannotTell, in their words, where they have no answer."""
    try:
        return question()
    except (ValueError, PlanningError, AirflowTimetableInvalid) as error:
        raise CannotTell(str(error)) from error


class Upstreams:
    """DAGs read in one transaction, each once."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx
        self._found: dict[str, Upstream | None] = {}

    def find(self, dag_id: str) -> Upstream | None:
        """The DAG, None when there is none; CannotTell when its version cannot be read."""
        if dag_id not in self._found:
            try:
                self._found[dag_id] = upstream.find(self.tx, dag_id)
            except (msgspec.MsgspecError, zlib.error) as error:
                raise CannotTell(f"DAG {dag_id} cannot be read ({error}); let its file be parsed again") from error
        return self._found[dag_id]

    def past(self, up: Upstream, stretch: Stretch) -> Past:
        """What ran in that stretch. The cursor was read before: what it passed since is not taken for absent."""
        slots = upstream.slots_with_runs(self.tx, up.dag_pk, stretch.start, stretch.end)
        return Past(tuple(slots), up.decided)

    def past_for(self, up: Upstream, dependency: Dependency, ats: Collection[Instant]) -> Past:
        """What these runs look at: whole days, or parts of them where the upstream has very many slots a day."""
        stretch = told(lambda: dependency.stretch(ats))
        if stretch is None:
            return self.past(up, told(lambda: dependency.windows(ats)))
        return self._part(up, dependency, stretch)

    def past_of_itself(
        self, up: Upstream, after: AfterSpec, ats: Iterable[Instant], dependency: Dependency | None = None
    ) -> Past:
        """What a DAG that waits for itself looks at, for all of these runs; whole days where no `dependency` is given."""
        moments = sorted(ats)
        before = self._before(up, moments[0], newest(after))
        if len(before) < newest(after):
            return self.past(up, Stretch(0, moments[-1] + SIDE_US))
        is_decided = up.decided is not None and before[-1] <= up.decided
        if dependency is not None and dependency.looks_at_stretches and is_decided:
            return self._part(up, dependency, dependency.widened(Stretch(before[0], moments[-1] + 1)))
        return self.past(up, Stretch(before[0] - SIDE_US, moments[-1] + SIDE_US))

    def _before(self, up: Upstream, at: Instant, most: int) -> list[Instant]:
        return upstream.slots_before(self.tx, up.dag_pk, at, most)

    def _part(self, up: Upstream, dependency: Dependency, stretch: Stretch) -> Past:
        """What ran in a part of days, and which of these days have seen another timetable."""
        changed: tuple[int, ...] = ()
        left = dependency.uncompared(stretch, up.decided)
        if left is not None:
            recorded = self.past(up, left).slots
            changed = told(lambda: dependency.compare(left, recorded))
        return msgspec.structs.replace(self.past(up, stretch), changed=changed)


class Known:
    """Edges between timetables of our own, with the days that they remember."""

    def __init__(self) -> None:
        self._known: dict[bytes, Dependency] = {}
        self._counted: dict[bytes, int] = {}
        """Slots that each edge had when it was looked at last; an edge without any counts as one."""
        self._slots = 0

    def forget(self) -> None:
        self._known, self._counted, self._slots = {}, {}, 0

    def of(self, after: AfterSpec, down: Side, up: Side) -> Dependency:
        """The edge, as the one that was looked at last."""
        key = msgspec.msgpack.encode((after, down, up))
        dependency = self._known.pop(key, None)
        self._slots -= self._counted.pop(key, 0)
        if dependency is None:
            dependency = Dependency(after, down, up, build(down.timetable), build(up.timetable))
        self._known[key] = dependency
        self._counted[key] = max(dependency.remembered, 1)
        self._slots += self._counted[key]
        while self._slots > SLOTS_MAX and len(self._known) > 1:
            oldest = next(iter(self._known))
            del self._known[oldest]
            self._slots -= self._counted.pop(oldest)
        return dependency


def sides_of(dag: Dag, edge: Edge, up: Upstream) -> tuple[Side, Side]:
    """Both DAGs of an edge as the rules see them."""
    return (
        _side(dag.record.dag_id, dag.graph.spec, dag.record.file),
        _side(edge.after.dag_id, up.spec, up.file),
    )


def _side(dag_id: str, spec: DagSpec, file: str) -> Side:
    return Side(
        dag_id=dag_id, timetable=spec.timetable, file=None if spec.timetable.builtin else file, timezone=spec.timezone,
        start_at=spec.start_at, end_at=spec.end_at,
    )
