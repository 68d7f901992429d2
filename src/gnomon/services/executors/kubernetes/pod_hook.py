"""PodHook: has `pod_mutation_hook` called for each pod, in a process of its own: author code never runs in the scheduler."""

from __future__ import annotations

import json
import select
from collections.abc import Mapping
from typing import Any

from gnomon.author_code.processes.host_process import HostProcess
from gnomon.ground.clock import Clock
from gnomon.services.executors.kubernetes.pod_hook_messages import MutatePod, PodMutated
from gnomon.services.executors.kubernetes.pod_template import ATTEMPT_LABEL, DEPLOYMENT_LABEL, Pod

MODULE = "gnomon.services.executors.kubernetes.pod_hook_main"
LIMIT_S = 30.0
"""How long the hook may take for one pod, the import of its module included; then its process is killed."""
RECHECK_S = 60.0
"""Without a hook the process ends; a hook that is added is found after this time."""
_OUTPUT_SHOWN = 300


class PodHookFailed(Exception):
    """The hook gave no pod: the message says why."""


class PodHook:
    """Called by one thread, which may wait; the process begins with the first pod. `environ`: of the process."""

    def __init__(self, environ: Mapping[str, str], clock: Clock, limit_s: float = LIMIT_S) -> None:
        self._environ = dict(environ)
        self._clock = clock
        self._limit_s = limit_s
        self._process: HostProcess[PodMutated] | None = None
        self._next_check_at = float("-inf")

    def apply(self, pod: Pod) -> Pod:
        """The pod after the hook; the same without one. Raises PodHookFailed."""
        if self._process is None and self._clock.monotonic() < self._next_check_at:
            return pod
        answer = self._ask(json.dumps(pod).encode())
        if answer.error is not None:
            raise PodHookFailed(answer.error)
        if answer.pod is None:
            self.close()
            self._next_check_at = self._clock.monotonic() + RECHECK_S
            return pod
        return _restore(json.loads(answer.pod), pod)

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill_and_collect()

    def _ask(self, manifest: bytes) -> PodMutated:
        if self._process is None:
            try:
                self._process = HostProcess(MODULE, self._environ, PodMutated, captures_output=True)
            except OSError as error:
                raise PodHookFailed(f"the process that calls pod_mutation_hook cannot start: {error}") from error
        process = self._process
        process.put(MutatePod(pod=manifest))
        until = self._clock.monotonic() + self._limit_s
        while not process.stream.ended:
            is_sent = process.flush()
            for answer in process.stream.receive():
                return answer
            left_s = until - self._clock.monotonic()
            if left_s <= 0:
                self.close()
                raise PodHookFailed(
                    f"the cluster policy pod_mutation_hook did not return within {self._limit_s:g} s, and was ended; make it faster, or remove it"
                )
            if not process.stream.ended:
                select.select([process.fileno()], [] if is_sent else [process.fileno()], [], min(left_s, 1.0))
        self._process = None
        end = process.kill_and_collect()
        shown = " ".join(end.output.split())[-_OUTPUT_SHOWN:]
        raise PodHookFailed(
            f"the process of the cluster policy pod_mutation_hook ended with exit code {end.code}{f': {shown}' if shown else ''}; correct the policy, or remove it"
        )


def _restore(pod: Any, built: Pod) -> Pod:
    """The pod of the hook with the name and the labels by which the executor finds it again. Raises PodHookFailed for one without a container."""
    if not (isinstance(pod, dict) and isinstance(pod.get("spec"), dict) and pod["spec"].get("containers")):
        raise PodHookFailed("the cluster policy pod_mutation_hook left a pod without a container; correct the policy")
    metadata = pod["metadata"] = dict(pod.get("metadata") or {})
    own = built["metadata"]
    metadata.update(name=own["name"], namespace=own["namespace"])
    metadata["labels"] = {
        **(metadata.get("labels") or {}),
        **{name: own["labels"][name] for name in (ATTEMPT_LABEL, DEPLOYMENT_LABEL)},
    }
    return pod
