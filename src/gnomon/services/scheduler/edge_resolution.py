"""Finds the upstream slots that runs wait for, in bounded rounds (docs/decisions/0009-waits-between-dags.md).

The engine names the edges of runs whose slots are not known (`StepResult.unresolved_edges`). Each gets a `SlotsResolved`
event: at once where both timetables are built in, in a later round where one is an author's. Open edges are not stored:
the scheduler that loads the runs enqueues them again.

When a dependency has no answer, or a timetable fails, the error becomes the reason why the runs wait. The edge is tried
again every PLAN_RETRY_S seconds and with the next version of the DAG. No other DAG is affected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from gnomon.author_code.timetable_host import TimetableHost, TimetableResponse, check_answer, unpack_value
from gnomon.ground import log
from gnomon.model.errors import ConfigurationError, ResourceUnavailable
from gnomon.model.instants import SECOND, Instant
from gnomon.model.run_waits import SlotFact
from gnomon.model.sentences import render, say
from gnomon.model.upstream_edges import Edge
from gnomon.rules.dependencies.upstream_query import DagSide, ResolvedSlots, UpstreamAnswer, to_history
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import Dag, DagRun
from gnomon.services.scheduler.author_slot_queries import AuthorSlotQueries, EdgeKey, PendingSlotQuery, with_history
from gnomon.services.scheduler.settings import AUTHORED_SPAN_S, PLAN_RETRY_S, RESOLVED_MAX, RESOLVED_SPAN_S
from gnomon.services.scheduler.upstream_reader import (
    EdgeTimetablesCache,
    SlotsUnavailable,
    UpstreamReader,
    build_sides,
    resolve_or_raise,
)
from gnomon.storage.store import Database
from gnomon.storage.store.dag_records import upstream_dags
from gnomon.storage.store.dag_records.upstream_dags import UpstreamDag

_log = log.get_logger("scheduler.edge_resolution")

_NO_HOST = say("timetables_have_no_host")


class _EdgeBatch(NamedTuple):
    """Runs of one DAG whose slots are resolved together for one of its edges."""

    key: EdgeKey
    dag: Dag
    edge: Edge
    ats: dict[int, Instant]
    """Planned time by run_pk, in order of the planned times."""


@dataclass(slots=True)
class _FailedEdge:
    """An edge whose slots could not be found, and the runs that wait for it."""

    error: str
    version_pk: int
    retry_at: Instant
    run_pks: dict[int, None] = field(default_factory=dict)


class EdgeResolver:
    """The edges of runs whose upstream slots are not known yet, and their resolution."""

    def __init__(self, db: Database, engine_state: EngineState, host: TimetableHost | None = None) -> None:
        """`host`: calls author timetables; None if this process has no host."""
        self._db = db
        self._engine_state = engine_state
        self._queries = AuthorSlotQueries(host)
        self._dependencies = EdgeTimetablesCache()
        self._queue: dict[EdgeKey, dict[int, None]] = {}
        """Runs (run_pk) by edge. An edge that still has runs after its batch moves to the end."""
        self._failed: dict[EdgeKey, _FailedEdge] = {}

    def enqueue(self, unresolved: Iterable[tuple[int, int]]) -> None:
        """Adds the (run_pk, edge_no) pairs to the queue; pairs of unknown runs are ignored."""
        for run_pk, edge_no in unresolved:
            run = self._engine_state.runs.get(run_pk)
            if run is not None:
                self._queue.setdefault((run.record.dag_pk, edge_no), {})[run_pk] = None

    def reset(self) -> None:
        """Forgets all edges after the engine state was dropped."""
        self._queue, self._failed = {}, {}
        self._queries.reset()
        self._dependencies.reset()

    def resolve_batch(self, now: Instant) -> list[e.EngineEvent]:
        """Resolves at most RESOLVED_MAX edges of runs and returns the events for the next step of the engine."""
        self._try_failed_again(now)
        answers = self._queries.collect()
        if not answers and not self._is_ready():
            return []
        events: list[e.EngineEvent] = []
        with self._db.read() as tx:
            upstreams = UpstreamReader(tx)
            for query, answer in answers:
                batch = self._rebuild_batch(query)
                if batch is not None:
                    events += self._contain_errors(
                        batch, now, partial(self._on_answer, upstreams, batch, query, answer)
                    )
            remaining = RESOLVED_MAX
            for key in [key for key in self._queue if key not in self._queries]:
                batch = self._take_batch(key, remaining)
                if batch is not None:
                    remaining -= len(batch.ats)
                    events += self._contain_errors(batch, now, partial(self._resolve_edge, upstreams, batch))
                if remaining <= 0:
                    break
        return events

    def wake_at(self, now: Instant) -> Instant | None:
        """When `resolve_batch` has work next; None if no edge is open."""
        if self._is_ready():
            return now
        times = [failed.retry_at for failed in self._failed.values()]
        answers_at = self._queries.wake_at(now)
        return min(times if answers_at is None else [*times, answers_at], default=None)

    def _is_ready(self) -> bool:
        return any(key not in self._queries for key in self._queue)

    def _try_failed_again(self, now: Instant) -> None:
        for key, failed in list(self._failed.items()):
            dag = self._engine_state.dags.get(key[0])
            if failed.retry_at <= now or dag is None or dag.graph.version_pk != failed.version_pk:
                del self._failed[key]
                self._queue.setdefault(key, {}).update(failed.run_pks)

    def _take_batch(self, key: EdgeKey, most: int) -> _EdgeBatch | None:
        """The earliest runs of the edge, at most `most` and planned close together; the others return to the queue."""
        run_pks = self._queue.pop(key)
        subject = self._subject(key)
        ats = sorted(
            (_planned_time_of(run), run.pk)
            for run_pk in run_pks
            if (run := self._engine_state.runs.get(run_pk)) is not None
        )
        if subject is None or not ats:
            return None
        dag, edge = subject
        span_s = RESOLVED_SPAN_S if dag.graph.spec.timetable.builtin else AUTHORED_SPAN_S
        chosen = {run_pk: at for at, run_pk in ats[:most] if at <= ats[0][0] + span_s * SECOND}
        returned = {run_pk: None for _, run_pk in ats if run_pk not in chosen}
        if returned:
            self._queue[key] = returned
        return _EdgeBatch(key, dag, edge, chosen)

    def _subject(self, key: EdgeKey) -> tuple[Dag, Edge] | None:
        """The DAG and its edge; None if either no longer exists."""
        dag = self._engine_state.dags.get(key[0])
        edge = next((edge for edge in dag.graph.edges if edge.number == key[1]), None) if dag is not None else None
        return None if dag is None or edge is None else (dag, edge)

    def _contain_errors(
        self, batch: _EdgeBatch, now: Instant, look: Callable[[], list[e.EngineEvent]]
    ) -> list[e.EngineEvent]:
        """The events of `look`. An error of one edge becomes the wait reason of its runs and affects no other edge."""
        try:
            return look()
        except SlotsUnavailable as error:
            return self._record_failure(batch, str(error), now)
        except (ResourceUnavailable, ConfigurationError):
            raise
        except Exception as error:
            _log.exception("slots_not_found", dag_id=batch.dag.record.dag_id, error=str(error))
            told = say("slots_cannot_be_found", name=type(error).__name__, error=str(error))
            return self._record_failure(batch, render(told), now)

    def _resolve_edge(self, upstreams: UpstreamReader, batch: _EdgeBatch) -> list[e.EngineEvent]:
        failed = self._failed.get(batch.key)
        if failed is not None:
            raise SlotsUnavailable(failed.error)
        up = upstreams.find(batch.edge.dependency.dag_id)
        if up is None:
            return [e.SlotsResolved(run_pk, batch.edge.number, "none", unknown=True) for run_pk in batch.ats]
        down_side, up_side = build_sides(batch.dag, batch.edge, up)
        if down_side.timetable.builtin and up_side.timetable.builtin:
            return self._build_events(
                upstreams, batch, up, self._resolve_builtin(upstreams, batch, up, down_side, up_side)
            )
        self._ask_host(upstreams, batch, up, PendingSlotQuery(batch.key, batch.ats, down_side, up_side))
        return []

    def _resolve_builtin(
        self, upstreams: UpstreamReader, batch: _EdgeBatch, up: UpstreamDag, down_side: DagSide, up_side: DagSide
    ) -> list[ResolvedSlots]:
        after, ats = batch.edge.dependency, batch.ats.values()
        dependency = resolve_or_raise(lambda: self._dependencies.get_timetables(after, down_side, up_side))
        if after.dag_id == down_side.dag_id:
            past = upstreams.read_own_history(up, after, ats, dependency)
        else:
            past = upstreams.read_history_for(up, dependency, ats)
        history = to_history(past)
        return resolve_or_raise(lambda: [dependency.resolve_slots(at, history) for at in ats])

    # ---- timetables of authors ---------------------------------------------------------------------------------------
    def _ask_host(self, upstreams: UpstreamReader, batch: _EdgeBatch, up: UpstreamDag, query: PendingSlotQuery) -> None:
        if not self._queries.is_available:
            raise SlotsUnavailable(render(_NO_HOST))
        if query.history is None and query.down.dag_id == query.up.dag_id:
            query = with_history(query, upstreams.read_own_history(up, batch.edge.dependency, query.ats.values()))
        self._queries.submit(query, batch.dag, batch.edge, up)

    def _rebuild_batch(self, query: PendingSlotQuery) -> _EdgeBatch | None:
        """The batch of the query's runs that still exist; None if there are none."""
        subject = self._subject(query.key)
        ats = {run_pk: at for run_pk, at in query.ats.items() if run_pk in self._engine_state.runs}
        return _EdgeBatch(query.key, *subject, ats) if subject is not None and ats else None

    def _on_answer(
        self, upstreams: UpstreamReader, batch: _EdgeBatch, query: PendingSlotQuery, answer: TimetableResponse
    ) -> list[e.EngineEvent]:
        """The events of an answer. If either DAG has changed since the query, the edge returns to the queue instead."""
        answer = check_answer(answer, UpstreamAnswer)
        if answer.error is not None:
            raise SlotsUnavailable(answer.error)
        up = upstreams.find(query.up.dag_id)
        if up is None or build_sides(batch.dag, batch.edge, up) != (query.down, query.up):
            self._queue.setdefault(batch.key, {}).update(dict.fromkeys(batch.ats))
            return []
        answered: UpstreamAnswer = unpack_value(answer, UpstreamAnswer)
        if answered.wanted_range is not None:
            self._ask_host(upstreams, batch, up, with_history(query, upstreams.read_history(up, answered.wanted_range)))
            return []
        if len(answered.resolved) != len(query.ats):
            raise SlotsUnavailable(
                f"the process of the author's code resolved {len(answered.resolved)} of {len(query.ats)} runs"
            )
        slots = [resolved for run_pk, resolved in zip(query.ats, answered.resolved, strict=True) if run_pk in batch.ats]
        return self._build_events(upstreams, batch, up, slots)

    # ---- events ------------------------------------------------------------------------------------------------------
    def _build_events(
        self, upstreams: UpstreamReader, batch: _EdgeBatch, up: UpstreamDag, several: list[ResolvedSlots]
    ) -> list[e.EngineEvent]:
        """One SlotsResolved per run, with the facts of each slot.

        The facts of an upstream that this scheduler owns come from the store. For another upstream all slots count as open,
        and the engine subscribes to its owner.
        """
        slots = sorted({at for resolved in several for at in resolved.slots})
        absent_slots = sorted({at for resolved in several for at in resolved.absent})
        if up.group_no in self._engine_state.epochs:
            facts = _index_by_slot(
                upstream_dags.load_slot_facts(upstreams.tx, up.dag_id, slots, batch.edge.dependency.task_id)
            )
        else:
            facts = {at: SlotFact(at, "open") for at in slots}
        absent = (
            _index_by_slot(
                _to_absent(fact) for fact in upstream_dags.load_slot_facts(upstreams.tx, up.dag_id, absent_slots)
            )
            if absent_slots
            else {}
        )
        return [
            e.SlotsResolved(
                run_pk,
                batch.edge.number,
                resolved.rule,
                tuple(facts[at] for at in resolved.slots),
                tuple(absent[at] for at in resolved.absent),
                version=up.version_pk,
            )
            for run_pk, resolved in zip(batch.ats, several, strict=True)
        ]

    def _record_failure(self, batch: _EdgeBatch, error: str, now: Instant) -> list[e.EngineEvent]:
        failed = self._failed.get(batch.key)
        if failed is None:
            _log.error("slots_not_found", dag_id=batch.dag.record.dag_id, upstream=batch.edge.label, error=error)
            retry_at = now + int(PLAN_RETRY_S * SECOND)
            failed = self._failed[batch.key] = _FailedEdge(error, batch.dag.graph.version_pk, retry_at)
        failed.run_pks.update(dict.fromkeys(batch.ats))
        return [e.SlotsResolved(run_pk, batch.edge.number, "none", error=error) for run_pk in batch.ats]


def _planned_time_of(run: DagRun) -> Instant:
    return run.record.run_after if run.record.slot_at is None else run.record.slot_at


def _index_by_slot(facts: Iterable[SlotFact]) -> dict[Instant, SlotFact]:
    return {fact.at: fact for fact in facts}


def _to_absent(fact: SlotFact) -> SlotFact:
    """The fact with the outcome `absent`: a run that was created for the slot since the rules looked does not count."""
    return fact if fact.outcome == "absent" else SlotFact(fact.at, "absent")
