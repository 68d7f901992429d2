"""An executor whose workers follow a script and a clock, without processes or sockets; tests can make any fault happen.

A `ScriptedWorker` is an object of its own. As a real worker it outlives the scheduler that is connected to it, keeps results
until they are acknowledged, refuses low epochs, and starts an attempt at most once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from gnomon.ground.clock import Clock
from gnomon.model.assets import AssetEmission
from gnomon.model.attempts import Attempt, AttemptResult, XComItem
from gnomon.model.deferral import Deferral
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import WorkerRecord
from gnomon.services.executors.interface import (
    AttemptEnded,
    AttemptEntered,
    AttemptRefused,
    ExecutorEvent,
    InventoryReceived,
    WorkerConnected,
    WorkerUnreachable,
)


@dataclass(frozen=True, slots=True)
class Play:
    """The script of one attempt: its durations in seconds, and its result."""

    run_s: float = 1.0
    enter_after_s: float = 0.0
    outcome: str = "success"
    reason: str | None = None
    retryable: bool = True
    entered: bool = True
    xcoms: tuple[XComItem, ...] = ()
    asset_events: tuple[AssetEmission, ...] | None = None
    """With outcome "success": the events that the attempt asks for; None: those of the task's spec."""
    skip_task_ids: tuple[str, ...] = ()
    return_length: int | None = None
    rendered_map_index: str | None = None
    resume_after_s: float | None = None
    wait_s: float | None = None
    """With outcome "deferred": a timer of so many seconds."""
    wait: Deferral | None = None
    """With outcome "deferred": the deferral to a trigger, instead of a timer. With "awaiting_input": the question."""


Script = Callable[[Attempt], Play]


@dataclass(slots=True)
class _LiveAttempt:
    attempt: Attempt
    play: Play
    enters_at: Instant
    ends_at: Instant
    entered: bool = False
    cancelled: str | None = None


@dataclass(slots=True)
class ScriptedWorker:
    """One incarnation of a worker. `started` lists every attempt that entered author code: id, attempt, instant."""

    worker_id: str
    clock: Clock
    script: Script
    slots: int = 32
    live: dict[str, _LiveAttempt] = field(default_factory=dict)
    results: dict[str, AttemptResult] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    epochs: dict[int, int] = field(default_factory=dict)
    started: list[tuple[str, Attempt, Instant]] = field(default_factory=list)
    refused: int = 0
    dead: bool = False

    def record(self) -> WorkerRecord:
        """The worker's row in the store."""
        return WorkerRecord(
            self.worker_id, "scripted", f"scripted:{self.worker_id}", self.slots, self.clock.now(), self.dead
        )

    def submit(self, attempts: Iterable[Attempt]) -> list[str]:
        """Accept attempts; returns the ids of those refused because the worker knows a higher epoch of their group."""
        refused = []
        now = self.clock.now()
        for attempt in attempts:
            if attempt.epoch < self.epochs.get(attempt.group_no, 0):
                refused.append(attempt.attempt_id)
                self.refused += 1
                continue
            self.epochs[attempt.group_no] = attempt.epoch
            if attempt.attempt_id in self.seen:
                continue
            self.seen.add(attempt.attempt_id)
            play = self.script(attempt)
            enters_at = now + int(play.enter_after_s * SECOND)
            self.live[attempt.attempt_id] = _LiveAttempt(attempt, play, enters_at, enters_at + int(play.run_s * SECOND))
        return refused

    def advance(self) -> list[tuple[str, int, Instant]]:
        """Follow the scripts up to now; returns (attempt id, group, instant) of each attempt that entered author code."""
        now = self.clock.now()
        entered = []
        for attempt_id, live in list(self.live.items()):
            if not live.entered and live.enters_at <= now and live.play.entered:
                live.entered = True
                self.started.append((attempt_id, live.attempt, live.enters_at))
                entered.append((attempt_id, live.attempt.group_no, live.enters_at))
            if live.ends_at <= now or live.cancelled is not None:
                self.results[attempt_id] = build_result(
                    live.attempt,
                    live.play,
                    started_at=live.enters_at if live.entered else None,
                    at=min(live.ends_at, now),
                    cancelled=live.cancelled,
                )
                del self.live[attempt_id]
        return entered

    def shift(self, change: Instant) -> None:
        """Move all pending instants by `change` microseconds after the wall clock was set, so that durations stay the same."""
        for live in self.live.values():
            live.enters_at += change if not live.entered else 0
            live.ends_at += change

    def next_at(self) -> Instant | None:
        """The instant at which the next attempt enters author code or ends, 0 when one was cancelled; None when there is none."""
        times = [
            0
            if live.cancelled is not None
            else live.ends_at
            if live.entered or not live.play.entered
            else live.enters_at
            for live in self.live.values()
        ]
        return min(times, default=None)


