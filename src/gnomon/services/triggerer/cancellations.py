"""Trigger starts that have ended or were cancelled, until their cleanup is over: `on_kill` retries and unresponsive triggers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance

ON_KILL_TRIES_MAX = 2
"""Hosts in which `on_kill` of one trigger is started; a host that ends during `on_kill` uses up one try."""
UNRESPONSIVE_S = 90.0
"""A cancelled trigger that has not ended after this time is reported and no longer tracked."""
REPORTS_MAX = 100
"""Reports kept until they are taken; older ones are dropped."""
_log = log.get_logger("triggerer")


class TriggerJob(Protocol):
    """A trigger to run: its row in the store, its class and its serialized arguments."""

    @property
    def trigger_pk(self) -> int: ...
    @property
    def classpath(self) -> str: ...
    @property
    def kwargs(self) -> str: ...


@dataclass(slots=True)
class CancellingTrigger:
    """A start that has ended or was cancelled; its cleanup may still run."""

    job: TriggerJob
    task_instance: TriggerTaskInstance
    cancelled_at: float
    """Monotonic seconds."""
    on_kill: bool = False
    """The trigger runs `on_kill`; its end is reported by `take_finished_on_kills`."""
    on_kill_tries: int = 1


class CancellationTracker:
    """Tracks cancelled trigger starts by their number, the oldest first."""

    def __init__(self, clock: Clock, unresponsive_s: float) -> None:
        self._clock = clock
        self._unresponsive_s = unresponsive_s
        self._cancelling: dict[int, CancellingTrigger] = {}
        self._pending_on_kills: list[CancellingTrigger] = []
        self._finished_on_kills: list[int] = []
        self._unresponsive: list[tuple[TriggerJob, float]] = []

    @property
    def has_pending_on_kills(self) -> bool:
        """Whether a trigger waits for a host that runs its `on_kill`."""
        return bool(self._pending_on_kills)

    def add(
        self,
        number: int,
        job: TriggerJob,
        task_instance: TriggerTaskInstance,
        *,
        on_kill: bool = False,
        on_kill_tries: int = 1,
    ) -> None:
        """Track the start `number` until its host reports that it finished."""
        self._cancelling[number] = CancellingTrigger(
            job, task_instance, self._clock.monotonic(), on_kill, on_kill_tries
        )

    def on_finished(self, number: int) -> None:
        """The host reported that the start `number` has ended, cleanup included."""
        cancelling = self._cancelling.pop(number, None)
        if cancelling is not None and cancelling.on_kill:
            self._finished_on_kills.append(cancelling.job.trigger_pk)

    def on_host_exit(self, number: int) -> None:
        """The host of the start `number` has ended: `on_kill` is tried again in another host, at most ON_KILL_TRIES_MAX times."""
        cancelling = self._cancelling.pop(number, None)
        if cancelling is None or not cancelling.on_kill:
            return
        if cancelling.on_kill_tries < ON_KILL_TRIES_MAX:
            self._pending_on_kills.append(cancelling)
            return
        _log.error(
            "on_kill_given_up",
            trigger=cancelling.job.classpath,
            task=cancelling.task_instance.describe(),
            hosts_ended=cancelling.on_kill_tries,
        )
        self._finished_on_kills.append(cancelling.job.trigger_pk)

    def drop_unresponsive(self) -> list[int]:
        """Stop tracking the starts that have not ended within the limit; returns their numbers.

        Such a trigger no longer counts against capacity. Its host keeps running until the trigger returns.
        """
        now = self._clock.monotonic()
        dropped: list[int] = []
        while self._cancelling:
            number, cancelling = next(iter(self._cancelling.items()))
            waited_s = now - cancelling.cancelled_at
            if waited_s <= self._unresponsive_s:
                break
            del self._cancelling[number]
            dropped.append(number)
            _log.error(
                "trigger_unresponsive",
                trigger=cancelling.job.classpath,
                task=cancelling.task_instance.describe(),
                seconds=round(waited_s),
                remedy="the trigger ignores its cancellation; `gnomon triggerer reload` ends it",
            )
            self._unresponsive = [*self._unresponsive[-(REPORTS_MAX - 1) :], (cancelling.job, waited_s)]
            if cancelling.on_kill:
                self._finished_on_kills.append(cancelling.job.trigger_pk)
        return dropped

    # ---- on_kill of triggers that run in no host -----------------------------------------------------------------------
    def queue_on_kill(self, jobs: Iterable[tuple[TriggerJob, TriggerTaskInstance]]) -> None:
        """`on_kill` and `cleanup` of these triggers, which run in no host, are called as soon as a host can."""
        self._pending_on_kills += [
            CancellingTrigger(job, task_instance, 0.0, on_kill=True, on_kill_tries=0) for job, task_instance in jobs
        ]

    def take_pending_on_kills(self) -> list[CancellingTrigger]:
        """The triggers whose `on_kill` waits for a host; the list is empty afterwards."""
        pending, self._pending_on_kills = self._pending_on_kills, []
        return pending

    def clear_pending_on_kills(self) -> None:
        """Drop the triggers whose `on_kill` waits for a host."""
        self._pending_on_kills = []

    # ---- reports --------------------------------------------------------------------------------------------------------
    def add_finished_on_kills(self, trigger_pks: Iterable[int]) -> None:
        """Report these triggers as finished: there is no start of them to run `on_kill` in."""
        self._finished_on_kills += trigger_pks

    def take_finished_on_kills(self) -> list[int]:
        """The trigger_pks whose `on_kill` is over since the last call."""
        finished, self._finished_on_kills = self._finished_on_kills, []
        return finished

    def take_unresponsive(self) -> list[tuple[TriggerJob, float]]:
        """The triggers dropped as unresponsive since the last call, each with the seconds since its cancellation."""
        unresponsive, self._unresponsive = self._unresponsive, []
        return unresponsive

    def clear(self) -> None:
        """Drop everything but the reports of unresponsive triggers."""
        self._cancelling, self._pending_on_kills, self._finished_on_kills = {}, [], []
