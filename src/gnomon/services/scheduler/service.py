"""One scheduler process: the loop that collects events, steps the engine and commits the result."""

from __future__ import annotations

import select
from collections.abc import Callable, Collection, Mapping, Sequence

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.metrics import ProcessFigures
from gnomon.ground.wakeups import BatchPace, Listener
from gnomon.model.attempts import Attempt
from gnomon.model.errors import ConfigurationError, ResourceUnavailable
from gnomon.model.errors.product import EngineStepError
from gnomon.model.instants import SECOND, Instant
from gnomon.model.quarantine import QuarantinedItem
from gnomon.model.records import Changes, DagRecord, MailRecord, PlanChange, PlanOutcome, RunRecord
from gnomon.model.sentences import render, say
from gnomon.rules.engine import events as e
from gnomon.rules.engine.admission.admission_pass import retract_admissions
from gnomon.rules.engine.handlers.group_loading import drop_groups, load_groups
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import DagRun
from gnomon.rules.engine.step import step
from gnomon.rules.engine.step_context import StepResult
from gnomon.services.executors.interface import Executor
from gnomon.services.scheduler.asset_runs import AssetRunCreator
from gnomon.services.scheduler.backfill_coordinator import BackfillCoordinator
from gnomon.services.scheduler.consecutive_failures import pause_failing_dags
from gnomon.services.scheduler.deadline_resolution import DeadlineResolver
from gnomon.services.scheduler.edge_resolution import EdgeResolver
from gnomon.services.scheduler.event_translation import read_created_runs, read_dags
from gnomon.services.scheduler.instance_mutations import InstanceMutations
from gnomon.services.scheduler.lease import Lease
from gnomon.services.scheduler.mailbox import Mailbox, RoundItem
from gnomon.services.scheduler.multipart_requests import MultipartRequests
from gnomon.services.scheduler.planner import Planner
from gnomon.services.scheduler.planning_cursors import CursorMove, build_cursor_events, read_cursor, record_manual_runs
from gnomon.services.scheduler.poison_isolation import build_mail_row
from gnomon.services.scheduler.quarantine import GroupQuarantine
from gnomon.services.scheduler.round_recovery import RoundRecovery
from gnomon.services.scheduler.scheduler_figures import SchedulerFigures
from gnomon.services.scheduler.settings import BEAT_S, FAULT_RETRY_S, RETRY_AWAY_S, SchedulerSettings
from gnomon.services.scheduler.step_failures import CommitRefused, describe_failure, is_isolable, root_cause
from gnomon.services.scheduler.timetable_multiplexer import TimetableHostMultiplexer
from gnomon.services.scheduler.withheld_dags import WithheldDags
from gnomon.storage.store import (
    CommitUncertain,
    Database,
    FencedError,
    PoolExhausted,
    SchemaTooNew,
    SchemaTooOld,
    Transaction,
    notify_on_commit,
)
from gnomon.storage.store.address import SQLITE
from gnomon.storage.store.admin import pools
from gnomon.storage.store.asset_records.asset_watchers import has_wanted_watchers
from gnomon.storage.store.coordination.service_figures import FiguresWriter
from gnomon.storage.store.ownership import commit
from gnomon.storage.store.ownership import group_state as store_load

_log = log.get_logger("scheduler")


