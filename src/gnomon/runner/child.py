"""A child process of a zygote: waits for its attempt, runs it, reports, and is gone.

What can be done before the attempt is known is done before: a child that was forked ahead of need has nothing left to
set up but its log file.
"""

from __future__ import annotations

import atexit
import logging
import os
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from gnomon.errors.authoring import DagNotFound
from gnomon.model.facts import Attempt, AttemptResult
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.processes.kernel import become_subreaper
from gnomon.processes.titles import change_title
from gnomon.runner import logs
from gnomon.runner.attempt import run_attempt
from gnomon.runner.channel import SocketChannel
from gnomon.runner.descendants import end_descendants
from gnomon.runner.outcomes import one_line
from gnomon.runner.results import without_run
from gnomon.sdk import channel
from gnomon.wire.frames import FrameTooLarge, Splitter
from gnomon.wire.messages import ChildDone, ChildEntered, ToChild

log = logging.getLogger("gnomon.task")

FindDag = Callable[[Attempt], Any]
"""The author's DAG object of an attempt; what it raises fails the attempt, with its traceback in the log."""


def main(sock: socket.socket, splitter: Splitter[ToChild], find_dag: FindDag) -> NoReturn:
    """This process runs the attempts that come over `sock`, one or several after one another, and exits."""
    status = 1
    try:
        _leave_parent()
        line = SocketChannel(sock, splitter)
        channel.install(line)
        _serve(line, find_dag)
        status = 0
    except (BrokenPipeError, ConnectionResetError):
        status = 0  # the worker is gone: nobody wants the result
    except BaseException:
        log.exception("the child process failed outside its task")
    finally:
        os._exit(status)


def dag_of(dags: Mapping[str, Any]) -> FindDag:
    """Finds the DAG of an attempt among those that the file defined."""

    def find(attempt: Attempt) -> Any:
        try:
            return dags[attempt.run.dag_id]
        except KeyError:
            raise DagNotFound(
                f"{attempt.file} defines no DAG {attempt.run.dag_id!r} any more; it defines {sorted(dags) or 'none'}"
            ) from None

    return find


def _leave_parent() -> None:
    """A session of its own, its descendants its own, no exit hooks or random state of the parent."""
    os.setsid()
    become_subreaper()
    atexit._clear()
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


def _serve(line: SocketChannel, find_dag: FindDag) -> None:
    while (begin := line.begin()) is not None:
        attempt = begin.attempt
        change_title(f"task {_words(attempt)}")
        result = _run(attempt, line, find_dag)
        logs.flush()
        try:
            line.send(ChildDone(result=result))
        except FrameTooLarge as error:
            line.send(ChildDone(result=_failed(attempt, f"its XComs do not fit: {error}")))
        killed = end_descendants()
        if killed:
            log.warning("%d process(es) that the task had left behind were killed", killed)
        if attempt.attempts_per_child <= 1:
            return


def _words(attempt: Attempt) -> str:
    index = "" if attempt.map_index == UNMAPPED else f"[{attempt.map_index}]"
    return f"{attempt.run.dag_id}.{attempt.task_id}{index}"


def _run(attempt: Attempt, line: SocketChannel, find_dag: FindDag) -> AttemptResult:
    try:
        logs.redirect(attempt.log)
    except OSError as error:
        return _failed(attempt, f"the log file {attempt.log} cannot be written: {error.strerror}")

    def entered(at: Instant) -> None:
        line.send(ChildEntered(at=at))

    try:
        dag = find_dag(attempt)
    except BaseException as error:  # the import of the author's file, in a fresh interpreter
        log.error("the DAG could not be loaded from %s", attempt.file, exc_info=error)
        return _failed(attempt, one_line(error))
    return run_attempt(dag, attempt, line, entered)


def _failed(attempt: Attempt, reason: str) -> AttemptResult:
    return without_run(attempt, "failed", reason, entered=True)
