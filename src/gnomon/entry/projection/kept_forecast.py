"""A forecast that follows another one: only DAGs that have to do with what has changed meanwhile are drawn again.

What a DAG does in a future depends on itself, on the DAGs that it is connected with, on the seed, and on slots, which only matter where they are too few. So the runs of a group of connected DAGs are
those of the last forecast if nothing of them is different in the store and none of their runs has begun or is due. The slots that they take at most are known. Where those that are drawn again might have to wait for
one of these, all are drawn again. `tests/simulation/test_kept_forecast.py` proves that the answer is that of a forecast without a past.

Of futures that were fewer than asked for, because more would have taken too long, the next forecasts draw more, until all are there.
"""

from __future__ import annotations

import operator
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.entry.projection.connected_dags import group_connected
from gnomon.entry.projection.divided_projection import SlotsRunOut
from gnomon.entry.projection.forecast import (
    Drawing,
    ForecastCollector,
    ForecastRow,
    Future,
    SampledForecast,
    draw_futures,
    list_assumptions,
    sort_rows,
)
from gnomon.entry.projection.futures import KeptParts, find_capacity_of
from gnomon.entry.projection.independent_dags import Resource, list_mixed_pools
from gnomon.entry.projection.run_ends import RunEnds
from gnomon.entry.projection.run_widths import bound_widths
from gnomon.entry.projection.slot_demand import SlotDemand
from gnomon.entry.projection.snapshot import Snapshot
from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec
from gnomon.services.scheduler.settings import SchedulerSettings


class ForecastObserver(Protocol):
    """Sees the futures of a forecast."""

    def begin(self, drawn: Collection[str] | None) -> None:
        """These DAGs are drawn again, in as many futures as there were; None: all are, and nothing that was seen before counts."""

    def add(self, future: Future) -> None:
        """A future of these DAGs."""

    def add_whole(self, future: Future) -> None:
        """A future of all DAGs, beside those that there were."""


@dataclass
class _Drawn:
    """What futures say."""

    runs: ForecastCollector = field(default_factory=lambda: ForecastCollector(with_tasks=False))
    later: ForecastCollector = field(default_factory=lambda: ForecastCollector(with_tasks=False))
    reached: list[Instant] = field(default_factory=list)
    """By future: until then all runs are known that have begun."""

    def add(self, future: Future) -> None:
        """One more future."""
        self.runs.add(future)
        self.later.add(replace(future, runs=future.later))
        self.reached.append(future.reached)


@dataclass
class _DagForecast:
    """What the last forecast said of one DAG."""

    rows: list[ForecastRow] = field(default_factory=list)
    spans: list[tuple[Instant, Instant]] = field(default_factory=list)
    """In which its runs take slots, in any future."""
    first_at: Instant | None = None
    """When the first of its runs is created, in any future."""
    assumed: list[str] = field(default_factory=list)
    """Its tasks whose duration had to be assumed."""
    widths: Mapping[Resource, int] = field(default_factory=dict)
    """The most slots that one of its runs takes."""


@dataclass
class _Kept:
    """The last forecast, and what it was made of."""

    snapshot: Snapshot
    settings: SchedulerSettings
    until: Instant
    drawing: Drawing
    """With as many samples as there were."""
    wanted_samples: int
    dags: dict[str, _DagForecast]
    drawn: _Drawn | None
    """All that the futures say, while there are fewer than asked for: more will be added."""
    reached: list[Instant]
    contended: frozenset[Resource]
    """The pools (None: all workers) of which DAGs may have waited for one another."""


