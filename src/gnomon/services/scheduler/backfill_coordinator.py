"""Carries out the backfills of the owned DAGs: creates their runs in batches, reads them when their turn comes, and ends them.

A backfill is a row of the store. Each round does one bounded piece of work for a few DAGs, each piece in one transaction that also
records how far the backfill came; so a scheduler that takes over continues where the last one stopped. Queued runs stay in the
store until their turn: memory holds about twice as many as may run (`READ_AHEAD`), or all of them for a DAG whose tasks depend on
the run before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.ground import log
from gnomon.model.backfills import MAX_SLOTS, BackfillChange, BackfillRecord
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import EventRecord
from gnomon.model.sentences import render, say
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.backfill_queue import BackfillQueue
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.rules.planning.backfill_slots import BackfillSlots
from gnomon.services.scheduler.backfill_planner import BackfillPlanner
from gnomon.services.scheduler.event_translation import choose_version, read_backfill, read_run, read_subscriptions
from gnomon.services.scheduler.planning_cursors import CursorMove, build_cursor_events
from gnomon.services.scheduler.settings import MAX_WAITING_RUNS, PLAN_RETRY_S
from gnomon.services.scheduler.step_failures import describe_failure, is_isolable
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.dag_records import event_log
from gnomon.storage.store.ownership import backfill_runs

_log = log.get_logger("scheduler.backfill_coordinator")

DAGS_PER_ROUND = 2
"""Most DAGs whose backfills one round continues: a round stays short for the scheduled runs of all DAGs."""
RUNS_PER_ROUND = 200
"""Most runs of one backfill that one round reads or ends."""
READ_AHEAD = 2
"""Runs of a backfill in memory, as a multiple of its max_active_runs."""


class BackfillCoordinator:
    """The backfills of the DAGs in memory, and which of them have work to do."""

    def __init__(
        self,
        db: Database,
        scheduler_id: str,
        engine_state: EngineState,
        host: TimetableHost | None,
        max_waiting_runs: int = MAX_WAITING_RUNS,
    ) -> None:
        """`host`: calls author timetables. `max_waiting_runs`: the maximum of runs per DAG that wait for other DAGs."""
        self._db = db
        self._scheduler_id = scheduler_id
        self._engine_state = engine_state
        self._planner = BackfillPlanner(host)
        self._max_waiting_runs = max_waiting_runs
        self._pending: dict[int, None] = {}
        self._exhausted: set[int] = set()
        """Planned backfills (backfill_pk) all of whose runs are in memory or have ended."""
        self._retry_at: dict[int, Instant] = {}
        """By dag_pk: when the timetable of a backfill is called again that failed."""

    def enqueue(self, dag_pks: Iterable[int]) -> None:
        """Includes these DAGs in one of the next calls of `advance`."""
        self._pending.update(dict.fromkeys(dag_pks))

    def reset(self) -> None:
        """Forgets everything after the engine state was dropped; the DAGs are enqueued again when they are loaded."""
        self._pending, self._retry_at = {}, {}
        self._exhausted = set()
        self._planner.reset()

    def wake_at(self, now: Instant) -> Instant | None:
        """When `advance` has work next; None if it has none."""
        if self._pending:
            return now
        times = [*self._retry_at.values(), self._planner.wake_at(now)]
        return min((at for at in times if at is not None), default=None)

    def advance(self, now: Instant) -> list[e.EngineEvent]:
        """Continues the backfills of at most DAGS_PER_ROUND DAGs; returns the events that follow, for a step of the engine."""
        self._pending.update(dict.fromkeys(dag_pk for dag_pk, at in self._retry_at.items() if at <= now))
        events: list[e.EngineEvent] = []
        for backfill_pk, dag_pk, slots in self._planner.collect():
            queue = self._find_queue(dag_pk, backfill_pk)
            if queue is not None:
                owner = self._engine_state.dags[dag_pk]
                events += self._contain_errors(owner, queue, now, partial(self._create_runs, owner, queue, slots, now))
        for dag_pk in list(self._pending)[:DAGS_PER_ROUND]:
            del self._pending[dag_pk]
            may_find = self._retry_at.get(dag_pk, now) <= now
            if may_find:
                self._retry_at.pop(dag_pk, None)
            dag = self._engine_state.dags.get(dag_pk)
            for queue in list(dag.backfills.values()) if dag is not None else ():
                if dag is not None and not queue.record.is_ended:
                    events += self._contain_errors(dag, queue, now, partial(self._continue, dag, queue, now, may_find))
        return events

    def _contain_errors(
        self, dag: Dag, queue: BackfillQueue, now: Instant, act: Callable[[], list[e.EngineEvent]]
    ) -> list[e.EngineEvent]:
        """The events of `act`. What cannot be stored or read becomes the error of this backfill, which is tried again later; no other is affected."""
        try:
            return act()
        except Exception as failure:
            if not is_isolable(failure, self._db):
                raise
            what = describe_failure(failure, [], stores_nul=False)
            error = render(say("backfill_cannot_go_on", reason=what))
        _log.error("backfill_stopped", dag_id=dag.record.dag_id, backfill=queue.record.backfill_pk, error=error)
        with self._db.scheduler_write(self._scheduler_id) as tx:
            backfill_runs.set_error(tx, queue.record.backfill_pk, queue.record.slot_count, error)
        queue.record.error = error
        self._pending.pop(dag.record.dag_pk, None)
        self._retry_at[dag.record.dag_pk] = now + int(PLAN_RETRY_S * SECOND)
        return []

    def _find_queue(self, dag_pk: int, backfill_pk: int) -> BackfillQueue | None:
        dag = self._engine_state.dags.get(dag_pk)
        queue = None if dag is None else dag.backfills.get(backfill_pk)
        return None if queue is None or queue.record.is_ended or queue.record.cancelled_by is not None else queue

    def _continue(self, dag: Dag, queue: BackfillQueue, now: Instant, may_find: bool) -> list[e.EngineEvent]:
        if queue.record.cancelled_by is not None:
            return self._cancel(dag, queue, now)
        events: list[e.EngineEvent] = []
        if may_find and not queue.record.is_planned:
            slots = self._planner.find_slots(dag, queue.record)
            if slots is not None:
                events += self._create_runs(dag, queue, slots, now)
        return events + self._read_next_runs(dag, queue, now)

    # ---- create runs -------------------------------------------------------------------------------------------------
    def _create_runs(self, dag: Dag, queue: BackfillQueue, slots: BackfillSlots, now: Instant) -> list[e.EngineEvent]:
        """Stores the slots that were found; the unique keys of the store decide which of them get a run."""
        record = queue.record
        change = _build_change(dag, record, slots)
        with self._db.scheduler_write(self._scheduler_id) as tx:
            outcome = backfill_runs.create_backfill_runs(tx, change, now)
        self._pending[dag.record.dag_pk] = None
        if not outcome.accepted:
            with self._db.read() as tx:
                return read_backfill(tx, record.backfill_pk)
        error = outcome.error or change.error
        record.error = error
        if error is not None:
            _log.error("backfill_stopped", dag_id=dag.record.dag_id, backfill=record.backfill_pk, error=error)
            del self._pending[dag.record.dag_pk]
            self._retry_at[dag.record.dag_pk] = now + int(PLAN_RETRY_S * SECOND)
        if outcome.error is not None:
            return []
        record.position, record.is_planned, record.is_windowed = change.position, change.is_planned, change.is_windowed
        record.slot_count += len(change.runs)
        if record.first_run_after is None and change.runs:
            record.first_run_after = change.runs[0].run_after
        if not record.is_planned:
            return []
        _log.info("backfill_planned", dag_id=dag.record.dag_id, backfill=record.backfill_pk, slots=record.slot_count)
        return self._notify_subscribers(dag, record.from_at, record.created_at)

    def _notify_subscribers(self, dag: Dag, first: Instant, until: Instant) -> list[e.EngineEvent]:
        """Runs of other DAGs learn the outcomes of the slots of this range, in which no further run is created."""
        if dag.record.dag_id not in self._engine_state.subscriptions:
            return []
        return build_cursor_events(self._db, [CursorMove(dag.record.dag_pk, first - 1, until)], self._engine_state)

    # ---- read runs when their turn comes -----------------------------------------------------------------------------
    def _read_next_runs(self, dag: Dag, queue: BackfillQueue, now: Instant) -> list[e.EngineEvent]:
        """Reads runs into memory while there is room for them, and ends a backfill that has none left."""
        record = queue.record
        is_held = record.hold_reason is not None or dag.hold_reason is not None
        has_runs = any(run.backfill is queue for run in dag.runs.values())
        if record.backfill_pk in self._exhausted or (is_held and has_runs):
            return [] if has_runs else self._end(dag, record, now)
        attached = [run for run in dag.runs.values() if run.backfill is queue]
        queued_count = sum(run.record.state is DagRunState.QUEUED for run in attached)
        waiting_count = sum(run.pk in dag.runs_waiting_upstream for run in attached)
        wanted_count = self._compute_wanted(record, queued_count, waiting_count)
        if wanted_count <= 0:
            return []
        with self._db.read() as tx:
            rows = backfill_runs.list_next_runs(tx, record, wanted_count + queued_count)
            next_runs = [row for row in rows if row[1] or row[0] not in self._engine_state.runs][:wanted_count]
            if is_held and next_runs:
                return []
            events, unusable = self._read_runs(tx, record, next_runs)
        if unusable:
            with self._db.scheduler_write(self._scheduler_id) as tx:
                backfill_runs.leave_runs(tx, record.backfill_pk, unusable)
        if len(next_runs) == wanted_count:
            self._pending[dag.record.dag_pk] = None
        elif record.is_planned:
            self._exhausted.add(record.backfill_pk)
            self._pending[dag.record.dag_pk] = None
        return events

    def _read_runs(
        self, tx: Transaction, record: BackfillRecord, runs: Iterable[tuple[int, bool]]
    ) -> tuple[list[e.EngineEvent], list[int]]:
        """The events that attach these runs, and the run_pks of those that cannot run again: deleted ones, and unfinished ones."""
        events: list[e.EngineEvent] = []
        unusable: list[int] = []
        for run_pk, is_cleared_first in runs:
            run_events = [] if run_pk in self._engine_state.runs else read_run(tx, run_pk, self._engine_state)
            run = next((event.run for event in run_events if isinstance(event, e.RunRead)), None)
            if is_cleared_first and (run is None or run.state not in FINISHED_RUN_STATES):
                unusable.append(run_pk)
                continue
            events += run_events
            if is_cleared_first:
                choose_version(run_events, self._engine_state, None, default=True)
                events.append(
                    e.ReprocessRun(
                        run_pk, record.backfill_pk, read_subscriptions(tx, run_events, run_pk, self._engine_state)
                    )
                )
        return events, unusable

    def _compute_wanted(self, record: BackfillRecord, queued_count: int, waiting_count: int) -> int:
        """How many runs to read now: in batches, so that not each run that ends causes a query."""
        if not record.is_windowed:
            return RUNS_PER_ROUND
        ready_count = queued_count - waiting_count
        if ready_count >= record.max_active_runs:
            return 0
        room = min(READ_AHEAD * record.max_active_runs - ready_count, self._max_waiting_runs - waiting_count)
        return min(room, RUNS_PER_ROUND)

    # ---- cancel and end ----------------------------------------------------------------------------------------------
    def _cancel(self, dag: Dag, queue: BackfillQueue, now: Instant) -> list[e.EngineEvent]:
        """Ends the queued runs of a cancelled backfill as failed: those in memory by the engine, the others batch by batch."""
        record = queue.record
        if any(run.backfill is queue and run.record.state is DagRunState.QUEUED for run in dag.runs.values()):
            self._pending[dag.record.dag_pk] = None
            return [e.BackfillRead(record)]
        reason = "" if record.hold_reason is None else render(record.hold_reason)
        with self._db.scheduler_write(self._scheduler_id) as tx:
            slots = backfill_runs.fail_queued_runs(tx, record, reason, RUNS_PER_ROUND, now)
        if not slots:
            return self._end(dag, record, now)
        self._pending[dag.record.dag_pk] = None
        return self._notify_subscribers(dag, min(slots), max(slots))

    def _end(self, dag: Dag, record: BackfillRecord, now: Instant) -> list[e.EngineEvent]:
        with self._db.scheduler_write(self._scheduler_id) as tx:
            has_ended = backfill_runs.end_backfill(tx, record.backfill_pk, now)
            if has_ended:
                event_log.log_event(
                    tx, EventRecord(now, "backfill_ended", dag_pk=record.dag_pk, body=f"backfill {record.backfill_pk}")
                )
        self._exhausted.discard(record.backfill_pk)
        if not has_ended:
            return []
        record.ended_at = now
        _log.info("backfill_ended", dag_id=dag.record.dag_id, backfill=record.backfill_pk)
        return [e.BackfillRead(record)]


def _build_change(dag: Dag, record: BackfillRecord, slots: BackfillSlots) -> BackfillChange:
    runs, error, position = slots.runs, slots.error, slots.position or record.position
    if record.slot_count + len(runs) > MAX_SLOTS:
        runs, position = (), record.position
        error = render(say("backfill_range_is_too_long", number=f"{MAX_SLOTS:,}"))
    return BackfillChange(
        backfill_pk=record.backfill_pk,
        dag_pk=record.dag_pk,
        group_no=record.group_no,
        believed_slots=record.slot_count,
        version_pk=dag.graph.version_pk,
        runs=runs,
        position=position,
        is_planned=slots.is_complete and error is None,
        is_windowed=not dag.graph.depends_on_previous_run,
        reprocess=record.reprocess,
        conf=record.conf,
        error=error,
    )
