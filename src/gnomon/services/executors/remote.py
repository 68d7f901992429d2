"""An executor whose workers claim their attempts: it stores what is submitted, and gives the name of each attempt to a message broker.

It presents itself to the scheduler as one worker, whose id is the name of the executor. A message may be lost, come twice or come late: the claim in the
store decides who runs an attempt (SUBMIT, line 19, in docs/contributing/ownership.md). Results come as mail.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.errors import ResourceUnavailable
from gnomon.model.records import WorkerRecord
from gnomon.services.executors.interface import AttemptEnded, ExecutorEvent, InventoryReceived, WorkerConnected

events = log.get_logger("executor")


UNSENT_S = 3.0
"""How long an attempt may be stored without a message until another scheduler sends one. That the first one was sent is recorded once a second (`_mark_published`)."""


class RemoteAttemptStore(Protocol):
    """The store as this executor needs it. Each method is one transaction, and raises ResourceUnavailable while the store is away."""

    def offer(self, attempts: Sequence[Attempt]) -> None:
        """Keep submitted attempts until their results are acknowledged; idempotent by attempt id. Most are stored already, by the transaction that queued them."""

    def mark_published(self, attempt_ids: Sequence[str]) -> None:
        """Record that the broker has messages about these attempts."""

    def list_unclaimed(self, older_than_s: float, unsent_s: float = 0.0) -> list[tuple[str, str, int]]:
        """(attempt id, queue, group) of unclaimed attempts without a message for `unsent_s`, or whose last message is older than that, or was sent before a worker was lost."""

    def cancel(self, attempt_id: str, reason: str, grace_s: float) -> None:
        """Ask the worker of the attempt to end it."""

    def list_held(self, groups: Sequence[int]) -> list[tuple[str, bool]]:
        """(attempt id, True once author code was entered) of the stored attempts of these groups."""

    def build_lost_results(self) -> list[AttemptResult]:
        """The results of attempts whose worker is lost, and of those that were cancelled before a worker claimed them."""

    def remove(self, attempt_ids: Sequence[str]) -> None:
        """Forget these attempts: the owner has their results."""


class Publisher(Protocol):
    """Gives messages to a broker in a thread of its own. No method blocks."""

    def publish(self, attempt_id: str, queue: str) -> None:
        """Send a message about this attempt; it is sent as soon as the broker can be reached."""

    def take_published(self) -> list[str]:
        """The attempts whose messages the broker has accepted since the last call."""

    def close(self) -> None:
        """End the thread. Messages that are not sent are sent again by the next scheduler, which finds them in the store."""


class RemoteExecutor:
    """`name`: the id of the worker that stands for it. `queued_timeout_s`: an attempt that nobody claimed for this long gets another message."""

    def __init__(
        self,
        name: str,
        slots: int,
        store: RemoteAttemptStore,
        publisher: Publisher,
        clock: Clock,
        queued_timeout_s: float,
    ) -> None:
        self.name = name
        self._slots = slots
        self._store = store
        self._publisher = publisher
        self._clock = clock
        self._queued_timeout_s = queued_timeout_s
        self._events: list[ExecutorEvent] = [WorkerConnected(name, slots)]
        self._offers: dict[str, Attempt] = {}
        """Submitted attempts that the store does not have yet."""
        self._cancels: dict[str, tuple[str, float]] = {}
        self._acknowledged: list[str] = []
        self._requested: set[int] = set()
        """Groups whose inventory is to be read."""
        self._published: list[str] = []
        self._sent_at: dict[str, float] = {}
        """When this process last sent a message about an attempt that it has not seen claimed, in monotonic seconds."""

    @property
    def standing_workers(self) -> frozenset[str]:
        """Ids of workers that are not listed in the store and are never lost."""
        return frozenset((self.name,))

    def refresh(self, workers: Sequence[WorkerRecord]) -> None:
        """Send messages about unclaimed attempts again, and report those without a live worker."""
        try:
            self._write()
            self._mark_published()
            for attempt_id, queue, _group in self._store.list_unclaimed(self._queued_timeout_s, UNSENT_S):
                if (
                    attempt_id not in self._sent_at
                    or self._clock.monotonic() - self._sent_at[attempt_id] >= self._queued_timeout_s
                ):  # else it is with the publisher
                    self._publish(attempt_id, queue)
            self._events.extend(AttemptEnded(self.name, result) for result in self._store.build_lost_results())
        except ResourceUnavailable as error:
            events.warning("remote_attempts_not_read", error=str(error))

    def submit(self, worker_id: str, attempts: Sequence[Attempt]) -> None:
        """Store the attempts that are not stored yet, then send the messages about all."""
        self._offers.update((attempt.attempt_id, attempt) for attempt in attempts)
        self._try_to_write()

    def cancel(self, worker_id: str, attempt_id: str, reason: str, grace_s: float) -> None:
        """Ask the worker of the attempt to end it, with its next heartbeat."""
        self._cancels[attempt_id] = (reason, grace_s)
        self._try_to_write()

    def acknowledge(self, worker_id: str, attempt_ids: Sequence[str]) -> None:
        """Forget these attempts."""
        self._acknowledged.extend(attempt_ids)
        for attempt_id in attempt_ids:  # of an attempt that ended before the broker took its message
            self._sent_at.pop(attempt_id, None)

    def request_inventory(self, worker_id: str, groups: Sequence[tuple[int, int]]) -> None:
        """Let the next `poll_events` read the attempts of these groups.

        Not now: an attempt that is submitted before the next round may have begun by then, which its owner learns by mail, and would be missing here.
        """
        self._requested.update(group for group, _epoch in groups)

    def poll_events(self) -> list[ExecutorEvent]:
        """Every event since the last call, with the inventory as it is now: the caller reads its mail after it, and so finds the results of attempts that are not in it."""
        received, self._events = self._events, []
        if self._requested:
            groups = tuple(sorted(self._requested))
            try:
                self._write()
                received.append(InventoryReceived(self.name, groups, tuple(self._store.list_held(groups)), ()))
                self._requested.clear()
            except ResourceUnavailable as error:
                events.warning("remote_attempts_not_read", error=str(error), again="with the next round")
        return received

    def read_filenos(self) -> list[int]:
        return []

    def write_filenos(self) -> list[int]:
        return []

    def close(self) -> None:
        """End the thread of the publisher; workers go on."""
        self._try_to_write()
        try:
            self._mark_published()
        except ResourceUnavailable as error:
            events.warning("messages_not_recorded", error=str(error), next="the next scheduler sends them again")
        self._publisher.close()

    def _try_to_write(self) -> None:
        try:
            self._write()
        except ResourceUnavailable as error:
            events.warning("remote_attempts_not_stored", error=str(error), again="with the next round")

    def _mark_published(self) -> None:
        """Once a second, not in each round: a scheduler that does not know of a message sends another one, which runs nothing."""
        self._published += self._publisher.take_published()
        if self._published:
            self._store.mark_published(self._published)
            for attempt_id in self._published:
                self._sent_at.pop(attempt_id, None)
            self._published.clear()

    def _write(self) -> None:
        if self._offers:
            offered = tuple(self._offers.values())
            self._store.offer(offered)
            self._offers.clear()
            for attempt in offered:
                self._publish(attempt.attempt_id, attempt.queue)
        for attempt_id, (reason, grace_s) in list(self._cancels.items()):
            self._store.cancel(attempt_id, reason, grace_s)
            del self._cancels[attempt_id]
        if self._acknowledged:
            self._store.remove(self._acknowledged)
            self._acknowledged.clear()

    def _publish(self, attempt_id: str, queue: str) -> None:
        self._sent_at[attempt_id] = self._clock.monotonic()
        self._publisher.publish(attempt_id, queue)
