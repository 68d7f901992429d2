"""The keeper: what it claims from the store, what its hosts run, and what it stores of it (OWNERSHIP.md line 21).

An event counts once it is stored. A keeper that was fenced stores nothing more; whoever has its triggers then runs them anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

import msgspec

from gnomon import log
from gnomon.clock import Clock
from gnomon.errors import ResourceUnavailable
from gnomon.metrics import Meter
from gnomon.model.attempts import build_trigger_log_path
from gnomon.model.deferral import DeferralResult
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import EventRecord
from gnomon.processes.task_api_messages import TaskApiResponse, answer_request
from gnomon.store import CommitUncertain, Database, FencedError, WrongKey, notify_on_commit
from gnomon.store.dag_records import event_log
from gnomon.store.trigger_queue import trigger_claims, triggerer_leases
from gnomon.taskapi import TaskApiRefused, answer_trigger
from gnomon.triggerer.host_pool import HostPool
from gnomon.triggerer.host_protocol import TriggerTaskInstance
from gnomon.triggerer.settings import (
    ANSWER_BATCH,
    CLAIM_BATCH,
    FAULT_LOG_EVERY_S,
    SEND_BATCH,
    STORE_RETRY_S,
    SWEEP_S,
    TriggererSettings,
)
from gnomon.triggerer.triggerer_metrics import TriggererMetrics

_log = log.get_logger("triggerer")


class TriggererCoordinator:
    """One incarnation of a triggerer. `tick` is one round; everything from outside is an argument."""

    def __init__(
        self, *, settings: TriggererSettings, db: Database, clock: Clock, crew: HostPool, triggerer_id: str, host: str,
        wake_owners: Callable[[], object], meter: Meter | None = None,
    ) -> None:
        """`wake_owners`: schedulers of this host look at their mail. `meter`: of the process, which may have had others before."""
        self._settings = settings
        self._db = db
        self._clock = clock
        self._host_pool = crew
        self.triggerer_id = triggerer_id
        self._host = host
        self._wake_owners = wake_owners
        self._metrics = TriggererMetrics(meter or Meter(), host, settings.capacity)
        self._registered = False
        self._next_heartbeat_at = 0.0
        self._next_sweep_at = 0.0
        self._next_take_over_at = 0.0
        self._away_until = 0.0
        self._is_woken = True
        self._has_more_to_claim = False
        self._is_full = False
        """There was no room, or none is left, for what nobody runs."""
        self._unstored_events: list[trigger_claims.OutgoingTriggerEvent] = []
        self._finished_on_kills: list[int] = []
        """Triggers that have heard `on_kill`, and whose notes are still there."""
        self._fault_logged_at: dict[tuple[str, str], float] = {}
        self.stored_count = 0
        """Events stored since the start."""

    def wake(self) -> None:
        """There may be something new in the store."""
        self._is_woken = True

    def tick(self) -> Instant:
        """One bounded round; returns when to call again at the latest. Raises Fenced when this incarnation is over."""
        self._collect_outcomes()
        if self._clock.monotonic() < self._away_until:
            return self._wake_at()
        try:
            self._heartbeat()
            self._take_over()
            self._store_events()
            self._answer_requests()
            self._store_finished_on_kills()
            self._log_faults()
            if self._is_woken or self._has_more_to_claim or self._clock.monotonic() >= self._next_sweep_at:
                self._claim_and_cancel()
        except FencedError:
            raise
        except (ResourceUnavailable, WrongKey) as error:
            self._away_until = self._clock.monotonic() + STORE_RETRY_S
            self._is_woken = True
            _log.warning("store_away", error=str(error), again_after_s=STORE_RETRY_S)
        return self._wake_at()

    def retire(self) -> None:
        """What has happened is stored, and the triggers are anybody's at once."""
        self._collect_outcomes()
        while self._unstored_events or self._finished_on_kills:
            self._store_events()
            self._store_finished_on_kills()
        if self._registered:
            with self._db.write() as tx:
                triggerer_leases.retire_triggerer(tx, self.triggerer_id)
                notify_on_commit(tx)
            self._registered = False

    # ---- one round --------------------------------------------------------------------------------------------------
    def _wake_at(self) -> Instant:
        now = self._clock.monotonic()
        times = [*(max(at, self._away_until) for at in (self._next_heartbeat_at, self._next_sweep_at, self._next_take_over_at)), now + self._host_pool.wake_in_s]
        if (self._unstored_events or self._finished_on_kills or self._has_more_to_claim or self._is_woken or self._host_pool.requests) and now >= self._away_until:
            times.append(now)
        return self._clock.now() + int((min(times) - now) * SECOND)

    def _collect_outcomes(self) -> None:
        """What hosts told since the last round waits to be stored."""
        for job, fired in self._host_pool.run_once():
            assert isinstance(job, trigger_claims.ClaimedTrigger)
            self._unstored_events.append(trigger_claims.OutgoingTriggerEvent(job.trigger_pk, job.key, job.defer_seq, job.group_no, fired))
        self._finished_on_kills += self._host_pool.take_finished_on_kills()

    def _heartbeat(self) -> None:
        if self._registered and self._clock.monotonic() < self._next_heartbeat_at:
            return
        settings = self._settings
        with self._db.write() as tx:
            if not self._registered:
                triggerer_leases.register_triggerer(tx, self.triggerer_id, self._host, settings.capacity, settings.queues)
            elif not triggerer_leases.beat_triggerer(tx, self.triggerer_id, self._metrics.counted):
                raise FencedError(f"triggerer {self.triggerer_id} was declared dead: it stops, and a new one starts in its place")
        self._registered = True
        self._next_heartbeat_at = self._clock.monotonic() + settings.beat_s
        self._metrics.record_heartbeat(len(self._host_pool))

    def _take_over(self) -> None:
        """Triggerers that have been silent for too long are fenced, within SWEEP_S of the instant at which they may be."""
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
        """A batch of events is stored: only then they have happened. Sent twice, they count once."""
        if not self._unstored_events:
            return
        batch = self._unstored_events[:SEND_BATCH]
        with self._db.triggerer_write(self.triggerer_id) as tx:
            trigger_claims.send_events(tx, self.triggerer_id, batch)
            notify_on_commit(tx)
        del self._unstored_events[: len(batch)]
        self.stored_count += len(batch)
        self._metrics.record_outcomes(one.fired.outcome for one in batch)
        self._is_woken = self._is_woken or self._is_full  # there is room again
        self._wake_owners()

    def _store_finished_on_kills(self) -> None:
        """Who takes over from here on need not call `on_kill` of these again."""
        batch = self._finished_on_kills[:SEND_BATCH]
        if not batch:
            return
        with self._db.triggerer_write(self.triggerer_id) as tx:
            trigger_claims.delete_kill_notes(tx, self.triggerer_id, batch)
        del self._finished_on_kills[: len(batch)]

    def _answer_requests(self) -> None:
        """A batch of what triggers asked is answered, equal questions once; what the store could not answer is asked again."""
        known: dict[bytes, TaskApiResponse] = {}
        for host, ask in list(islice(self._host_pool.requests, ANSWER_BATCH)):
            key = msgspec.msgpack.encode(ask.request)
            if key not in known:
                known[key] = answer_request(
                    partial(answer_trigger, self._db), ask, log=_log, refusals=(TaskApiRefused,), reraised=(ResourceUnavailable,)
                )
            self._host_pool.requests.popleft()
            host.send(msgspec.structs.replace(known[key], number=ask.number))

    def _log_faults(self) -> None:
        """Who held up the loop of all triggers, or ignored its end, stands in the audit log of its run: a class once in NOTE_S."""
        named = self._host_pool.take_block_reports()
        self._metrics.record_blocks(self._host_pool.block_count, (job.classpath for job, _ in named))
        found = [("trigger_blocked", job, f"held up the loop of all triggers:\n{told.stack}") for job, told in named]
        found += [
            ("trigger_lingers", job, f"was told to end and has not for {seconds:.0f} s; `gnomon triggerer reload` ends it")
            for job, seconds in self._host_pool.take_unresponsive()
        ]
        now = self._clock.monotonic()
        fresh = [one for one in found if now - self._fault_logged_at.get((one[0], one[1].classpath), -FAULT_LOG_EVERY_S) >= FAULT_LOG_EVERY_S]
        if not fresh:
            return
        with self._db.triggerer_write(self.triggerer_id) as tx:
            for kind, job, body in fresh:
                assert isinstance(job, trigger_claims.ClaimedTrigger)
                self._fault_logged_at[kind, job.classpath] = now
                event_log.log_event(tx, EventRecord(
                    self._clock.now(), kind, job.dag_pk, job.key.run_pk, job.key.task_no, job.key.map_index,
                    by="triggerer", body=f"{job.classpath} {body}",
                ))

    def _claim_and_cancel(self) -> None:
        """Ended and suspended triggers end here; what nobody runs is claimed, as far as there is room."""
        me = self.triggerer_id
        room = min(CLAIM_BATCH, self._settings.capacity - len(self._host_pool) - len(self._unstored_events))
        self._is_woken = False
        with self._db.autocommit() as tx:
            news = trigger_claims.find_pending_work(tx, me)
        suspended, ended, claimed = self._read_changes(news, room) if news.has_any else ([], trigger_claims.EndedTriggers(), [])
        self._next_sweep_at = self._clock.monotonic() + SWEEP_S
        self._has_more_to_claim = len(claimed) == room > 0
        self._is_full = len(claimed) >= room
        self._host_pool.cancel([*ended.cancelled, *suspended], on_kill=False)
        self._host_pool.cancel(ended.to_kill, on_kill=True)
        self._host_pool.start_on_kill((one, _task_instance_of(one)) for one in self._skip_unreadable(ended.adopted))
        self._host_pool.start((one, _task_instance_of(one)) for one in self._skip_unreadable(claimed))
        if claimed:
            _log.debug("triggers_claimed", triggers=len(claimed))

    def _read_changes(self, news: trigger_claims.PendingTriggerWork, room: int) -> tuple[list[int], trigger_claims.EndedTriggers, list[trigger_claims.ClaimedTrigger]]:
        """What is suspended, what has ended, and what is mine from here on."""
        me, queues = self.triggerer_id, self._settings.queues
        try:
            with self._db.triggerer_write(me) as tx:
                # What has an event that is not stored yet stays mine: nobody begins it anew when the DAG goes on.
                suspended = trigger_claims.release_paused_triggers(tx, me) if news.has_paused and not self._unstored_events else []
                ended = trigger_claims.list_ended_triggers(tx, me, queues) if news.has_ended else trigger_claims.EndedTriggers()
                claimed = trigger_claims.claim_triggers(tx, me, room, queues) if news.has_unclaimed else []
        except CommitUncertain as error:
            raise FencedError(f"nobody knows what triggerer {me} has claimed ({error}); a new one starts in its place") from error
        return suspended, ended, claimed

    def _skip_unreadable(self, found: Sequence[trigger_claims.ClaimedTrigger]) -> Iterator[trigger_claims.ClaimedTrigger]:
        """Those that can be run; each of the others fails its own task, or hears nothing."""
        for one in found:
            if one.fault is None:
                yield one
                continue
            _log.error("trigger_unreadable", trigger=one.classpath, task=_task_instance_of(one).describe(), error=one.fault)
            if one.defer_seq:
                fired = DeferralResult(outcome="error", reason=f"its arguments cannot be read: {one.fault}")
                self._unstored_events.append(trigger_claims.OutgoingTriggerEvent(one.trigger_pk, one.key, one.defer_seq, one.group_no, fired))
            else:
                self._finished_on_kills.append(one.trigger_pk)


def _task_instance_of(one: trigger_claims.ClaimedTrigger) -> TriggerTaskInstance:
    named = bool(one.task_id)  # not so when the DAG was deleted meanwhile
    return TriggerTaskInstance(
        dag_id=one.dag_id, run_id=one.run_id, task_id=one.task_id, map_index=one.key.map_index, try_number=one.try_number,
        log=build_trigger_log_path(one.dag_id, one.run_id, one.task_id, one.key.map_index, one.seq) if named else None,
    )
