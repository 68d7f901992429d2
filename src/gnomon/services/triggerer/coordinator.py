"""One incarnation of a triggerer: claims triggers from the store, has its hosts run them, stores their events.

TRIGGER in docs/contributing/ownership.md is the protocol. An event counts once it is stored. A triggerer that was fenced
stores nothing more; the triggerer that takes its triggers over starts them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

import msgspec

from gnomon.author_code.processes.task_api_messages import TaskApiResponse, answer_request
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.metrics import Meter, ProcessFigures
from gnomon.ground.wakeups.store_retry import STORE_RETRY_S
from gnomon.model.attempts import build_trigger_log_path
from gnomon.model.deferral import DeferralResult
from gnomon.model.errors import ResourceUnavailable
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import EventRecord
from gnomon.model.sentences import render, say
from gnomon.queries.taskapi import TaskApiRefused, answer_trigger
from gnomon.services.triggerer.cancellations import TriggerJob
from gnomon.services.triggerer.host_pool import HostPool
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance
from gnomon.services.triggerer.settings import (
    ANSWER_BATCH,
    CLAIM_BATCH,
    FAULT_LOG_EVERY_S,
    SEND_BATCH,
    SWEEP_S,
    TriggererSettings,
)
from gnomon.services.triggerer.triggerer_metrics import TriggererMetrics, count_blocked_now
from gnomon.services.triggerer.watcher_coordinator import WatcherCoordinator
from gnomon.storage.store import CommitUncertain, Database, FencedError, WrongKey, notify_on_commit
from gnomon.storage.store.coordination.service_figures import FiguresWriter
from gnomon.storage.store.dag_records import event_log
from gnomon.storage.store.trigger_queue import trigger_claims, triggerer_leases, watcher_claims

_log = log.get_logger("triggerer")


class TriggererCoordinator:
    """One incarnation of a triggerer. `tick` is one round; it never blocks on triggers."""

    def __init__(
        self,
        *,
        settings: TriggererSettings,
        db: Database,
        clock: Clock,
        host_pool: HostPool,
        triggerer_id: str,
        host: str,
        wake_owners: Callable[[], object],
        meter: Meter | None = None,
    ) -> None:
        """`wake_owners` wakes the schedulers of this host to read their mailboxes. `meter`: of the process, which outlives incarnations."""
        self._settings = settings
        self._db = db
        self._clock = clock
        self._host_pool = host_pool
        self.triggerer_id = triggerer_id
        self._host = host
        self._wake_owners = wake_owners
        self._metrics = TriggererMetrics(meter or Meter(), host, settings.capacity)
        self._figures = FiguresWriter(ProcessFigures(), "triggerer", triggerer_id, host, clock)
        self._figures.refresh = lambda: self._metrics.copy_counters(self._figures.figures)
        self._registered = False
        self._next_heartbeat_at = 0.0
        self._next_sweep_at = 0.0
        self._next_take_over_at = 0.0
        self._away_until = 0.0
        self._is_woken = True
        self._has_more_to_claim = False
        self._is_full = False
        """The last claim filled the capacity: triggers that no triggerer runs may be left in the store."""
        self._unstored_events: list[trigger_claims.OutgoingTriggerEvent] = []
        self._finished_on_kills: list[int] = []
        """trigger_pks whose `on_kill` is over, and whose rows in the store are still there."""
        self._fault_logged_at: dict[tuple[str, str], float] = {}
        self.stored_count = 0
        """Events stored since the start."""
        self.watchers = WatcherCoordinator(db, clock, host_pool, triggerer_id, settings.saved_events)

    def wake(self) -> None:
        """Read the store in the next round: there may be changes."""
        self._is_woken = True

    def tick(self) -> Instant:
        """One bounded round; returns the instant at which to call again at the latest. Raises FencedError when this incarnation was
        fenced, or when the outcome of a claim is unknown.
        """
        self._collect_outcomes()
        if self._clock.monotonic() < self._away_until:
            return self._wake_at()
        try:
            self._heartbeat()
            self._take_over()
            self._store_events()
            self._store_watcher_events()
            self._answer_requests()
            self._store_finished_on_kills()
            self._log_faults()
            if self._is_woken or self._has_more_to_claim or self._clock.monotonic() >= self._next_sweep_at:
                self._claim_and_cancel()
        except FencedError:
            self.save_watcher_events()
            raise
        except (ResourceUnavailable, WrongKey) as error:
            self._away_until = self._clock.monotonic() + STORE_RETRY_S
            self._is_woken = True
            _log.warning("database_unavailable", error=str(error), again_after_s=STORE_RETRY_S)
        return self._wake_at()

    def retire(self) -> None:
        """Store what has happened, then give all triggers back for other triggerers to claim."""
        self._collect_outcomes()
        while self._unstored_events or self._finished_on_kills or self.watchers.has_unstored:
            self._store_events()
            self._store_watcher_events()
            self._store_finished_on_kills()
        if self._registered:
            with self._db.write() as tx:
                triggerer_leases.retire_triggerer(tx, self.triggerer_id)
                self._figures.remove(tx)
                notify_on_commit(tx)
            self._registered = False

    # ---- one round --------------------------------------------------------------------------------------------------
    def _wake_at(self) -> Instant:
        now = self._clock.monotonic()
        times = [
            *(
                max(at, self._away_until)
                for at in (self._next_heartbeat_at, self._next_sweep_at, self._next_take_over_at)
            ),
            now + self._host_pool.wake_in_s,
        ]
        if (
            self._unstored_events
            or self._finished_on_kills
            or self.watchers.has_unstored
            or self._has_more_to_claim
            or self._is_woken
            or self._host_pool.requests
        ) and now >= self._away_until:
            times.append(now)
        return self._clock.now() + int((min(times) - now) * SECOND)

    def _collect_outcomes(self) -> None:
        """Queue the ends of triggers since the last round for storing."""
        outcomes = self._host_pool.run_once()
        self.watchers.collect_events()
        for job, result in outcomes:
            if isinstance(job, watcher_claims.ClaimedWatcher):
                self.watchers.on_end(job, result)
                continue
            assert isinstance(job, trigger_claims.ClaimedTrigger)
            self._unstored_events.append(
                trigger_claims.OutgoingTriggerEvent(job.trigger_pk, job.key, job.defer_seq, job.group_no, result)
            )
        self._finished_on_kills += self._host_pool.take_finished_on_kills()

    def _heartbeat(self) -> None:
        if self._registered and self._clock.monotonic() < self._next_heartbeat_at:
            return
        settings = self._settings
        with self._db.write() as tx:
            if not self._registered:
                triggerer_leases.register_triggerer(
                    tx, self.triggerer_id, self._host, settings.capacity, settings.queues
                )
            elif not triggerer_leases.beat_triggerer(
                tx, self.triggerer_id, {**self._metrics.counted, **count_blocked_now(self._host_pool.blocked_loops)}
            ):
                raise FencedError(say("triggerer_was_declared_dead", triggerer=self.triggerer_id))
            self._figures.write_if_due(tx)
        self._registered = True
        self._next_heartbeat_at = self._clock.monotonic() + settings.beat_s
        self._metrics.record_heartbeat(len(self._host_pool))

    def _take_over(self) -> None:
        """Fence triggerers whose heartbeats have stopped, within SWEEP_S of the instant at which that is allowed."""
        if self._clock.monotonic() < self._next_take_over_at:
            return
        self._next_take_over_at = self._clock.monotonic() + SWEEP_S
        with self._db.autocommit() as tx:
            is_silent = triggerer_leases.has_silent_triggerer(tx, self.triggerer_id, self._settings.beat_s)
        if not is_silent:
            return
        with self._db.triggerer_write(self.triggerer_id) as tx:
            fenced = triggerer_leases.fence_silent_triggerers(tx, self.triggerer_id, self._settings.beat_s)
        for dead in fenced:
            _log.warning("triggerer_fenced", triggerer=dead)
            self._is_woken = True

    def _store_events(self) -> None:
        """Store one batch of events. An event that is stored twice counts once."""
        if not self._unstored_events:
            return
        batch = self._unstored_events[:SEND_BATCH]
        with self._db.triggerer_write(self.triggerer_id) as tx:
            trigger_claims.send_events(tx, self.triggerer_id, batch)
            notify_on_commit(tx)
        del self._unstored_events[: len(batch)]
        self.stored_count += len(batch)
        self._metrics.record_outcomes(event.result.outcome for event in batch)
        self._is_woken = self._is_woken or self._is_full  # there is capacity again
        self._wake_owners()

    def _store_watcher_events(self) -> None:
        """Store the events of watchers, whose triggers wait until then, and wake the owners of the DAGs that consume them."""
        if self.watchers.store_events():
            self._wake_owners()
        self._metrics.record_watchers(len(self.watchers), self.watchers.published_count, self.watchers.failed_count)

    def save_watcher_events(self) -> None:
        """Store what watchers have yielded, also after a fence or `retire`: the trigger may have taken it from its source already."""
        self.watchers.collect_events()
        try:
            self._store_watcher_events()
        except (FencedError, ResourceUnavailable) as error:
            _log.warning("watcher_events_not_stored", error=str(error))

    def _store_finished_on_kills(self) -> None:
        """Delete the rows of triggers whose `on_kill` is over: a triggerer that takes over must not call `on_kill` again."""
        batch = self._finished_on_kills[:SEND_BATCH]
        if not batch:
            return
        with self._db.triggerer_write(self.triggerer_id) as tx:
            trigger_claims.delete_finished_on_kills(tx, self.triggerer_id, batch)
        del self._finished_on_kills[: len(batch)]

    def _answer_requests(self) -> None:
        """Answer one batch of Task API requests, equal requests once; a request that met an unavailable store stays in the queue."""
        responses: dict[bytes, TaskApiResponse] = {}
        for host, ask in list(islice(self._host_pool.requests, ANSWER_BATCH)):
            key = msgspec.msgpack.encode(ask.request)
            if key not in responses:
                responses[key] = answer_request(
                    partial(answer_trigger, self._db),
                    ask,
                    log=_log,
                    refusals=(TaskApiRefused,),
                    reraised=(ResourceUnavailable,),
                )
            self._host_pool.requests.popleft()
            host.send(msgspec.structs.replace(responses[key], number=ask.number))

    def _log_faults(self) -> None:
        """Record blocked loops and unresponsive triggers in the audit log of their runs, each class once in FAULT_LOG_EVERY_S."""
        reports = self._host_pool.take_block_reports()
        self._metrics.record_blocks(self._host_pool.block_count, (job.classpath for job, _ in reports))
        faults = [
            ("trigger_blocked", job, f"blocked the event loop of all triggers:\n{report.stack}")
            for job, report in reports
        ]
        faults += [
            (
                "trigger_unresponsive",
                job,
                f"was cancelled {seconds:.0f} s ago and has not ended; `gnomon triggerer reload` ends it",
            )
            for job, seconds in self._host_pool.take_unresponsive()
        ]
        now = self._clock.monotonic()
        due = [
            fault
            for fault in faults
            if now - self._fault_logged_at.get((fault[0], fault[1].classpath), -FAULT_LOG_EVERY_S) >= FAULT_LOG_EVERY_S
        ]
        if not due:
            return
        with self._db.triggerer_write(self.triggerer_id) as tx:
            for kind, job, body in due:
                self._fault_logged_at[kind, job.classpath] = now
                event_log.log_event(tx, _fault_record(self._clock.now(), kind, job, f"{job.classpath} {body}"))

    def _claim_and_cancel(self) -> None:
        """Cancel triggers whose wait has ended or whose DAG is paused; claim triggers that no triggerer runs, up to the capacity."""
        own_id = self.triggerer_id
        capacity_left = min(CLAIM_BATCH, self._settings.capacity - len(self._host_pool) - len(self._unstored_events))
        self._is_woken = False
        with self._db.autocommit() as tx:
            pending = trigger_claims.find_pending_work(tx, own_id)
        suspended, ended, claimed = (
            self._read_changes(pending, capacity_left) if pending.has_any else ([], trigger_claims.EndedTriggers(), [])
        )
        self.watchers.claim_and_cancel(max(0, capacity_left - len(claimed)))
        self._next_sweep_at = self._clock.monotonic() + SWEEP_S
        self._has_more_to_claim = len(claimed) == capacity_left > 0
        self._is_full = len(claimed) >= capacity_left
        self._host_pool.cancel([*ended.cancelled, *suspended], on_kill=False)
        self._host_pool.cancel(ended.to_kill, on_kill=True)
        self._host_pool.start_on_kill(
            (trigger, _task_instance_of(trigger)) for trigger in self._skip_unreadable(ended.adopted)
        )
        self._host_pool.start((trigger, _task_instance_of(trigger)) for trigger in self._skip_unreadable(claimed))
        if claimed:
            _log.debug("triggers_claimed", triggers=len(claimed))

    def _read_changes(
        self, pending: trigger_claims.PendingTriggerWork, capacity_left: int
    ) -> tuple[list[int], trigger_claims.EndedTriggers, list[trigger_claims.ClaimedTrigger]]:
        """Apply pending changes in one transaction; returns trigger_pks of paused DAGs, ended triggers and newly claimed triggers."""
        own_id, queues = self.triggerer_id, self._settings.queues
        try:
            with self._db.triggerer_write(own_id) as tx:
                # A trigger whose event is not stored yet is kept: otherwise it would run again when the DAG is unpaused.
                suspended = (
                    trigger_claims.release_paused_triggers(tx, own_id)
                    if pending.has_paused and not self._unstored_events
                    else []
                )
                ended = (
                    trigger_claims.list_ended_triggers(tx, own_id, queues)
                    if pending.has_ended
                    else trigger_claims.EndedTriggers()
                )
                claimed = (
                    trigger_claims.claim_triggers(tx, own_id, capacity_left, queues) if pending.has_unclaimed else []
                )
        except CommitUncertain as error:
            raise FencedError(say("claims_of_triggers_are_unknown", triggerer=own_id, error=str(error))) from error
        return suspended, ended, claimed

    def _skip_unreadable(
        self, claimed: Sequence[trigger_claims.ClaimedTrigger]
    ) -> Iterator[trigger_claims.ClaimedTrigger]:
        """The triggers whose arguments can be read; each of the others fails its task, or is skipped when only `on_kill` was due."""
        for trigger in claimed:
            if trigger.fault is None:
                yield trigger
                continue
            _log.error(
                "trigger_unreadable",
                trigger=trigger.classpath,
                task=_task_instance_of(trigger).describe(),
                error=trigger.fault,
            )
            if trigger.defer_seq:
                result = DeferralResult(
                    outcome="error", reason=render(say("trigger_arguments_are_unreadable", fault=trigger.fault))
                )
                self._unstored_events.append(
                    trigger_claims.OutgoingTriggerEvent(
                        trigger.trigger_pk, trigger.key, trigger.defer_seq, trigger.group_no, result
                    )
                )
            else:
                self._finished_on_kills.append(trigger.trigger_pk)


def _fault_record(at: Instant, kind: str, job: TriggerJob, body: str) -> EventRecord:
    """The record of the audit log; that of a watcher belongs to no run."""
    if isinstance(job, trigger_claims.ClaimedTrigger):
        return EventRecord(
            at, kind, job.dag_pk, job.key.run_pk, job.key.task_no, job.key.map_index, by="triggerer", body=body
        )
    return EventRecord(at, kind, by="triggerer", body=body)


def _task_instance_of(trigger: trigger_claims.ClaimedTrigger) -> TriggerTaskInstance:
    has_task = bool(trigger.task_id)  # False when the DAG was deleted meanwhile
    return TriggerTaskInstance(
        dag_id=trigger.dag_id,
        run_id=trigger.run_id,
        task_id=trigger.task_id,
        map_index=trigger.key.map_index,
        try_number=trigger.try_number,
        log=build_trigger_log_path(trigger.dag_id, trigger.run_id, trigger.task_id, trigger.key.map_index, trigger.seq)
        if has_task
        else None,
    )
