"""The watchers of assets that one triggerer runs: claims their triggers, stores their events, starts them again when they have ended."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.author_code.processes.host_process import HostProcess
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.asset_watchers import WatcherEvent
from gnomon.model.attempts import build_watcher_log_path
from gnomon.model.deferral import DeferralResult
from gnomon.model.instants import SECOND
from gnomon.model.sentences import render, say
from gnomon.model.storable_text import escape_unstorable
from gnomon.services.triggerer.host_pool import HostPool
from gnomon.services.triggerer.host_protocol import (
    FromTriggerHost,
    TriggerTaskInstance,
    WatchedAssets,
    WatcherEventsStored,
)
from gnomon.services.triggerer.saved_events import SavedEvents
from gnomon.storage.store import CommitUncertain, Database, FencedError
from gnomon.storage.store.trigger_queue import watcher_claims
from gnomon.storage.store.trigger_queue.watcher_claims import ClaimedWatcher, WatcherEnd

RESTART_S = 1.0
"""A trigger that has ended after an event is started again after this time."""
FIRST_RETRY_S = 2.0
"""Delay after the first failure; each further failure without an event doubles it."""
LAST_RETRY_S = 300.0
"""The longest delay after a failure. A trigger that ran longer than this begins with FIRST_RETRY_S again."""
FAILURE_MAX = 500
"""Characters kept of the reason of a failure."""
_log = log.get_logger("triggerer")


@dataclass(slots=True)
class _RunningWatcher:
    job: ClaimedWatcher
    started_at: float
    """Monotonic seconds."""
    has_fired: bool = False


class WatcherCoordinator:
    """The watchers of one incarnation of a triggerer. It holds what is not stored yet; nothing of it blocks on triggers."""

    def __init__(
        self, db: Database, clock: Clock, host_pool: HostPool, triggerer_id: str, saved_events: SavedEvents
    ) -> None:
        """`saved_events`: of this home; hosts write them."""
        self._saved_events = saved_events
        self._db = db
        self._clock = clock
        self._host_pool = host_pool
        self._triggerer_id = triggerer_id
        self._running: dict[int, _RunningWatcher] = {}
        """By key of the trigger, from its claim to its end."""
        self._ends: dict[int, WatcherEnd] = {}
        """Ends that are not stored yet."""
        self._unstored: list[tuple[HostProcess[FromTriggerHost] | None, int, WatcherEvent]] = []
        """Events that are not stored yet, each with its host and the number of its start; None: its host has ended without an answer."""
        self.published_count = 0
        """Asset events published since the start."""
        self.failed_count = 0
        """Failures of triggers since the start."""

    def __len__(self) -> int:
        return len(self._running)

    @property
    def has_unstored(self) -> bool:
        """Whether an event or an end is not stored yet."""
        return bool(self._unstored or self._ends)

    def collect_events(self) -> None:
        """Take over the events that hosts have sent, to be stored."""
        events, self._host_pool.watcher_events = self._host_pool.watcher_events, []
        for host, message in events:
            running = self._running.get(message.event.asset_trigger_pk)
            if running is not None:
                running.has_fired = True
            self._unstored.append((host, message.number, message.event))

    def on_end(self, job: ClaimedWatcher, result: DeferralResult) -> None:
        """The trigger has ended; it is started again, after a failure with a growing delay."""
        running = self._running.pop(job.asset_trigger_pk, None)
        now = self._clock.now()
        if result.outcome == "event":
            self._ends[job.asset_trigger_pk] = WatcherEnd(job.asset_trigger_pk, now + round(RESTART_S * SECOND))
            return
        is_new_series = running is not None and (
            running.has_fired or self._clock.monotonic() - running.started_at > LAST_RETRY_S
        )
        failures = 1 if is_new_series else job.failures + 1
        delay_s = min(FIRST_RETRY_S * 2.0 ** min(failures - 1, 30), LAST_RETRY_S)
        failure = escape_unstorable(result.reason or "the trigger ended without a reason")[:FAILURE_MAX]
        self._ends[job.asset_trigger_pk] = WatcherEnd(
            job.asset_trigger_pk, now + round(delay_s * SECOND), failures, failure, now
        )
        self.failed_count += 1
        _log.warning("watcher_failed", watcher=describe_watcher(job), error=failure, again_after_s=delay_s)

    def store_events(self) -> bool:
        """Store the events that hosts wait for, then the ends; True when an event was published.

        The transaction needs no fence: an event that a trigger has yielded is published once, by its uid, whoever owns the trigger now.
        """
        if not self._unstored:
            self._store_ends()
            return False
        batch = list(self._unstored)
        with self._db.write() as tx:
            count = watcher_claims.publish_watcher_events(tx, [event for _, _, event in batch], self._clock.now())
        del self._unstored[: len(batch)]
        self.published_count += count
        by_host: dict[HostProcess[FromTriggerHost], list[int]] = {}
        for host, number, event in batch:
            if host is None:
                self._saved_events.drop(event)
            else:
                by_host.setdefault(host, []).append(number)
        for host, numbers in by_host.items():
            host.send(WatcherEventsStored(numbers=numbers))
        self._store_ends()
        return count > 0

    def _store_ends(self) -> None:
        if not self._ends:
            return
        ends = dict(self._ends)
        with self._db.triggerer_write(self._triggerer_id) as tx:
            watcher_claims.record_watcher_ends(tx, self._triggerer_id, ends.values())
        for pk, end in ends.items():
            if self._ends.get(pk) is end:
                del self._ends[pk]

    def claim_and_cancel(self, capacity_left: int) -> None:
        """Cancel triggers that no active DAG needs any more, and claim triggers that no triggerer runs, up to the capacity."""
        now, own_id = self._clock.now(), self._triggerer_id
        self._find_saved_events()
        with self._db.autocommit() as tx:
            pending = watcher_claims.find_pending_watchers(tx, own_id, now)
            own = watcher_claims.list_running_watchers(tx, own_id) if self._running else set()
        claimed: list[ClaimedWatcher] = []
        if pending.has_unwanted or (pending.has_unclaimed and capacity_left > 0):
            try:
                with self._db.triggerer_write(own_id) as tx:
                    if pending.has_unwanted:
                        watcher_claims.release_unwanted_watchers(tx, own_id)
                    claimed = watcher_claims.claim_watchers(tx, own_id, capacity_left, now)
                    own = watcher_claims.list_running_watchers(tx, own_id)
            except CommitUncertain as error:
                raise FencedError(say("claims_of_watchers_are_unknown", triggerer=own_id, error=str(error))) from error
        started = {job.asset_trigger_pk for job in claimed}
        self._cancel(
            {pk for pk in self._running if pk not in own or pk in started}
        )  # in SQLite a new trigger may have the key of a deleted one
        self._start(claimed)

    def _find_saved_events(self) -> None:
        """Queue what hosts have left behind; the next round stores it."""
        if self._unstored:
            return
        self._unstored = [(None, 0, event) for event in self._saved_events.list_left(self._clock.now() / SECOND)]
        if self._unstored:
            _log.info("watcher_events_found", events=len(self._unstored))

    def _cancel(self, pks: set[int]) -> None:
        for pk in pks:
            _log.info("watcher_stopped", watcher=describe_watcher(self._running.pop(pk).job))
        self._host_pool.cancel((-pk for pk in pks), on_kill=False)

    def _start(self, claimed: list[ClaimedWatcher]) -> None:
        for job in claimed:
            self._running[job.asset_trigger_pk] = _RunningWatcher(job, self._clock.monotonic())
            if job.fault is not None:
                reason = render(say("trigger_arguments_are_unreadable", fault=job.fault))
                self.on_end(job, DeferralResult(outcome="error", reason=reason))
                continue
            _log.info("watcher_started", watcher=describe_watcher(job), trigger=job.classpath)
            self._host_pool.start([(job, _watching(job))])


def describe_watcher(job: ClaimedWatcher) -> str:
    """The watchers of the trigger, for logs."""
    return _watching(job).describe()


def _watching(job: ClaimedWatcher) -> TriggerTaskInstance:
    watched = WatchedAssets(
        names=job.names, assets=tuple((asset.name, asset.uri) for asset in job.assets), identity=job.identity
    )
    return TriggerTaskInstance(
        dag_id="", run_id="", task_id="", log=build_watcher_log_path(job.identity), watched=watched
    )
