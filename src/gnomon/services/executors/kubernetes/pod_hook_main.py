"""`python -m gnomon.services.executors.kubernetes.pod_hook_main`: calls `pod_mutation_hook` of the cluster policies, which is author code, for one pod after another."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

from gnomon.author_code.loading import plugins
from gnomon.author_code.loading.cluster_policies import load_policies
from gnomon.author_code.processes.child_setup import hide_secrets, inherited_socket, set_up_host_process
from gnomon.author_code.processes.message_stream import FrameDecoder, encode_frame, receive_message
from gnomon.author_code.processes.process_title import set_title
from gnomon.ground.log.secret_masks import hide
from gnomon.services.executors.kubernetes.pod_hook_messages import MutatePod, PodMutated

HOOK = "pod_mutation_hook"


def main() -> int:
    """Answer until the scheduler has ended; returns the exit code."""
    set_up_host_process([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    set_title("pod hook", hide_secrets().home)
    plugins.enable_imports()
    sock = inherited_socket()
    decoder: FrameDecoder[MutatePod] = FrameDecoder(MutatePod)
    while (order := receive_message(sock, decoder)) is not None:
        sock.sendall(encode_frame(mutate_pod(order.pod)))
    return 0


def mutate_pod(manifest: bytes) -> PodMutated:
    """Call the hooks with the pod as an object of the package `kubernetes`, as Airflow does. Never raises for what a hook does."""
    try:
        policies = load_policies()
        if not policies.has(HOOK):
            return PodMutated()
        from kubernetes.client import ApiClient  # an extra, and slow: imported only where there is a hook

        client: Any = ApiClient()
        pod = client._ApiClient__deserialize(
            json.loads(manifest), "V1Pod"
        )  # the public method takes a response, in another way in each release
        policies.call(HOOK, {"pod": pod})
        return PodMutated(pod=json.dumps(client.sanitize_for_serialization(pod)).encode())
    except Exception as error:  # the edge of author code
        return PodMutated(
            error=hide(str(error))
            if type(error).__module__.startswith("gnomon.")
            else hide(f"{HOOK} left a pod that is none: {type(error).__name__}: {error}")
        )


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # a thread that a hook left running must not delay the end
