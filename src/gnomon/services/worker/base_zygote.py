"""The base zygote (`zygote_main.py` starts it). It imports the packages that every task needs and forks file zygotes.

It is a new interpreter with an environment that names no database, so it holds no descriptor and no memory of the store.
Its socket to the worker is descriptor 3.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import signal
import socket
from types import FrameType

import jinja2  # noqa: F401 - imported once, for all children
import msgspec
import pendulum  # noqa: F401

from gnomon.author_code.loading.installed_entry_points import preload_entry_points
from gnomon.author_code.processes import author_forks, kernel
from gnomon.author_code.processes.child_setup import check_store_not_imported, inherited_socket
from gnomon.author_code.processes.immortal_objects import make_objects_immortal
from gnomon.author_code.processes.large_pages import find_filled_ranges, use_large_pages
from gnomon.author_code.processes.message_stream import FrameDecoder
from gnomon.author_code.processes.packets import receive_packet, send_packet
from gnomon.author_code.processes.spawn_backoff import describe_refusal
from gnomon.author_code.runner import attempt_child, signals
from gnomon.author_code.runner.attempt_protocol import ToChild, create_decoder
from gnomon.services.worker import file_zygote, zygote_protocol
from gnomon.services.worker.warmup import warm_up_attempts

log = logging.getLogger("gnomon.zygote")

ROLE = "base zygote"


def main() -> None:
    """Fork file zygotes on order. Returns when the worker has closed its socket."""
    set_up_zygote()
    control = inherited_socket()
    decoder = msgspec.msgpack.Decoder(zygote_protocol.ToBaseZygote)
    frame_decoder = create_decoder()
    preload_entry_points()
    _warm_up(frame_decoder)
    gc.collect()
    gc.freeze()
    make_objects_immortal()
    use_large_pages(find_filled_ranges())
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
            file_zygote.main(socket.socket(fileno=descriptors[0]), order, frame_decoder)
        for descriptor in descriptors:
            os.close(descriptor)


def _warm_up(frame_decoder: FrameDecoder[ToChild]) -> None:
    """Run the attempts that fill what children share. Without them tasks run all the same, so a full disk or a folder that cannot be written only costs time."""
    try:
        warm_up_attempts(frame_decoder, ROLE)
    except (OSError, RuntimeError) as error:
        log.warning("the zygote was not warmed up, so tasks take more processor time: %s", error)


def _refuse(descriptors: list[int], error: OSError) -> None:
    """Report the refused fork to the worker over the socket that the file zygote would have had."""
    for descriptor in descriptors:
        with socket.socket(fileno=descriptor) as sock, contextlib.suppress(OSError):
            send_packet(sock, zygote_protocol.ZygoteRefused(error=describe_refusal(error)))


def set_up_zygote() -> None:
    """Set up signals, options and logging for all tasks. Raises RuntimeError when a module of the store is imported."""
    check_store_not_imported()
    author_forks.install_handler(
        signal.SIGINT, lambda *_: None
    )  # Ctrl-C is for the worker, which ends its children in order
    signals.prepare_sigterm()
    author_forks.install_handler(signal.SIGCHLD, _reap_file_zygotes)
    kernel.load_prctl()
    attempt_child.set_up_task_interpreter(ROLE)


def _reap_file_zygotes(_signal: int, _frame: FrameType | None) -> None:
    """Reap file zygotes that have ended. The worker learns of their end from their sockets."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return
