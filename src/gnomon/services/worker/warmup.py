"""Attempts of tasks that do nothing, run in the base zygote as a child runs them: from the frame of the worker to that of the result.

Modules, templates and caches that an attempt fills at its first use are filled afterwards, in memory pages that all
children share, and functions have been called so often that CPython has specialised them: a child writes less to the shared pages.
No author code runs.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from gnomon.author_code.context import set_task_environment
from gnomon.author_code.processes.message_stream import FrameDecoder, encode_frame
from gnomon.author_code.processes.process_title import change_title
from gnomon.author_code.runner.attempt_child import dag_finder, run_attempts
from gnomon.author_code.runner.attempt_protocol import (
    READ_BYTES,
    AttemptChannel,
    ChildDone,
    FromChild,
    RunAttempt,
    ToChild,
)
from gnomon.authoring.operators.bash import BashOperator
from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.sdk import DAG, task
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.runtime.xcom import default_backend
from gnomon.model.attempts import Attempt, RunFacts

_ATTEMPTS = 5
"""Of each task. Measured with CPython 3.11: 797 minor faults of a child without frames, log and a task of `@task`, 775 after five of each, 778 after fourteen."""
_MIDDAY = 1_700_049_600_000_000
_DAG_ID = "gnomon_warm_up"
_TASK_IDS = ("operator", "decorated")


def warm_up_attempts(frame_decoder: FrameDecoder[ToChild], role: str) -> None:
    """Run the attempts; the title of this process is `role` afterwards. Raises RuntimeError when a task does not succeed.

    `frame_decoder`: that of the children.
    """
    with tempfile.TemporaryDirectory(prefix="gnomon-warm-up-") as folder, _kept_process(role), default_backend():
        attempts = [
            _build_attempt(task_id, f"{folder}/{_DAG_ID}/{task_id}/log")
            for _ in range(_ATTEMPTS)
            for task_id in _TASK_IDS
        ]
        ours, theirs = socket.socketpair()
        with ours, theirs:
            for attempt in attempts:
                theirs.sendall(encode_frame(RunAttempt(attempt=attempt)))
            theirs.shutdown(socket.SHUT_WR)
            run_attempts(AttemptChannel(ours, frame_decoder), dag_finder({_DAG_ID: _build_dag()}))
            ours.shutdown(socket.SHUT_WR)
            _check_results(theirs)


@contextmanager
def _kept_process(role: str) -> Iterator[None]:
    """Give the process its output, its title and its environment back at the end."""
    kept = [(number, os.dup(number)) for number in (1, 2)]
    try:
        yield
    finally:
        for number, copy in kept:
            os.dup2(copy, number)
            os.close(copy)
        change_title(role)
        set_task_environment({})
        channel.install_channel(None)


def _check_results(sock: socket.socket) -> None:
    results = FrameDecoder[FromChild](FromChild)
    while data := sock.recv(READ_BYTES):
        for message in results.feed(data):
            if isinstance(message, ChildDone) and message.result.outcome != "success":
                raise RuntimeError(f"the warm-up attempt ended as {message.result.outcome}: {message.result.reason}")


def _build_dag() -> DAG:
    """The tasks of the attempts, and others whose classes an author's file uses."""
    with DAG(_DAG_ID, schedule=None) as dag:
        PythonOperator(task_id="operator", python_callable=_return_argument, op_kwargs={"day": "{{ ds }}"})
        task(task_id="decorated")(_return_argument)("a day")
        BashOperator(task_id="bash", bash_command="true")
        EmptyOperator(task_id="empty")
    return dag


def _return_argument(day: str) -> str:
    return day


def _build_attempt(task_id: str, log: str) -> Attempt:
    run = RunFacts(
        run_pk=0,
        dag_id=_DAG_ID,
        run_id="warm_up",
        run_type="manual",
        run_after=_MIDDAY,
        logical_at=_MIDDAY,
        interval_start=_MIDDAY,
        interval_end=_MIDDAY,
        queued_at=_MIDDAY,
        started_at=_MIDDAY,
    )
    return Attempt(
        attempt_id=task_id,
        group_no=0,
        epoch=0,
        run=run,
        task_id=task_id,
        task_no=0,
        file=__file__,
        log=log,
        attempts_per_child=_ATTEMPTS * len(_TASK_IDS),
    )
