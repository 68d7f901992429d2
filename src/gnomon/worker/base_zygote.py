"""`python -m gnomon.worker.base_zygote`: the base zygote. It has imported what every task needs and forks file zygotes.

It is an interpreter of its own, started with an environment that names no database: neither a descriptor nor a byte of
memory of the store can be in it, whoever started the worker. The socket to the service is descriptor 3.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
from types import FrameType

import jinja2  # noqa: F401 - imported here once, for all children
import msgspec
import pendulum  # noqa: F401

import gnomon.context
import gnomon.loading.dagfile
import gnomon.operators
import gnomon.runner
import gnomon.sdk  # noqa: F401
from gnomon.processes import kernel
from gnomon.processes.child_setup import check_store_not_imported, inherited_socket
from gnomon.processes.packets import receive_packet, send_packet
from gnomon.processes.spawn_backoff import describe_refusal
from gnomon.runner import attempt_child, signals
from gnomon.runner.attempt_protocol import create_decoder
from gnomon.worker import file_zygote, zygote_protocol
from gnomon.worker.warmup import warm_up_attempt


def main() -> None:
    """Returns when the service is gone."""
    set_up_zygote()
    control = inherited_socket()
    decoder = msgspec.msgpack.Decoder(zygote_protocol.ToBaseZygote)
    splitter = create_decoder()
    warm_up_attempt()
    gc.collect()
    gc.freeze()
    while True:
        body, descriptors = receive_packet(control, zygote_protocol.PACKET_MAX)
        if not body:
            return
        order = decoder.decode(body)
        try:
            pid = os.fork()
        except OSError as error:
            _refuse(descriptors, error)
            continue
        if pid == 0:
            control.close()
            file_zygote.main(socket.socket(fileno=descriptors[0]), order.file, splitter)
        for descriptor in descriptors:
            os.close(descriptor)


def _refuse(descriptors: list[int], error: OSError) -> None:
    """The service was told, over the socket of the zygote that does not exist, unless it has given that up."""
    for descriptor in descriptors:
        with socket.socket(fileno=descriptor) as sock, contextlib.suppress(OSError):
            send_packet(sock, zygote_protocol.ZygoteRefused(error=describe_refusal(error)))


def set_up_zygote() -> None:
    """Signals, options and logging are as every task wants to find them; RuntimeError when the store is in here."""
    check_store_not_imported()
    signal.signal(signal.SIGINT, lambda *_: None)  # a Ctrl-C is for the service, which ends its children in order
    signals.prepare_sigterm()
    signal.signal(signal.SIGCHLD, _reap_file_zygotes)
    kernel.load_prctl()
    attempt_child.set_up_task_interpreter("base zygote")


def _reap_file_zygotes(_signal: int, _frame: FrameType | None) -> None:
    """File zygotes that ended leave nothing defunct; the service knows by their sockets."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


if __name__ == "__main__":
    main()
