"""What a pod's object says about its attempt: it waits, it runs, or it has ended, with the reason in words. Pure: no request is made here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gnomon.model.sentences import Sentence, quote, render, say
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
        return PodEnd(render(say("pod_ran_too_long", name=name, message=_quote(status.get("message")))), False)
    if status.get("reason") in _NODE_REASONS or (disruption is not None and disruption.get("status") == "True"):
        why = status.get("reason") or (disruption or {}).get("reason") or ""
        message = status.get("message") or (disruption or {}).get("message")
        code = "pod_was_evicted" if why == "Evicted" else "pod_was_ended_by_cluster"
        ended = say(code, name=name, where=_say_node(pod), reason=str(why), message=_quote(message))
        return PodEnd(render(ended), True)
    for container, terminated in _iterate_terminated(status):
        if terminated.get("reason") == "OOMKilled":
            limit = _find_memory_limit(pod, container)
            killed = (
                say("container_exceeded_its_limit", subject_text=container, name=name, limit=limit)
                if limit
                else say("container_exceeded_its_node", subject_text=container, name=name)
            )
            return PodEnd(render(killed), False)
    for container, terminated in _iterate_terminated(status):
        if terminated.get("exitCode"):
            ended = say(
                "container_ended_with_code",
                subject_text=container,
                name=name,
                number=str(terminated["exitCode"]),
                reason=str(terminated.get("reason") or "Error"),
                message=_quote(terminated.get("message")),
            )
            return PodEnd(render(ended), False)
    if phase == "Succeeded":
        return PodEnd(render(say("pod_ended_without_result", name=name)), False)
    message = _quote(status.get("message"))
    if not status.get("reason"):
        return PodEnd(render(say("pod_failed_without_reason", name=name, message=message)), False)
    return PodEnd(render(say("pod_failed", name=name, reason=str(status["reason"]), message=message)), False)


def _read_deletion(pod: Mapping[str, Any], name: str, phase: str) -> PodEnd:
    disruption = _find_condition(pod.get("status") or {}, _DISRUPTION)
    ran = phase == "Running"
    if disruption is not None and disruption.get("status") == "True":
        deleted = say(
            "running_pod_was_disrupted" if ran else "waiting_pod_was_disrupted",
            name=name,
            where=_say_node(pod),
            reason=str(disruption.get("reason")),
            message=_quote(disruption.get("message")),
        )
        return PodEnd(render(deleted), True)
    return PodEnd(render(say("running_pod_was_deleted" if ran else "waiting_pod_was_deleted", name=name)), True)


def _find_fatal_wait(status: Mapping[str, Any], name: str, fatal_reasons: Collection[str]) -> PodEnd | None:
    for container, waiting in _iterate_waiting(status):
        if waiting.get("reason") in fatal_reasons:
            return PodEnd(render(_say_container("container_cannot_start", container, name, waiting)), False)
    return None


def _describe_wait(pod: Mapping[str, Any], status: Mapping[str, Any], name: str) -> str | None:
    scheduled = _find_condition(status, "PodScheduled")
    if scheduled is not None and scheduled.get("status") == "False":
        reason = str(scheduled.get("reason") or "Unschedulable")
        return render(say("no_node_takes_pod", name=name, reason=reason, message=_quote(scheduled.get("message"))))
    for container, waiting in _iterate_waiting(status):
        if waiting.get("reason") and waiting["reason"] not in _STARTING:
            return render(_say_container("container_of_pod_waits", container, name, waiting))
    return render(say("pod_is_being_started", name=name, where=_say_node(pod)))


def _say_container(code: str, container: str, name: str, waiting: Mapping[str, Any]) -> Sentence:
    message = _quote(waiting.get("message"))
    return say(code, subject_text=container, name=name, reason=str(waiting["reason"]), message=message)


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


def _say_node(pod: Mapping[str, Any]) -> Sentence | None:
    node = (pod.get("spec") or {}).get("nodeName")
    return say("on_node", host=str(node)) if node else None


def _quote(message: object) -> Sentence | None:
    """What the cluster says, as the end of a sentence."""
    text = " ".join(str(message or "").split())
    return say("because", why=quote(text[:_TEXT_MAX])) if text else None
