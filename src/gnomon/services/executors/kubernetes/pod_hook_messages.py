"""Messages between the executor and the process that calls `pod_mutation_hook`."""

from __future__ import annotations

from gnomon.author_code.processes.task_api_messages import Message


class MutatePod(Message, frozen=True, kw_only=True, tag=True):
    """To the process: call the hook for this pod, a manifest as JSON."""

    pod: bytes


class PodMutated(Message, frozen=True, kw_only=True, tag=True):
    """From the process: the pod after the hook as JSON; None where there is no hook, or with an error, which is a sentence for people."""

    pod: bytes | None = None
    error: str | None = None