def build_result(
    attempt: Attempt, play: Play, *, started_at: Instant | None, at: Instant, cancelled: str | None
) -> AttemptResult:
    """The result of an attempt that ends at `at` by its script, or because it was cancelled for that reason.

    `started_at`: when it entered author code; None: it did not.
    """
    outcome, reason = (play.outcome, play.reason) if cancelled is None else ("failed", cancelled)
    return AttemptResult(
        attempt_id=attempt.attempt_id,
        group_no=attempt.group_no,
        run_pk=attempt.run.run_pk,
        task_no=attempt.task_no,
        map_index=attempt.map_index,
        outcome=outcome,
        reason=reason,
        retryable=play.retryable,
        entered=started_at is not None,
        started_at=started_at,
        ended_at=at,
        xcoms=play.xcoms,
        asset_events=play.asset_events,
        skip_task_ids=play.skip_task_ids if outcome == "success" else (),
        return_length=play.return_length if outcome == "success" else None,
        rendered_map_index=play.rendered_map_index,
        resume_at=None if play.resume_after_s is None else at + int(play.resume_after_s * SECOND),
        wait=_build_deferral(play, at) if outcome in ("deferred", "awaiting_input") else None,
    )


def _build_deferral(play: Play, at: Instant) -> Deferral:
    if play.wait is not None or play.wait_s is None:
        return play.wait or Deferral(classpath="scripted.Never", next_method="go_on")
    return Deferral(classpath="scripted.Timer", next_method="go_on", due_at=at + int(play.wait_s * SECOND))


class ScriptedExecutor:
    """The scheduler's side: passes attempts to the scripted workers that the store lists as live, and collects their events."""

    def __init__(self, workers: Callable[[], Iterable[ScriptedWorker]]) -> None:
        self._workers = workers
        self._connected: dict[str, ScriptedWorker] = {}
        self._events: list[ExecutorEvent] = []
        self._sent: dict[str, set[str]] = {}

    @property
    def standing_workers(self) -> frozenset[str]:
        return frozenset()

    def refresh(self, workers: Sequence[WorkerRecord]) -> None:
        live = {record.worker_id for record in workers}
        available = {worker.worker_id: worker for worker in self._workers() if not worker.dead}
        for worker_id in list(self._connected):
            if worker_id not in live or worker_id not in available:
                del self._connected[worker_id]
                self._events.append(WorkerUnreachable(worker_id))
        for worker_id in sorted(live & available.keys() - self._connected.keys()):
            self._connected[worker_id] = available[worker_id]
            self._sent[worker_id] = set()
            self._events.append(WorkerConnected(worker_id, available[worker_id].slots))

    def submit(self, worker_id: str, attempts: Sequence[Attempt]) -> None:
        worker = self._connected.get(worker_id)
        if worker is not None and not worker.dead:
            refused = worker.submit(attempts)
            if refused:
                self._events.append(AttemptRefused(worker_id, tuple(refused), "a higher epoch is known"))

    def cancel(self, worker_id: str, attempt_id: str, reason: str, grace_s: float) -> None:
        worker = self._connected.get(worker_id)
        if worker is not None and attempt_id in worker.live:
            worker.live[attempt_id].cancelled = reason

    def acknowledge(self, worker_id: str, attempt_ids: Sequence[str]) -> None:
        worker = self._connected.get(worker_id)
        for attempt_id in attempt_ids if worker is not None else ():
            self._connected[worker_id].results.pop(attempt_id, None)

    def request_inventory(self, worker_id: str, groups: Sequence[tuple[int, int]]) -> None:
        worker = self._connected.get(worker_id)
        if worker is None or worker.dead:
            return
        for group, epoch in groups:
            worker.epochs[group] = max(epoch, worker.epochs.get(group, 0))
        numbers = {group for group, _ in groups}
        running = tuple((i, live.entered) for i, live in worker.live.items() if live.attempt.group_no in numbers)
        results = tuple(result for result in worker.results.values() if result.group_no in numbers)
        self._events.append(InventoryReceived(worker_id, tuple(sorted(numbers)), running, results))

    def poll_events(self) -> list[ExecutorEvent]:
        for worker_id, worker in self._connected.items():
            if worker.dead:
                continue
            self._events += [AttemptEntered(worker_id, attempt, group, at) for attempt, group, at in worker.advance()]
            for attempt_id, result in worker.results.items():
                if attempt_id not in self._sent[worker_id]:
                    self._sent[worker_id].add(attempt_id)
                    self._events.append(AttemptEnded(worker_id, result))
        events, self._events = self._events, []
        return events

    def next_at(self) -> Instant | None:
        """The instant at which `poll_events` returns something new: 0 for at once, None for never."""
        if self._events:
            return 0
        return min((at for worker in self._connected.values() if (at := worker.next_at()) is not None), default=None)

    def read_filenos(self) -> list[int]:
        return []

    def write_filenos(self) -> list[int]:
        return []

    def close(self) -> None:
        self._connected = {}
