"""The other side of an edge as the store has it: the upstream's timetable, and as much of its past as a question looks at."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
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

KNOWN_MAX = 64
"""Edges whose days are remembered; the one that was looked at first leaves."""
ANSWERS_MAX = 128
"""After so many answers an edge forgets its days: a minute timetable has many."""


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
        return Past(tuple(slots), None if up.cursor is None else up.cursor.run_after)

    def past_of_itself(self, up: Upstream, after: AfterSpec, ats: Iterable[Instant]) -> Past:
        """What a DAG that waits for itself looks at, for all of these runs."""
        moments = sorted(ats)
        before = upstream.slots_before(self.tx, up.dag_pk, moments[0], newest(after))
        start = before[0] - SIDE_US if len(before) == newest(after) else 0
        return self.past(up, Stretch(start, moments[-1] + SIDE_US))


class Known:
    """Edges between timetables of our own, with the days that they remember."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[Dependency, int]] = {}

    def forget(self) -> None:
        self._known = {}

    def of(self, after: AfterSpec, down: Side, up: Side, answers: int) -> Dependency:
        """The edge, for so many answers."""
        key = msgspec.msgpack.encode((after, down, up))
        dependency, given = self._known.pop(key, (None, 0))
        if dependency is None or given + answers > ANSWERS_MAX:
            dependency, given = Dependency(after, down, up, build(down.timetable), build(up.timetable)), 0
        if len(self._known) >= KNOWN_MAX:
            del self._known[next(iter(self._known))]
        self._known[key] = (dependency, given + answers)
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