class KeptForecast:
    """Makes forecasts of one deployment, one after another, and keeps the last one. `clock`: measures how long drawing takes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: _Kept | None = None
        self._ends: RunEnds | None = None
        self.drawn: set[str] | None = None
        """The DAGs that the newest forecast drew; None: all."""

    @property
    def is_complete(self) -> bool:
        """Whether there are as many futures as were asked for."""
        return self._kept is not None and self._kept.drawn is None

    def draw(
        self,
        snapshot: Snapshot,
        settings: SchedulerSettings,
        until: Instant,
        drawing: Drawing,
        timetables: TimetableHost | None,
        observer: ForecastObserver,
        together: Sequence[Collection[str]] = (),
        anew: Collection[str] = (),
    ) -> SampledForecast:
        """A forecast of the snapshot, whose rows are those of runs. `together`: DAG ids in groups, of each of which all are drawn again or none; `anew`: DAGs to be drawn in any case."""
        began, kept = self._clock(), self._kept
        same_models = set[str]() if kept is None else _find_same_models(kept.snapshot, snapshot)
        parts = KeptParts(self._find_ends(snapshot, drawing, same_models))
        draw = _Draw(snapshot, settings, until, drawing, timetables, parts, observer, self._clock)
        self.drawn = (
            None
            if kept is None
            else _find_changed(kept, snapshot, settings, until, drawing, together, same_models, anew)
        )
        self._kept = None if kept is None or self.drawn is None else draw.again(kept, self.drawn, began)
        if self._kept is None:
            self.drawn = None
            self._kept = draw.all()
        return _build_answer(self._kept)

    def _find_ends(self, snapshot: Snapshot, drawing: Drawing, same_models: Collection[str]) -> RunEnds:
        """The ends of runs that were drawn before and still hold."""
        kept, ends = self._kept, self._ends
        if (
            ends is None
            or kept is None
            or _describe_draws(kept.drawing, kept.wanted_samples) != _describe_draws(drawing, drawing.samples)
        ):
            ends = self._ends = RunEnds(drawing.samples)
        else:
            before = {dag.dag_id: dag for dag in kept.snapshot.state.dags}
            now = {dag.dag_id: dag for dag in snapshot.state.dags}
            for dag_id in before.keys() | now.keys():
                was, dag = before.get(dag_id), now.get(dag_id)
                if was is None or dag is None or was.spec != dag.spec or dag_id not in same_models:
                    ends.forget_dag(dag_id)
        ends.forget_past(snapshot.at)
        return ends


@dataclass(frozen=True)
class _Draw:
    """How a forecast is drawn, in which some DAGs or all are drawn again."""

    snapshot: Snapshot
    settings: SchedulerSettings
    until: Instant
    drawing: Drawing
    timetables: TimetableHost | None
    parts: KeptParts
    observer: ForecastObserver
    clock: Callable[[], float]

    def all(self) -> _Kept:
        """All DAGs."""
        self.observer.begin(None)
        drawn = _Drawn()
        self._add(drawn, self.snapshot, self.drawing, self.observer.add)
        return self._keep(drawn, _describe_dags(drawn, self.snapshot))

    def again(self, kept: _Kept, changed: set[str], began: float) -> _Kept | None:
        """What was kept, with these DAGs drawn again, and more futures where there are too few; None: that does not do."""
        snapshot = self.snapshot
        same = {dag.dag_pk: dag.dag_id for dag in snapshot.state.dags if dag.dag_id not in changed}
        others = {dag_id: kept.dags[dag_id] for dag_id in same.values() if dag_id in kept.dags}
        if kept.drawn is not None and not others:
            return None
        self.parts.taken = _measure_demand(snapshot, others, kept.contended)
        self.observer.begin(changed)
        again = _Drawn()
        try:
            self._add(again, snapshot.leave_out(same.keys()), kept.drawing, self.observer.add)
        except SlotsRunOut:
            return None
        if len(again.reached) < len(kept.reached) or any(map(operator.gt, again.reached, kept.reached)):
            return None
        self.parts.taken = None
        if kept.drawn is None:
            dags = others | _describe_dags(again, snapshot)
            return replace(kept, snapshot=snapshot, dags=dags, contended=_find_contended(snapshot, self.settings, dags))
        gone = changed | (kept.dags.keys() - set(same.values()))
        drawn = kept.drawn
        drawn.runs.replace(gone, again.runs)
        drawn.later.replace(gone, again.later)
        remaining_s = self.drawing.max_s - (self.clock() - began)
        self._add(drawn, snapshot, replace(self.drawing, max_s=remaining_s), self.observer.add_whole)
        return self._keep(drawn, _describe_dags(drawn, snapshot))

    def _add(self, drawn: _Drawn, snapshot: Snapshot, drawing: Drawing, observe: Callable[[Future], object]) -> None:
        """The futures that are missing, of this part of the snapshot."""
        first = len(drawn.reached)
        for future in draw_futures(
            snapshot, self.settings, self.until, drawing, self.timetables, self.clock, self.parts, first
        ):
            drawn.add(future)
            observe(future)

    def _keep(self, drawn: _Drawn, dags: dict[str, _DagForecast]) -> _Kept:
        samples = len(drawn.reached)
        return _Kept(
            self.snapshot,
            self.settings,
            self.until,
            replace(self.drawing, samples=samples),
            self.drawing.samples,
            dags,
            drawn if samples < self.drawing.samples else None,
            drawn.reached,
            _find_contended(self.snapshot, self.settings, dags),
        )


def _describe_dags(drawn: _Drawn, snapshot: Snapshot) -> dict[str, _DagForecast]:
    dags: dict[str, _DagForecast] = defaultdict(_DagForecast)
    for row in drawn.runs.list_rows():
        dags[row.dag_id].rows.append(row)
    for collector in (drawn.runs, drawn.later):
        for dag_id, begin, end, queued_at in collector.list_spans():
            dag = dags[dag_id]
            if begin is not None:
                dag.spans.append((begin, max(drawn.reached) if end is None else end))
            dag.first_at = queued_at if dag.first_at is None else min(dag.first_at, queued_at)
    for dag_id, task_id in drawn.runs.assumed:
        dags[dag_id].assumed.append(task_id)
    for record in snapshot.state.dags:
        if record.dag_id in dags:
            dags[record.dag_id].widths = bound_widths(record.spec)
    return dict(dags)


def _build_answer(kept: _Kept) -> SampledForecast:
    assumed = [(dag_id, task_id) for dag_id, dag in kept.dags.items() for task_id in dag.assumed]
    return SampledForecast(
        kept.snapshot.at,
        kept.until,
        sort_rows(row for dag in kept.dags.values() for row in dag.rows),
        kept.drawing.samples,
        kept.wanted_samples,
        list_assumptions(kept.snapshot, assumed, kept.drawing.assumed_s),
    )


def _measure_demand(
    snapshot: Snapshot, dags: Mapping[str, _DagForecast], without: Collection[Resource] = ()
) -> SlotDemand:
    """The slots of pools with a limit, and of all workers, that these DAGs take at most."""
    limited = {None, *(pool.name for pool in snapshot.pools if pool.slots >= 0)}.difference(without)
    demand = SlotDemand()
    for dag in dags.values():
        for resource, width in dag.widths.items():
            if resource in limited:
                demand.add(resource, width, dag.spans)
    return demand


def _find_contended(
    snapshot: Snapshot, settings: SchedulerSettings, dags: Mapping[str, _DagForecast]
) -> frozenset[Resource]:
    peaks, capacity = _measure_demand(snapshot, dags).find_peaks(), find_capacity_of(snapshot, settings)
    return frozenset(resource for resource, peak in peaks.items() if peak > capacity[resource])


# ---- what has changed ------------------------------------------------------------------------------------------------------
def _find_changed(
    kept: _Kept,
    snapshot: Snapshot,
    settings: SchedulerSettings,
    until: Instant,
    drawing: Drawing,
    together: Sequence[Collection[str]],
    same_models: Collection[str],
    anew: Collection[str],
) -> set[str] | None:
    """The DAGs that have to do with what has changed; None: all."""
    before = kept.snapshot
    has_same_world = (
        kept.until == until
        and kept.settings == settings
        and _describe_draws(kept.drawing, kept.wanted_samples) == _describe_draws(drawing, drawing.samples)
        and kept.drawing.tasks_of == drawing.tasks_of
        and [(pool.name, pool.slots, pool.include_deferred) for pool in before.pools]
        == [(pool.name, pool.slots, pool.include_deferred) for pool in snapshot.pools]
        and _describe_workers(before) == _describe_workers(snapshot)
        and before.state.raised_priorities == snapshot.state.raised_priorities
    )
    if not has_same_world:
        return None
    same = set(_list_same(kept, snapshot, same_models)).difference(anew)
    dags = (*before.state.dags, *snapshot.state.dags)
    shared = kept.contended | list_mixed_pools(dag.spec for dag in dags)

    def list_shared(spec: DagSpec) -> list[str]:
        slots = [f"slots {resource}" for resource in bound_widths(spec) if resource in shared] if shared else []
        return slots + [f"together {number}" for number, dag_ids in enumerate(together) if spec.dag_id in dag_ids]

    groups = group_connected(dags, list_shared)
    return {dag_id for group in groups if not same.issuperset(group) for dag_id in group}


def _describe_workers(snapshot: Snapshot) -> list[str]:
    return sorted(f"{worker.slots} {worker.lost} {worker.queues}" for worker in snapshot.workers)


def _list_same(kept: _Kept, snapshot: Snapshot, same_models: Collection[str]) -> Iterator[str]:
    """The DAGs of which nothing is different in the store, and of which no run has begun or is due."""
    before, now = kept.snapshot, snapshot
    known = {dag.dag_pk: dag for dag in before.state.dags}
    busy = {run.dag_pk for state in (before.state, now.state) for run in state.runs}
    busy |= {backfill.dag_pk for state in (before.state, now.state) for backfill in state.backfills}
    for dag in now.state.dags:
        dag_pk = dag.dag_pk
        drawn = kept.dags.get(dag.dag_id)
        if (
            dag_pk not in busy
            and dag == known.get(dag_pk)
            and dag.spec.timetable.builtin
            and dag.dag_id in same_models
            and (drawn is None or drawn.first_at is None or drawn.first_at > now.at)
            and before.past_slots.get(dag_pk) == now.past_slots.get(dag_pk)
            and before.queued_events.get(dag_pk) == now.queued_events.get(dag_pk)
            and before.newest_ends.get(dag_pk) == now.newest_ends.get(dag_pk)
            and before.state.previous_runs.get(dag_pk) == now.state.previous_runs.get(dag_pk)
        ):
            yield dag.dag_id


def _find_same_models(before: Snapshot, now: Snapshot) -> set[str]:
    """The DAGs whose tasks take as long as before."""
    changed = {
        task
        for models, others in ((before.models, now.models), (now.models, before.models))
        for task, model in models.items()
        if task not in others or others[task] != model
    }
    changed |= {task for task, _ in before.expected_s.items() ^ now.expected_s.items()}
    dag_ids = {dag_id for dag_id, _ in changed}
    return {dag.dag_id for dag in now.state.dags if dag.dag_id not in dag_ids}


def _describe_draws(drawing: Drawing, samples: int) -> tuple[object, ...]:
    """What decides how long a try takes in each future."""
    return drawing.seed, drawing.assumed_s, samples
