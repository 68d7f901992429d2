"""KubernetesExecutor: a `RemoteExecutor` whose messages are pods. It also reports attempts whose pods have ended without a result.

The result of an attempt comes from the worker in its pod, through the execution API. Only when a pod ends while the store still has its attempt, the end of the
pod is the result: the transaction that records it declares the worker lost, so that no result can come after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.attempts import Attempt
from gnomon.model.errors import ResourceUnavailable
from gnomon.model.executors import KUBERNETES_EXECUTOR
from gnomon.model.records import WorkerRecord
from gnomon.services.executors.interface import AttemptEnded, ExecutorEvent
from gnomon.services.executors.kubernetes.pod_controller import PodController, PodDelayed, PodImpossible, PodsListed
from gnomon.services.executors.kubernetes.pod_status import PodEnd, PodStatus
from gnomon.services.executors.kubernetes.pod_template import PodRefused, PodSettings, build_pod
from gnomon.services.executors.remote import RemoteAttemptStore, RemoteExecutor

events = log.get_logger("executor")


class PodAttemptStore(RemoteAttemptStore, Protocol):
    """The store as this executor needs it."""

    def find_attempt(self, attempt_id: str) -> Attempt | None:
        """The attempt, while its result is not stored."""

    def list_attempt_ids(self) -> list[str]:
        """The attempts whose results are not stored."""

    def lose_attempt(self, attempt_id: str, reason: str, *, costs_try: bool) -> bool:
        """Record that no worker will report the attempt. False: its result is stored already."""

    def note_wait(self, attempt_id: str, reason: str | None) -> None:
        """Record why no worker has claimed the attempt yet."""


class _PodPublisher:
    """What `RemoteExecutor` needs of a publisher: messages about attempts are their pods."""

    def __init__(self, store: PodAttemptStore, pods: PodSettings, controller: PodController) -> None:
        self._store = store
        self._pods = pods
        self._controller = controller
        self.names: dict[str, str] = {}
        """The names of pods, by attempt, as they were created or seen."""
        self.refused: list[tuple[str, str]] = []

    def publish(self, attempt_id: str, queue: str) -> None:
        attempt = self._store.find_attempt(attempt_id)
        if attempt is None:
            return
        try:
            pod = build_pod(self._pods, attempt)
        except PodRefused as error:
            self.refused.append((attempt_id, str(error)))
            return
        self.names[attempt_id] = pod["metadata"]["name"]
        self._controller.create(attempt_id, pod)

    def take_published(self) -> list[str]:
        return self._controller.take_created()

    def close(self) -> None:
        self._controller.close()


class KubernetesExecutor(RemoteExecutor):
    """`deletes_pods`, `deletes_failed_pods`: whether pods that have ended are deleted."""

    def __init__(
        self,
        slots: int,
        store: PodAttemptStore,
        pods: PodSettings,
        controller: PodController,
        clock: Clock,
        queued_timeout_s: float,
        *,
        deletes_pods: bool = True,
        deletes_failed_pods: bool = False,
    ) -> None:
        self._pod_publisher = _PodPublisher(store, pods, controller)
        super().__init__(KUBERNETES_EXECUTOR, slots, store, self._pod_publisher, clock, queued_timeout_s)
        self._pod_store = store
        self._controller = controller
        self._deletes_pods = deletes_pods
        self._deletes_failed_pods = deletes_failed_pods
        self._waits: dict[str, str | None] = {}
        """The last reason that was noted, by attempt: a status that says the same writes nothing."""
        self._given_up: set[str] = set()
        self._unread: list[object] = []

    def refresh(self, workers: Sequence[WorkerRecord]) -> None:
        """Record what became of the pods, then as every executor with workers that claim."""
        try:
            self._record_updates()
        except ResourceUnavailable as error:
            events.warning("pods_not_recorded", error=str(error), again="with the next round")
        super().refresh(workers)

    def poll_events(self) -> list[ExecutorEvent]:
        """Every event since the last call."""
        events = super().poll_events()
        self._given_up.update(event.result.attempt_id for event in events if isinstance(event, AttemptEnded))
        return events

    def acknowledge(self, worker_id: str, attempt_ids: Sequence[str]) -> None:
        """Forget these attempts; the pod of one that was given up is deleted."""
        super().acknowledge(worker_id, attempt_ids)
        for attempt_id in self._given_up.intersection(attempt_ids):
            self._given_up.discard(attempt_id)
            name = self._pod_publisher.names.pop(attempt_id, None)
            if name is not None:
                self._controller.delete(name)

    def _record_updates(self) -> None:
        self._unread += self._controller.take_updates()
        while self._unread:  # one that the store does not take now is read again
            match self._unread[0]:
                case PodStatus() as status:
                    self._record_status(status)
                case PodsListed(attempt_ids=attempt_ids):
                    self._compare(attempt_ids)
                case PodDelayed(attempt_id=attempt_id, reason=reason):
                    self._note_wait(attempt_id, reason)
                case PodImpossible(attempt_id=attempt_id, end=end):
                    self._lose(attempt_id, end)
            del self._unread[0]
        while self._pod_publisher.refused:
            attempt_id, reason = self._pod_publisher.refused[0]
            self._lose(attempt_id, PodEnd(reason, False))
            del self._pod_publisher.refused[0]

    def _record_status(self, status: PodStatus) -> None:
        attempt_id = status.attempt_id
        if status.end is None:
            if not status.is_deleted:
                self._pod_publisher.names[attempt_id] = status.name
            self._note_wait(attempt_id, status.wait_reason)
            return
        self._lose(attempt_id, status.end)
        self._pod_publisher.names.pop(attempt_id, None)
        if not status.is_deleted and self._is_to_delete(status.phase):
            self._controller.delete(status.name)

    def _is_to_delete(self, phase: str) -> bool:
        """A pod that cannot start is always deleted: it would start later, when its attempt is over."""
        if phase not in ("Succeeded", "Failed"):
            return True
        return self._deletes_pods and (phase == "Succeeded" or self._deletes_failed_pods)

    def _lose(self, attempt_id: str, end: PodEnd) -> None:
        self._waits.pop(attempt_id, None)
        if self._pod_store.lose_attempt(attempt_id, end.reason, costs_try=not end.is_of_cluster):
            events.warning("pod_lost", attempt=attempt_id, reason=end.reason)

    def _note_wait(self, attempt_id: str, reason: str | None) -> None:
        if self._waits.get(attempt_id) != reason:
            self._pod_store.note_wait(attempt_id, reason)
            self._waits[attempt_id] = reason
        if reason is None:
            self._waits.pop(attempt_id, None)

    def _compare(self, listed: frozenset[str]) -> None:
        """After a list: delete pods that wait for attempts that are over, and create pods that were deleted unseen."""
        stored_ids = set(self._pod_store.list_attempt_ids())
        waiting = {attempt_id for attempt_id, reason in self._waits.items() if reason is not None}
        for attempt_id in (waiting & listed) - stored_ids:
            name = self._pod_publisher.names.pop(attempt_id, None)
            if name is not None:
                self._controller.delete(name)
        for attempt_id in self._waits.keys() - stored_ids:
            del self._waits[attempt_id]
        for attempt_id in self._pod_publisher.names.keys() - stored_ids - listed:
            del self._pod_publisher.names[attempt_id]
        for attempt_id, queue, _group in self._pod_store.list_unclaimed(0.0):
            if attempt_id not in listed and attempt_id not in self._sent_at:
                self._publish(attempt_id, queue)
