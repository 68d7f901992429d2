"""What a pod's object says about its attempt: it waits, it runs, or it has ended, with the reason in words. Pure: no request is made here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gnomon.services.executors.kubernetes.pod_template import ATTEMPT_LABEL

_TEXT_MAX = 500
"""Characters of a message of the cluster that a reason shows."""
_NODE_REASONS = frozenset(
    {
        "Evicted",
        "NodeLost",
        "NodeShutdown",
        "Shutdown",
        "Terminated",
        "Preempting",
        "NodeAffinity",
        "OutOfcpu",
        "OutOfmemory",
        "OutOfpods",
        "UnexpectedAdmissionError",
    }
)
"""Reasons of a failed pod for which the cluster is the cause, and not the task or its image."""
_DISRUPTION = "DisruptionTarget"
"""The condition of a pod that the cluster ends: by preemption, eviction, a taint, or a node that shuts down."""
_STARTING = frozenset({"ContainerCreating", "PodInitializing"})


@dataclass(frozen=True, slots=True)
class PodEnd:
    """A pod has ended, or can never start."""

    reason: str
    is_of_cluster: bool
    """The cluster or a person ended it: an attempt that no worker had claimed is submitted again without a try."""


@dataclass(frozen=True, slots=True)
class PodStatus:
    """One pod of an attempt."""

    attempt_id: str
    name: str
    phase: str
    is_deleted: bool
    wait_reason: str | None = None
    """Why its container does not run yet; None: it runs, has ended, or is being started."""
    end: PodEnd | None = None


def read_pod_status(
    pod: Mapping[str, Any], fatal_reasons: Collection[str], *, is_deleted: bool = False
) -> PodStatus | None:
    """The status; None for a pod without the label of an attempt. `fatal_reasons`: reasons of a waiting container for which the attempt fails."""
    metadata, status = pod.get("metadata") or {}, pod.get("status") or {}
    attempt_id = (metadata.get("labels") or {}).get(ATTEMPT_LABEL)
    if not attempt_id:
        return None
    name, phase = metadata.get("name", ""), status.get("phase", "Pending")
    wait = end = None
    if phase in ("Succeeded", "Failed"):
        end = _read_end(pod, name, phase)
    elif is_deleted:
        end = _read_deletion(pod, name, phase)
    elif phase == "Pending":
        end = _find_fatal_wait(status, name, fatal_reasons)
        wait = None if end is not None else _describe_wait(pod, status, name)
    return PodStatus(attempt_id, name, phase, is_deleted, wait, end)


def _read_end(pod: Mapping[str, Any], name: str, phase: str) -> PodEnd:
    status = pod.get("status") or {}
    disruption = _find_condition(status, _DISRUPTION)
    if status.get("reason") == "DeadlineExceeded":
        return PodEnd(
            f"pod {name} ran longer than activeDeadlineSeconds of its spec{_add(status.get('message'))}", False
        )
    if status.get("reason") in _NODE_REASONS or (disruption is not None and disruption.get("status") == "True"):
        why = status.get("reason") or (disruption or {}).get("reason") or ""
        message = status.get("message") or (disruption or {}).get("message")
        done = "was evicted" if why == "Evicted" else "was ended by the cluster"
        return PodEnd(f"pod {name} {done}{_name_node(pod)} ({why}){_add(message)}", True)
    for container, terminated in _iterate_terminated(status):
        if terminated.get("reason") == "OOMKilled":
            limit = _find_memory_limit(pod, container)
            than = f"its limit of {limit}" if limit else "the node had"
            return PodEnd(
                f"container {container} of pod {name} was killed, because it used more memory than {than} (OOMKilled)",
                False,
            )
    for container, terminated in _iterate_terminated(status):
        if terminated.get("exitCode"):
            why = terminated.get("reason") or "Error"
            return PodEnd(
                f"container {container} of pod {name} ended with exit code {terminated['exitCode']} ({why}){_add(terminated.get('message'))}",
                False,
            )
    if phase == "Succeeded":
        return PodEnd(f"pod {name} ended without a result of its attempt", False)
    return PodEnd(
        f"pod {name} failed ({status.get('reason') or 'no reason given'}){_add(status.get('message'))}", False
    )


def _read_deletion(pod: Mapping[str, Any], name: str, phase: str) -> PodEnd:
    disruption = _find_condition(pod.get("status") or {}, _DISRUPTION)
    when = "while it ran" if phase == "Running" else "before it began"
    if disruption is not None and disruption.get("status") == "True":
        return PodEnd(
            f"pod {name} was deleted{_name_node(pod)} {when} ({disruption.get('reason')}){_add(disruption.get('message'))}",
            True,
        )
    return PodEnd(f"pod {name} was deleted {when}, by a person or a controller of the cluster", True)


def _find_fatal_wait(status: Mapping[str, Any], name: str, fatal_reasons: Collection[str]) -> PodEnd | None:
    for container, waiting in _iterate_waiting(status):
        if waiting.get("reason") in fatal_reasons:
            return PodEnd(
                f"container {container} of pod {name} cannot start: {waiting['reason']}{_add(waiting.get('message'))}",
                False,
            )
    return None


def _describe_wait(pod: Mapping[str, Any], status: Mapping[str, Any], name: str) -> str | None:
    scheduled = _find_condition(status, "PodScheduled")
    if scheduled is not None and scheduled.get("status") == "False":
        return f"no node takes its pod {name} ({scheduled.get('reason') or 'Unschedulable'}){_add(scheduled.get('message'))}"
    for container, waiting in _iterate_waiting(status):
        if waiting.get("reason") and waiting["reason"] not in _STARTING:
            return f"container {container} of its pod {name} waits: {waiting['reason']}{_add(waiting.get('message'))}"
    return f"its pod {name} is being started{_name_node(pod)}"


def _iterate_statuses(status: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from status.get("initContainerStatuses") or ()
    yield from status.get("containerStatuses") or ()


def _iterate_waiting(status: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for container_status in _iterate_statuses(status):
        waiting = (container_status.get("state") or {}).get("waiting")
        if waiting:
            yield container_status.get("name", ""), waiting


def _iterate_terminated(status: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for container_status in _iterate_statuses(status):
        terminated = (container_status.get("state") or {}).get("terminated")
        if terminated:
            yield container_status.get("name", ""), terminated


def _find_condition(status: Mapping[str, Any], kind: str) -> Mapping[str, Any] | None:
    return next((condition for condition in status.get("conditions") or () if condition.get("type") == kind), None)


def _find_memory_limit(pod: Mapping[str, Any], container: str) -> str | None:
    for container_spec in (pod.get("spec") or {}).get("containers") or ():
        if container_spec.get("name") == container:
            limit = ((container_spec.get("resources") or {}).get("limits") or {}).get("memory")
            return None if limit is None else str(limit)
    return None


def _name_node(pod: Mapping[str, Any]) -> str:
    node = (pod.get("spec") or {}).get("nodeName")
    return f" on node {node}" if node else ""


def _add(message: object) -> str:
    text = " ".join(str(message or "").split())
    return f": {text[:_TEXT_MAX]}" if text else ""
