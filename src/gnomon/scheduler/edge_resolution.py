"""Which upstream slots runs wait for: found in rounds, beside all other work (docs/decisions/0009-waits-between-dags.md).

The engine says which edges of which runs are to be found (`Step.unresolved`); each is answered by a `SlotsFound`, at once
where both timetables are ours, with a later round where one is an author's. What is not answered yet is asked for again by
whoever reads the runs from the store: nothing of it is kept elsewhere.

Failures. A dependency that has no answer, or a timetable that fails, stands as the reason of the runs; it is asked again
every minute, and with the next version of the DAG. It disturbs no other DAG.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from gnomon import log
from gnomon.dependencies.upstream_query import DagSide, ResolvedSlots, UpstreamAnswer, to_history
from gnomon.engine import events as e
from gnomon.engine.state.engine_state import EngineState
from gnomon.engine.state.task_instance import Dag, DagRun
from gnomon.errors import ConfigurationError, ResourceUnavailable
from gnomon.model.instants import SECOND, Instant
from gnomon.model.run_waits import SlotFact
from gnomon.model.upstream_edges import Edge
from gnomon.scheduler.author_slot_queries import AuthorSlotQueries, EdgeKey, PendingSlotQuery, with_history
from gnomon.scheduler.settings import AUTHORED_SPAN_S, PLAN_RETRY_S, RESOLVED_MAX, RESOLVED_SPAN_S
from gnomon.scheduler.upstream_reader import (
    DependencyCache,
    SlotsUnavailable,
    UpstreamReader,
    build_sides,
    resolve_or_raise,
)
from gnomon.store import Database
from gnomon.store.cross_dag import upstream_dags
from gnomon.store.cross_dag.upstream_dags import UpstreamDag
from gnomon.timetable_host import TimetableHost, TimetableResponse, unpack_value

_log = log.get_logger("scheduler.depending")

_NO_HOST = "a timetable of an author's is to be asked, and this process asks none"


class _EdgeBatch(NamedTuple):
    """Runs of one DAG that are looked at together, by one edge of it."""

    key: EdgeKey
    dag: Dag
    edge: Edge
    ats: dict[int, Instant]
    """By run_pk, in order of the planned times."""


@dataclass(slots=True)
class _FailedEdge:
    """An edge without an answer."""

    error: str
    version_pk: int
    retry_at: Instant
    run_pks: dict[int, None] = field(default_factory=dict)


class EdgeResolver:
    """The edges that are to be found, by DAG."""

    def __init__(self, db: Database, memory: EngineState, host: TimetableHost | None = None) -> None:
        """`host`: where author timetables are asked."""
        self._db = db
        self._memory = memory
        self._questions = AuthorSlotQueries(host)
        self._known = DependencyCache()
        self._queue: dict[EdgeKey, dict[int, None]] = {}
        """Runs (run_pk) by edge. An edge that is left with runs after its turn goes to the end."""
        self._failed: dict[EdgeKey, _FailedEdge] = {}

    def enqueue(self, unresolved: Iterable[tuple[int, int]]) -> None:
        """These are to be found: (run_pk, edge_no)."""
        for run_pk, edge_no in unresolved:
            run = self._memory.runs.get(run_pk)
            if run is not None:
                self._queue.setdefault((run.record.dag_pk, edge_no), {})[run_pk] = None

    def reset(self) -> None:
        """Memory was dropped."""
        self._queue, self._failed = {}, {}
        self._questions.reset()
        self._known.reset()

    def resolve_batch(self, now: Instant) -> list[e.EngineEvent]:
        """One bounded round: what was found, for the next step of the engine."""
        self._try_failed_again(now)
        answers = self._questions.collect()
        if not answers and not self._is_ready():
            return []
        found: list[e.EngineEvent] = []
        with self._db.read() as tx:
            upstreams = UpstreamReader(tx)
            for asked, answer in answers:
                batch = self._rebuild_batch(asked)
                if batch is not None:
                    found += self._contain_errors(batch, now, partial(self._on_answer, upstreams, batch, asked, answer))
            left = RESOLVED_MAX
            for key in [key for key in self._queue if key not in self._questions]:
                batch = self._take_batch(key, left)
                if batch is not None:
                    left -= len(batch.ats)
                    found += self._contain_errors(batch, now, partial(self._resolve_edge, upstreams, batch))
                if left <= 0:
                    break
        return found

    def wake_at(self, now: Instant) -> Instant | None:
        """When there is something to do; None when never."""
        if self._is_ready():
            return now
        times = [failed.retry_at for failed in self._failed.values()]
        answers_at = self._questions.wake_at(now)
        return min(times if answers_at is None else [*times, answers_at], default=None)

    def _is_ready(self) -> bool:
        return any(key not in self._questions for key in self._queue)

    def _try_failed_again(self, now: Instant) -> None:
        for key, failed in list(self._failed.items()):
            dag = self._memory.dags.get(key[0])
            if failed.retry_at <= now or dag is None or dag.graph.version_pk != failed.version_pk:
                del self._failed[key]
                self._queue.setdefault(key, {}).update(failed.run_pks)

    def _take_batch(self, key: EdgeKey, most: int) -> _EdgeBatch | None:
        """The earliest runs of the edge, as many as are looked at together; the others go to the end of the queue."""
        run_pks = self._queue.pop(key)
        there = self._subject(key)
        ats = sorted((_planned_time_of(run), run.pk) for run_pk in run_pks if (run := self._memory.runs.get(run_pk)) is not None)
        if there is None or not ats:
            return None
        dag, edge = there
        span_s = RESOLVED_SPAN_S if dag.graph.spec.timetable.builtin else AUTHORED_SPAN_S
        chosen = {run_pk: at for at, run_pk in ats[:most] if at <= ats[0][0] + span_s * SECOND}
        left = {run_pk: None for _, run_pk in ats if run_pk not in chosen}
        if left:
            self._queue[key] = left
        return _EdgeBatch(key, dag, edge, chosen)

    def _subject(self, key: EdgeKey) -> tuple[Dag, Edge] | None:
        """The DAG and its edge; None when either is no more."""
        dag = self._memory.dags.get(key[0])
        edge = next((edge for edge in dag.graph.edges if edge.number == key[1]), None) if dag is not None else None
        return None if dag is None or edge is None else (dag, edge)

    def _contain_errors(self, batch: _EdgeBatch, now: Instant, look: Callable[[], list[e.EngineEvent]]) -> list[e.EngineEvent]:
        """What is found; whatever goes wrong with one edge stands on its runs, and disturbs no other."""
        try:
            return look()
        except SlotsUnavailable as error:
            return self._record_failure(batch, str(error), now)
        except (ResourceUnavailable, ConfigurationError):
            raise
        except Exception as error:
            _log.exception("slots_not_found", dag_id=batch.dag.record.dag_id, error=str(error))
            return self._record_failure(batch, f"its slots cannot be found ({type(error).__name__}: {error}); report this", now)

    def _resolve_edge(self, upstreams: UpstreamReader, batch: _EdgeBatch) -> list[e.EngineEvent]:
        failed = self._failed.get(batch.key)
        if failed is not None:
            raise SlotsUnavailable(failed.error)
        up = upstreams.find(batch.edge.after.dag_id)
        if up is None:
            return [e.SlotsResolved(run_pk, batch.edge.number, "none", unknown=True) for run_pk in batch.ats]
        down_side, up_side = build_sides(batch.dag, batch.edge, up)
        if down_side.timetable.builtin and up_side.timetable.builtin:
            return self._build_events(upstreams, batch, up, self._resolve_builtin(upstreams, batch, up, down_side, up_side))
        self._ask_host(upstreams, batch, up, PendingSlotQuery(batch.key, batch.ats, down_side, up_side))
        return []

    def _resolve_builtin(self, upstreams: UpstreamReader, batch: _EdgeBatch, up: UpstreamDag, down_side: DagSide, up_side: DagSide) -> list[ResolvedSlots]:
        after, ats = batch.edge.after, batch.ats.values()
        dependency = resolve_or_raise(lambda: self._known.get_dependency(after, down_side, up_side))
        if after.dag_id == down_side.dag_id:
            past = upstreams.read_own_history(up, after, ats, dependency)
        else:
            past = upstreams.read_history_for(up, dependency, ats)
        known = to_history(past)
        return resolve_or_raise(lambda: [dependency.resolve_slots(at, known) for at in ats])

    # ---- timetables of authors ---------------------------------------------------------------------------------------
    def _ask_host(self, upstreams: UpstreamReader, batch: _EdgeBatch, up: UpstreamDag, asked: PendingSlotQuery) -> None:
        if not self._questions.is_available:
            raise SlotsUnavailable(_NO_HOST)
        if asked.history is None and asked.down.dag_id == asked.up.dag_id:
            asked = with_history(asked, upstreams.read_own_history(up, batch.edge.after, asked.ats.values()))
        self._questions.submit(asked, batch.dag, batch.edge, up)

    def _rebuild_batch(self, asked: PendingSlotQuery) -> _EdgeBatch | None:
        """The runs that are still there of those that it was asked for."""
        there = self._subject(asked.key)
        ats = {run_pk: at for run_pk, at in asked.ats.items() if run_pk in self._memory.runs}
        return _EdgeBatch(asked.key, *there, ats) if there is not None and ats else None

    def _on_answer(self, upstreams: UpstreamReader, batch: _EdgeBatch, asked: PendingSlotQuery, answer: TimetableResponse) -> list[e.EngineEvent]:
        """What an answer means. It does not count if either DAG has changed since: then it is asked again."""
        if answer.error is not None:
            raise SlotsUnavailable(answer.error)
        up = upstreams.find(asked.up.dag_id)
        if up is None or build_sides(batch.dag, batch.edge, up) != (asked.down, asked.up):
            self._queue.setdefault(batch.key, {}).update(dict.fromkeys(batch.ats))
            return []
        heard: UpstreamAnswer = unpack_value(answer, UpstreamAnswer)
        if heard.wanted_range is not None:
            self._ask_host(upstreams, batch, up, with_history(asked, upstreams.read_history(up, heard.wanted_range)))
            return []
        slots = [one for run_pk, one in zip(asked.ats, heard.resolved, strict=True) if run_pk in batch.ats]
        return self._build_events(upstreams, batch, up, slots)

    # ---- events ------------------------------------------------------------------------------------------------------
    def _build_events(self, upstreams: UpstreamReader, batch: _EdgeBatch, up: UpstreamDag, several: list[ResolvedSlots]) -> list[e.EngineEvent]:
        """The slots with what is known of them: the word of an upstream that is owned here, else the question to its owner."""
        wanted = sorted({at for one in several for at in one.slots})
        gone = sorted({at for one in several for at in one.absent})
        if up.group_no in self._memory.epochs:
            facts = _index_by_slot(upstream_dags.load_slot_facts(upstreams.tx, up.dag_id, wanted, batch.edge.after.task_id))
        else:
            facts = {at: SlotFact(at, "open") for at in wanted}
        absent = _index_by_slot(_to_absent(fact) for fact in upstream_dags.load_slot_facts(upstreams.tx, up.dag_id, gone)) if gone else {}
        return [
            e.SlotsResolved(
                run_pk, batch.edge.number, one.rule, tuple(facts[at] for at in one.slots), tuple(absent[at] for at in one.absent),
                version=up.version_pk,
            )
            for run_pk, one in zip(batch.ats, several, strict=True)
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
    """The rules found it absent; a run that was made for it a moment ago does not count."""
    return fact if fact.outcome == "absent" else SlotFact(fact.at, "absent")
