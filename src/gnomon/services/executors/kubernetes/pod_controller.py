"""PodController: two threads that make the executor's requests and watch its pods, so that the loop of the scheduler never waits for the cluster.

list, then watch from its version:      an end of the watch -> watch again from the last version seen (bookmarks raise it)
410 Gone, or RELIST_S since the list -> list again: pods of which an event was missed are found
409 Conflict on creation             -> the pod exists: it counts as created
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.services.executors.kubernetes.cluster import Cluster, ClusterAway, PodConflict, RequestInvalid, VersionGone
from gnomon.services.executors.kubernetes.pod_hook import PodHook, PodHookFailed
from gnomon.services.executors.kubernetes.pod_status import PodEnd, PodStatus, read_pod_status
from gnomon.services.executors.kubernetes.pod_template import Pod, PodSettings, build_secret

events = log.get_logger("executor")

RETRY_S = 2.0
RELIST_S = 300.0
ROUND_S = 1.0
"""In each round of this length at most `batch` pods are created."""


@dataclass(frozen=True, slots=True)
class PodsListed:
    """The attempts that had a pod at the time of a list; the statuses of these pods came before it."""

    attempt_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class PodDelayed:
    """The cluster does not create the pod of this attempt now."""

    attempt_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class PodImpossible:
    """The cluster refuses the pod of this attempt."""

    attempt_id: str
    end: PodEnd


PodUpdate = PodStatus | PodsListed | PodDelayed | PodImpossible


@dataclass(frozen=True, slots=True)
class _Creation:
    attempt_id: str
    pod: Pod


class PodController:
    """`sign`: the token with which a worker may claim an attempt. `batch`: pods created in one round. No public method blocks."""

    def __init__(
        self,
        cluster: Cluster,
        pods: PodSettings,
        fatal_reasons: Collection[str],
        sign: Callable[[str], str],
        batch: int,
        clock: Clock,
        hook: PodHook,
    ) -> None:
        self._cluster = cluster
        self._pods = pods
        self._fatal_reasons = frozenset(fatal_reasons)
        self._sign = sign
        self._batch = batch
        self._hook = hook
        self._clock = clock
        self._creations: queue.SimpleQueue[_Creation] = queue.SimpleQueue()
        self._deletions: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._created: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._updates: queue.SimpleQueue[PodUpdate] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._is_away = False
        self._threads = [
            threading.Thread(target=self._make_requests, name="pod-requests", daemon=True),
            threading.Thread(target=self._watch, name="pod-watch", daemon=True),
        ]

    def start(self) -> None:
        """List and watch the pods, and make requests, until `close`."""
        for thread in self._threads:
            thread.start()

    def create(self, attempt_id: str, pod: Pod) -> None:
        """Create the pod of the attempt and the Secret with its token, as soon as the cluster takes them."""
        self._creations.put(_Creation(attempt_id, pod))
        self._wake.set()

    def delete(self, pod_name: str) -> None:
        """Delete this pod."""
        self._deletions.put(pod_name)
        self._wake.set()

    def take_created(self) -> list[str]:
        """The attempts that have a pod and a Secret since the last call."""
        return _drain(self._created)

    def take_updates(self) -> list[PodUpdate]:
        """What was seen of the cluster since the last call, in order."""
        return _drain(self._updates)

    def close(self) -> None:
        """End the threads. The watch may be blocked in a read; its thread ends with the process."""
        self._stop.set()
        self._wake.set()
        self._threads[0].join(2.0)

    # ---- requests ----------------------------------------------------------------------------------------------------
    def _make_requests(self) -> None:
        round_began, created = self._clock.monotonic(), 0
        while not self._stop.is_set():
            self._wake.clear()
            self._delete_pods()
            if self._clock.monotonic() - round_began >= ROUND_S:
                round_began, created = self._clock.monotonic(), 0
            while created < self._batch and not self._stop.is_set() and not self._creations.empty():
                self._create_pod(self._creations.get())
                created += 1
            if self._creations.empty() and self._deletions.empty():
                self._wake.wait(ROUND_S)
            elif self._deletions.empty():
                self._stop.wait(max(0.0, round_began + ROUND_S - self._clock.monotonic()))
        self._hook.close()

    def _create_pod(self, creation: _Creation) -> None:
        try:
            try:
                uid: str | None = self._cluster.create_pod(self._hook.apply(creation.pod))
            except PodConflict:
                uid = self._cluster.find_pod_uid(creation.pod["metadata"]["name"])
            if uid is not None:  # None: it was deleted meanwhile, which the watch reports
                self._cluster.put_secret(
                    build_secret(
                        self._pods,
                        creation.pod["metadata"]["name"],
                        uid,
                        creation.attempt_id,
                        self._sign(creation.attempt_id),
                    )
                )
            self._created.put(creation.attempt_id)
            self._is_away = False
        except PodHookFailed as error:
            self._updates.put(PodImpossible(creation.attempt_id, PodEnd(str(error), False)))
        except RequestInvalid as error:
            self._updates.put(
                PodImpossible(creation.attempt_id, PodEnd(f"the cluster refuses its pod: {error}", False))
            )
        except (ClusterAway, PodConflict, VersionGone) as error:
            self._note_absence(error)
            self._updates.put(PodDelayed(creation.attempt_id, f"the cluster does not create its pod now: {error}"))
            self._creations.put(creation)
            self._stop.wait(RETRY_S)
        except (
            Exception
        ) as error:  # of a library, or a fault of ours: the pods of other attempts are created nevertheless
            events.exception("pod_not_created", attempt=creation.attempt_id)
            self._updates.put(
                PodImpossible(
                    creation.attempt_id, PodEnd(f"its pod cannot be created: {type(error).__name__}: {error}", False)
                )
            )

    def _delete_pods(self) -> None:
        for name in _drain(self._deletions):
            try:
                self._cluster.delete_pod(name)
            except (PodConflict, RequestInvalid) as error:
                events.warning("pod_not_deleted", pod=name, error=str(error))
            except (ClusterAway, VersionGone) as error:
                self._note_absence(error)
                self._deletions.put(name)
                self._stop.wait(RETRY_S)
                return
            except Exception:  # the pod stays; the thread goes on
                events.exception("pod_not_deleted", pod=name)

    def _note_absence(self, error: Exception) -> None:
        if not self._is_away:
            events.warning("cluster_away", error=str(error), next="the request is repeated")
        self._is_away = True

    # ---- the watch -----------------------------------------------------------------------------------------------------
    def _watch(self) -> None:
        version, listed_at = "", float("-inf")
        while not self._stop.is_set():
            try:
                if not version or self._clock.monotonic() - listed_at >= RELIST_S:
                    version = self._list()
                    listed_at = self._clock.monotonic()
                for kind, pod in self._cluster.watch_pods(version):
                    version = str((pod.get("metadata") or {}).get("resourceVersion") or version)
                    if kind != "BOOKMARK":
                        self._report(pod, is_deleted=kind == "DELETED")
                    if self._stop.is_set():
                        return
            except VersionGone:
                version = ""
            except (ClusterAway, PodConflict, RequestInvalid) as error:
                events.warning("pods_not_watched", error=str(error))
                self._stop.wait(RETRY_S)
            except Exception:  # a change of the cluster that this code does not know must not end the watch
                events.exception("watch_failed")
                version = ""
                self._stop.wait(RETRY_S)

    def _list(self) -> str:
        pods, version = self._cluster.list_pods()
        statuses = [status for pod in pods if (status := self._report(pod, is_deleted=False)) is not None]
        self._updates.put(PodsListed(frozenset(status.attempt_id for status in statuses)))
        return version

    def _report(self, pod: Mapping[str, Any], *, is_deleted: bool) -> PodStatus | None:
        status = read_pod_status(pod, self._fatal_reasons, is_deleted=is_deleted)
        if status is not None:
            self._updates.put(status)
        return status


def _drain(source: queue.SimpleQueue[Any]) -> list[Any]:
    items = []
    while not source.empty():
        items.append(source.get())
    return items