class SchedulerService:
    """Owns groups, plans and runs their DAGs. `tick` is one round; every dependency is a constructor argument."""

    def __init__(
        self,
        *,
        settings: SchedulerSettings,
        db: Database,
        executor: Executor,
        clock: Clock,
        listener: Listener | None,
        new_id: Callable[[], str],
        scheduler_id: str,
        host: str,
        is_dead: Callable[[str], bool] = lambda _: False,
        timetables: TimetableHost | None = None,
        wake_triggerers: Callable[[], object] = lambda: None,
        wake_monitor: Callable[[], object] = lambda: None,
        missing_pool_slots: int | None = None,
        figures: FiguresWriter | None = None,
        store_submits: Callable[[Transaction, Mapping[str, Sequence[Attempt]]], object] = lambda _tx, _submits: None,
    ) -> None:
        """`is_dead`: true if the process of a scheduler id is known, not suspected, to have ended.

        `timetables`: calls author timetables; with None, DAGs with an author timetable get an error instead of runs.
        `wake_triggerers`: called after a commit that started or ended a deferral, and when a watcher of an asset may be needed.
        `wake_monitor`: called when a DAG with rules of alerts or baselines was read.
        `missing_pool_slots`: the size of a pool that a cluster policy names and that does not exist; None: its tasks wait for the pool.
        `figures`: what is shown by /metrics; None: nothing is written.
        `store_submits`: called in the transaction that queues attempts, by worker, for executors that keep them in the database.
        """
        self._settings = settings
        self._db = db
        self._executor = executor
        self._store_submits = store_submits
        self._clock = clock
        self._listener = listener
        self._new_id = new_id
        self._wake_triggerers = wake_triggerers
        self._wake_monitor = wake_monitor
        self.engine_state = EngineState(settings.limits)
        self.lease = Lease(db, clock, scheduler_id, host, is_dead, beat_s=settings.beat_s, figures=figures)
        self._figures = SchedulerFigures(ProcessFigures() if figures is None else figures.figures, self.engine_state)
        if figures is not None:
            figures.refresh = self._update_gauges
        multiplexer = None if timetables is None else TimetableHostMultiplexer(timetables)
        self._planner = Planner(
            self.engine_state,
            settings.misfire_grace_s,
            None if multiplexer is None else multiplexer.open_client(),
            settings.max_waiting_runs,
        )
        self._edge_resolver = EdgeResolver(
            db, self.engine_state, None if multiplexer is None else multiplexer.open_client()
        )
        self._asset_runs = AssetRunCreator(
            db,
            self.engine_state,
            scheduler_id,
            new_id,
            settings.partition_keys_max,
            None if multiplexer is None else multiplexer.open_client(),
        )
        self._backfills = BackfillCoordinator(
            db,
            scheduler_id,
            self.engine_state,
            None if multiplexer is None else multiplexer.open_client(),
            settings.max_waiting_runs,
        )
        self._deadline_resolver = DeadlineResolver(db, self.engine_state)
        self._event_finders: tuple[Callable[[Instant], list[e.EngineEvent]], ...] = (
            self._backfills.advance,
            self._edge_resolver.resolve_batch,
            lambda _: self._deadline_resolver.resolve_batch(),
        )
        self._missing_pool_slots = missing_pool_slots
        self._mutations = InstanceMutations(
            self.engine_state,
            None if multiplexer is None else multiplexer.open_client(),
            None if missing_pool_slots is None else self._create_pool,
        )
        self._multipart = MultipartRequests(self.engine_state)
        self._mailbox = Mailbox(
            db,
            executor,
            clock,
            listener,
            self.engine_state,
            self._multipart,
            self._delete_history,
            sweep_s=settings.sweep_s,
        )
        self._quarantine = GroupQuarantine()
        self._withheld = WithheldDags(db, scheduler_id, self.engine_state, self._mailbox, clock)
        self._recovery = RoundRecovery(self, db, self.engine_state, self._mailbox, self._withheld, executor.acknowledge)
        self._pace = BatchPace(window_s=0.1, paced_a_second=100.0, wait_max_s=0.01)
        self._loaded: list[DagRun] = []
        self._loaded_subscriptions: list[e.EngineEvent] = []
        """Subscriptions to slots of DAGs of the groups that were just loaded."""
        self._must_reload = False
        self._wake_at: Instant | None = None
        self._faults = 0
        """Consecutive rounds that failed by an internal error."""
        self.refused_commits = 0
        """Rounds since the start whose commit was rejected or uncertain, or that failed by an internal error."""
        self._commits = 0
        """Commits since the start, of steps and of planned runs."""
        self.contended = 0
        """Admission passes of one pool that were retracted because another scheduler took the slots first."""
        self._quarantined: list[QuarantinedItem] = []
        """Messages that the next commit moves to the table `quarantine`."""
        self._returned_groups: list[int] = []
        """Groups that have returned from quarantine, until a round has committed them."""
        self._touched: set[int] = set()
        """Groups that the current step touched, until it is committed."""

    # ---- one round ---------------------------------------------------------------------------------------------------
    def tick(self) -> Instant:
        """Does one bounded round, and returns the latest instant of the next.

        Raises FencedError if this scheduler was fenced, SchemaTooNew and SchemaTooOld if the schema is no longer that of this version.
        """
        now = self._clock.now()
        try:
            try:
                self._run_stages(now)
            except Exception as error:
                if not is_isolable(error, self._db):
                    raise
                self.refused_commits += 1
                self._recovery.finish_round(error, now)
            self._confirm_returns()
            if self._give_up_excess():
                return self._clock.now()
        except FencedError:
            self.refused_commits += 1
            raise
        except (SchemaTooNew, SchemaTooOld):
            raise
        except (ResourceUnavailable, ConfigurationError) as error:
            return self._reset_after_outage(error)
        except Exception as error:
            return self._quarantine_after_error(error)
        self._faults = 0
        plan_at = self._planner.wake_at(now) if self._settings.use_schedule else None
        if self._asset_runs.has_work() and self._settings.use_schedule:
            return now
        deadline_at = now if self._deadline_resolver.has_work else None
        partitions_at = self._asset_runs.wake_at(now) if self._settings.use_schedule else None
        times = (
            self._wake_at,
            plan_at,
            partitions_at,
            deadline_at,
            self._mutations.wake_at(now),
            self._backfills.wake_at(now),
            self._edge_resolver.wake_at(now),
            self.lease.next_beat_at,
            self._mailbox.sweep_at,
        )
        return min(at for at in times if at is not None)

    def _run_stages(self, now: Instant) -> None:
        """Takes groups, applies what has arrived, plans, creates runs and resolves what runs wait for: each with commits of its own."""
        self._take_groups()
        events, messages = self._collect()
        if events or messages or self._loaded or self.is_due(now):
            self._step_and_commit(events, messages, now)
        self._mailbox.confirm_applied()
        self._plan(now)
        self._create_asset_runs(now)
        for find_events in self._event_finders:
            resulting = find_events(now)
            if resulting:
                self._step_and_commit(resulting, [], now)

    def _epochs(self) -> Mapping[int, int]:
        """The epochs of the owned groups that are in memory: all that are not in quarantine."""
        if not self._quarantine:
            return self.lease.epochs
        return {group: epoch for group, epoch in self.lease.epochs.items() if group not in self._quarantine}

    def _take_groups(self) -> None:
        gained = self.lease.renew_and_claim()
        returned = self._quarantine.release_expired(self._clock.monotonic())
        self._returned_groups += returned
        if self._withheld.quarantine.dags:
            returned += self._withheld.release_expired(self.lease.epochs)
        gained |= {group: self.lease.epochs[group] for group in returned if group in self.lease.epochs}
        if self._must_reload:
            gained = dict(self._epochs())
        if not gained and not self._must_reload:
            return
        drop_groups(self.engine_state, gained)
        with self._db.read() as tx:
            state = store_load.load_groups(tx, sorted(gained))
            pool_records = store_load.load_pools(tx)
            named_groups = self._withheld.restore(tx, gained)
        self._returned_groups += [group for group in named_groups if group not in self._returned_groups]
        if state.undecodable:
            self._withheld.set_undecodable_aside(state)
        self._withheld.remove_from(state)
        self.lease.renew()
        self._loaded += load_groups(self.engine_state, state, gained)
        self.lease.renew()
        self._loaded_subscriptions += [
            e.SubscriptionRequested(message, facts) for message, facts in state.subscriptions
        ]
        self.engine_state.update_pools(pool_records)
        self._planner.enqueue(dag.dag_pk for dag in state.dags)
        self._asset_runs.enqueue(dag.dag_pk for dag in state.dags)
        self._backfills.enqueue(backfill.dag_pk for backfill in state.backfills)
        self._must_reload = False
        self._mailbox.on_groups_acquired(self._epochs())
        if any(
            row.deferral is not None and row.deferral.due_at is None and row.deferral.result is None
            for row in state.tasks
        ):
            self._wake_triggerers()
        self._wake_for_dags(state.dags)
        _log.info("groups_loaded", groups=len(gained), dags=len(state.dags), runs=len(state.runs))

    def _give_up_excess(self) -> bool:
        """Gives up idle groups above this scheduler's share, and loads the others again in the next round. True if it gave up any.

        A group is idle when no worker has an attempt of it: the next owner may be on another host, which cannot reach that worker.
        """
        excess = self.lease.count_excess()
        if not excess:
            return False
        idle = sorted(self._epochs().keys() - self.engine_state.list_busy_groups())[-excess:]
        if idle:
            self._reset_state()
            self.lease.give_up(idle)
        return bool(idle)

    def _collect(self) -> tuple[list[e.EngineEvent], list[int]]:
        """The events since the last round, and the mail_pks of the messages that they come from."""
        subscriptions, self._loaded_subscriptions = self._loaded_subscriptions, []
        events, messages = (
            self._collect_filtered() if self._withheld.quarantine else self._mailbox.collect(self._epochs())
        )
        return [*subscriptions, *events, *self._mutations.collect()], messages

    def _collect_filtered(self) -> tuple[list[e.EngineEvent], list[int]]:
        """As `Mailbox.collect`, while DAGs are set aside: without what is about them."""
        items, withheld = self._withheld.filter_items(self._mailbox.collect_items(self._epochs()), self._clock.now())
        self._quarantined += [item.row for item in withheld if item.row is not None]
        messages = [*(item.message for item in withheld), *(item for item in items if isinstance(item, MailRecord))]
        events = [event for item in withheld for event in item.events]
        return [*events, *self._mailbox.translate(items)], [message.mail_pk for message in messages]

    def _create_pool(self, name: str) -> None:
        """Creates the pool with `missing_pool_slots`, and reads all pools."""
        assert self._missing_pool_slots is not None
        with self._db.write() as tx:
            pools.set_pool(tx, name, self._missing_pool_slots)
            self.engine_state.update_pools(store_load.load_pools(tx))

    # ---- what the recovery of a round asks (`RecoverableScheduler`) ----------------------------------------------------
    def load_again(self) -> None:
        """Drops the engine state and loads the owned groups from the store."""
        self._reset_state()
        self._take_groups()

    def is_due(self, now: Instant) -> bool:
        """Whether a timer of the engine is due."""
        return self._wake_at is not None and self._wake_at <= now

    def collect_items(self) -> list[RoundItem]:
        """The messages and events that wait, not translated yet."""
        subscriptions, self._loaded_subscriptions = self._loaded_subscriptions, []
        return [*subscriptions, *self._mailbox.collect_items(self._epochs())]

    def list_stages(self) -> Sequence[Callable[[Instant], None]]:
        """What a round does after it has applied what has arrived: events that were found are applied one by one."""
        return [self._plan, self._create_asset_runs, *map(self._bind_finder, self._event_finders)]

    def _bind_finder(self, find_events: Callable[[Instant], list[e.EngineEvent]]) -> Callable[[Instant], None]:
        def apply_found(now: Instant) -> None:
            for event in find_events(now):
                self._step_and_commit([event], [], now)

        return apply_found

    def apply(
        self, events: list[e.EngineEvent], messages: list[int], quarantined: list[QuarantinedItem], now: Instant
    ) -> None:
        """One step and its commit, which also deletes these messages and stores these rows of the table `quarantine`."""
        self._quarantined += quarantined
        self._step_and_commit(events, messages, now)

    def _confirm_returns(self) -> None:
        """DAGs and groups that have returned are no longer named in the table: the round was committed with them."""
        if self._withheld.quarantine.has_returned:
            self._withheld.confirm_returns()
        if self._returned_groups:
            returned, self._returned_groups = self._returned_groups, []
            self._withheld.release_groups(returned)

    # ---- decide, commit, act -----------------------------------------------------------------------------------------
    def _step_and_commit(self, events: list[e.EngineEvent], messages: list[int], now: Instant) -> None:
        loaded, self._loaded = self._loaded, []
        result = step(self.engine_state, events, now, self._new_id, loaded)
        result.changes.mail_deleted += messages
        self._add_quarantined(result.changes, now)
        self._multipart.forward_requests(result.changes, now)
        self._touched = result.touched_groups
        self._commit(result)
        self._figures.record_step(result, now)
        self._pace.record(len(result.changes.attempts), self._clock.monotonic())
        self._touched = set()
        self._wake_for_dags([event.dag for event in events if isinstance(event, e.DagRead)])
        self._wake_at = result.wake_at
        self._planner.enqueue(sorted(result.plannable_dags))
        self._asset_runs.enqueue(sorted(result.plannable_dags))
        if result.changes.asset_events:
            self._mailbox.expect_mail()
        self._backfills.enqueue(
            dag_pk
            for dag_pk in sorted(result.plannable_dags)
            if dag_pk in self.engine_state.dags and self.engine_state.dags[dag_pk].backfills
        )
        self._edge_resolver.enqueue(result.unresolved_edges)
        self._deadline_resolver.enqueue(result.unresolved_deadlines)
        self._mutations.ask(result.mutation_questions)
        for worker_id, attempt_ids in result.acknowledges.items():
            self._executor.acknowledge(worker_id, attempt_ids)
        for worker_id, attempts in result.submits.items():
            self._executor.submit(worker_id, attempts)
        for order in result.cancels:
            self._executor.cancel(
                order.worker_id, order.attempt_id, order.reason, self.engine_state.limits.cancel_grace_s
            )
        paused = pause_failing_dags(self._db, self.lease.scheduler_id, self.engine_state, result.failing_dags, now)
        if paused:
            self._step_and_commit(paused, [], now)

    def _add_quarantined(self, changes: Changes, now: Instant) -> None:
        """Lets the transaction store the messages that could not be read, and those that wait for a DAG that is set aside."""
        for message, error in self._mailbox.take_unreadable():
            reason = render(say("message_cannot_be_read", name=type(error).__name__, error=str(error)))
            changes.quarantined.append(
                build_mail_row(message, [], self.engine_state, reason, type(error).__name__, now)
            )
        if self._quarantined:
            changes.quarantined += self._quarantined
            self._quarantined = []

    def _wake_for_dags(self, read: Collection[DagRecord]) -> None:
        """Wakes triggerers when DAGs were read that may begin or end the need for a watcher of an asset, the monitor for rules of alerts and baselines."""
        if any(dag.spec.alerts or dag.spec.baselines for dag in read):
            self._wake_monitor()
        if not any(dag.spec.asset_condition is not None or dag.spec.asset_watchers for dag in read):
            return
        with self._db.read() as tx:
            is_wanted = has_wanted_watchers(tx)
        if is_wanted:
            self._wake_triggerers()

    def _commit(self, result: StepResult) -> None:
        """Stores the step. The transaction proves that this scheduler still owns its groups, before a worker gets a message."""
        if not (result.changes or result.deleted_runs or result.deleted_dags or result.submits or result.cancels):
            return
        while True:
            try:
                with self._db.scheduler_write(self.lease.scheduler_id) as tx:
                    self._commits += 1
                    commit.apply_changes(
                        tx, result.changes, clear_state_on_success=self._settings.clear_state_on_success
                    )
                    commit.delete_runs(tx, result.deleted_runs)
                    commit.delete_dags(tx, result.deleted_dags)
                    self._store_submits(tx, result.submits)
                    if result.changes.mail_sent:
                        notify_on_commit(tx)
                break
            except PoolExhausted as refused:
                if not retract_admissions(self.engine_state, result, refused.pool):
                    raise CommitRefused(refused, result) from refused  # each retry has one pool fewer, so the loop ends
                self.contended += 1
            except Exception as error:
                if is_isolable(error, self._db):
                    raise CommitRefused(error, result) from error
                raise
        self._quarantine.record_commit(result.touched_groups)
        changes = result.changes
        if any(killed for _, killed in changes.deferrals_deleted) or any(
            wait.due_at is None for wait in changes.deferrals.values()
        ):
            self._wake_triggerers()

    def _update_gauges(self) -> None:
        self._figures.update_gauges(len(self.lease.epochs), self._commits, self.refused_commits)

    def _delete_history(self, dag_pk: int) -> bool:
        """Deletes a batch of the finished runs of a DAG that is being deleted; returns true if more are left."""
        with self._db.scheduler_write(self.lease.scheduler_id) as tx:
            return commit.delete_history(tx, dag_pk)

    def _plan(self, now: Instant) -> None:
        if not self._settings.use_schedule:
            return
        changes = self._planner.plan(now, self._settings.plan_batch)
        if not changes:
            return
        outcomes = self._store_plans(changes, now)
        created: list[RunRecord] = []
        stale: list[int] = []
        moved: list[CursorMove] = []
        for change, outcome in zip(changes, outcomes, strict=True):
            before = read_cursor(self.engine_state, change.dag_pk)
            self._planner.apply_outcome(change, outcome, now)
            moved.append(CursorMove(change.dag_pk, before, read_cursor(self.engine_state, change.dag_pk)))
            if not outcome.accepted:
                stale.append(change.dag_pk)
            created += outcome.created
            self._figures.record_created(outcome.created, now)
            record_manual_runs(self.engine_state, outcome)
            if outcome.error is not None:
                _log.error(
                    "plan_refused", dag_id=self.engine_state.dags[change.dag_pk].record.dag_id, error=outcome.error
                )
        events = read_created_runs(self._db, created, self.engine_state)
        events += build_cursor_events(self._db, moved, self.engine_state)
        if stale:
            with self._db.read() as tx:
                events += read_dags(tx, stale, self.engine_state)
        if events:
            self._step_and_commit(events, [], now)

    def _store_plans(self, changes: list[PlanChange], now: Instant) -> list[PlanOutcome]:
        """Stores the plans of all DAGs with one commit. If that fails, each alone: a DAG whose plan cannot be stored shows the error."""
        self._commits += 1
        try:
            with self._db.scheduler_write(self.lease.scheduler_id) as tx:
                return commit.create_planned_runs(tx, changes, now)
        except Exception as failure:
            if not is_isolable(failure, self._db):
                raise
            if len(changes) > 1:
                return [outcome for change in changes for outcome in self._store_plans([change], now)]
            what = describe_failure(failure, changes, stores_nul=self._db.dialect == SQLITE)
            reason = render(say("next_runs_cannot_be_stored", reason=what))
        with self._db.scheduler_write(self.lease.scheduler_id) as tx:
            return [commit.refuse_plan(tx, changes[0], reason)]

    def _create_asset_runs(self, now: Instant) -> None:
        if not self._settings.use_schedule:
            return
        created = self._asset_runs.create_runs(now)
        if created:
            self._step_and_commit(read_created_runs(self._db, created, self.engine_state), [], now)

    def _reset_after_outage(self, error: Exception) -> Instant:
        """Drops the engine state after an outage or an uncertain commit; the next round loads it from the store."""
        self.refused_commits += 1
        _log.warning("commit_refused", error=str(error), kind=type(error).__name__)
        self._reset_state()
        if isinstance(error, CommitUncertain):
            return self._clock.now()
        self._mailbox.on_database_outage()
        return self._clock.now() + int(RETRY_AWAY_S * SECOND)

    def _quarantine_after_error(self, error: Exception) -> Instant:
        """After an internal error or a rejected commit: quarantines the group that caused it, and reloads the others at once."""
        self.refused_commits += 1
        self._faults += 1
        now = self._clock.monotonic()
        if isinstance(error, EngineStepError) and error.group_no is not None:
            quarantined = [error.group_no]
            self._quarantine.quarantine_groups(quarantined, now)
        else:
            touched = error.result.touched_groups if isinstance(error, CommitRefused) else self._touched
            quarantined = self._quarantine.record_refusal(touched, now)
        self._returned_groups = []
        if quarantined:
            self._name_groups(quarantined, error)
        at = error.dag_id if isinstance(error, EngineStepError) else None
        _log.exception(
            "round_failed", error=str(error), kind=type(error).__name__, dag_id=at, groups_quarantined=quarantined
        )
        self._reset_state()
        return self._clock.now() + int(min(FAULT_RETRY_S * 2 ** min(self._faults, 10), BEAT_S) * SECOND)

    def _name_groups(self, groups: list[int], error: Exception) -> None:
        """Names the quarantined groups in the table, if the database takes that now."""
        cause = root_cause(error)
        kind = type(cause).__name__
        try:
            self._withheld.store_groups(groups, render(say("scheduler_failed", name=kind, error=str(cause))), kind)
        except Exception as failure:  # this is the last resort: the groups are in quarantine in any case
            _log.warning("quarantine_not_stored", error=str(failure), kind=type(failure).__name__)

    def _reset_state(self) -> None:
        drop_groups(self.engine_state, list(self.lease.epochs))
        self._planner.reset()
        self._asset_runs.reset()
        self._backfills.reset()
        self._edge_resolver.reset()
        self._deadline_resolver.reset()
        self._mutations.reset()
        self._multipart.reset()
        self._mailbox.reset()
        self._loaded, self._loaded_subscriptions, self._touched, self._quarantined = [], [], set(), []
        self._must_reload = True
        self._wake_at = None

    # ---- the loop ----------------------------------------------------------------------------------------------------
    def run(self, stop: Callable[[], bool]) -> None:
        """Calls `tick` until `stop()` is true or `rounds_max` is reached, then gives up the groups. Raises as `tick`.

        When the schema has changed it takes no more work: it gives up its groups, which a scheduler of the newer version takes, and raises. Attempts go on.
        """
        try:
            self._run_rounds(stop)
        except (SchemaTooNew, SchemaTooOld) as error:
            _log.error(
                "schema_changed",
                error=str(error),
                next="this scheduler gives up its groups and ends; running attempts go on",
            )
            self._release_groups()
            raise
        self._release_groups()

    def _run_rounds(self, stop: Callable[[], bool]) -> None:
        rounds = 0
        while not stop():
            commits = self._commits
            began_at = self._clock.monotonic()
            wake_at = self.tick()
            ended_at = self._clock.monotonic()
            self._figures.record_round(ended_at - began_at)
            rounds += self._commits == commits or not self._settings.counts_only_idle_rounds
            if self._settings.rounds_max is not None and rounds >= self._settings.rounds_max:
                _log.info("rounds_done", rounds=rounds, option="[scheduler] num_runs")
                break
            if self._commits != commits:
                self._wait(self._pace.find_wait_s(self.engine_state.live_attempt_count, began_at, ended_at))
            self._sleep((wake_at - self._clock.now()) / SECOND)

    def _release_groups(self) -> None:
        try:
            self.lease.release_all()
        except (ResourceUnavailable, ConfigurationError) as error:
            _log.warning("retire_failed", error=str(error))

    @staticmethod
    def _wait(seconds: float) -> None:
        """Wait without looking at events."""
        if seconds > 0:
            select.select([], [], [], seconds)

    def _sleep(self, seconds: float) -> None:
        if seconds <= 0:
            return
        if self._must_reload:  # unread events would end each sleep while the database is away
            self._wait(seconds)
            return
        descriptors = [*self._executor.read_filenos(), *self._planner.author_planner.filenos()]
        if self._listener is not None:
            descriptors.append(self._listener.fileno())
        try:
            notify = self._db.notification_fileno()
        except ResourceUnavailable:
            notify = None  # the next tick fails with the same error and logs it
        if notify is not None:
            descriptors.append(notify)
        select.select(descriptors, self._executor.write_filenos(), [], seconds)
