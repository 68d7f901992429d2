"""`python -m gnomon.worker.zygote`: the base zygote. It has imported what every task needs and forks file zygotes.

It is an interpreter of its own, started with an environment that names no database: neither a descriptor nor a byte of
memory of the store can be in it, whoever started the worker. The socket to the service is descriptor 3.
"""

from __future__ import annotations

import contextlib
import faulthandler
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
from gnomon.config import ambient, set_ambient
from gnomon.processes import kernel
from gnomon.processes.interpreters import given_socket
from gnomon.processes.refusals import refusal
from gnomon.processes.settling import refuse_store
from gnomon.processes.titles import set_title
from gnomon.runner import logs, signals
from gnomon.runner.channel import new_splitter
from gnomon.worker import filezygote, orders
from gnomon.worker.rehearsal import rehearse


def main() -> None:
    """Returns when the service is gone."""
    prepare()
    control = given_socket()
    decoder = msgspec.msgpack.Decoder(orders.ToBase)
    splitter = new_splitter()
    rehearse()
    gc.collect()
    gc.freeze()
    while True:
        body, descriptors = orders.receive(control)
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
            filezygote.main(socket.socket(fileno=descriptors[0]), order.file, splitter)
        for descriptor in descriptors:
            os.close(descriptor)


def _refuse(descriptors: list[int], error: OSError) -> None:
    """The service was told, over the socket of the zygote that does not exist, unless it has given that up."""
    for descriptor in descriptors:
        with socket.socket(fileno=descriptor) as sock, contextlib.suppress(OSError):
            orders.send(sock, orders.ZygoteRefused(error=refusal(error)))


def prepare() -> None:
    """Signals, options and logging are as every task wants to find them; RuntimeError when the store is in here."""
    refuse_store()
    signal.signal(signal.SIGINT, lambda *_: None)  # a Ctrl-C is for the service, which ends its children in order
    signals.prepare()
    signal.signal(signal.SIGCHLD, _reap)
    faulthandler.enable(file=2, all_threads=False)  # a crash inside a library leaves its stack in the log of the attempt
    kernel.raise_oom_score(kernel.TASK_OOM_SCORE)
    kernel.load()
    options = ambient().for_author_code()
    set_ambient(options)
    set_title("base zygote", options.home)
    logs.prepare(options.text("logging", "logging_level"))


def _reap(_signal: int, _frame: FrameType | None) -> None:
    """File zygotes that ended leave nothing defunct; the service knows by their sockets."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


if __name__ == "__main__":
    main()
