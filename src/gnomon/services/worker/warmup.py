"""Attempts of a task that does nothing, run in the base zygote.

Modules, templates and caches that an attempt fills at its first use are filled afterwards, in memory pages that all
children share, and functions have been called so often that CPython has specialised them: a child writes less to the shared pages
(about 40 page faults an attempt). No author code runs.
"""

from __future__ import annotations

import logging

from gnomon.author_code.processes.message_stream import encode_frame
from gnomon.author_code.runner import run_attempt
from gnomon.author_code.runner.attempt_protocol import ChildDone, ChildEntered
from gnomon.authoring.operators.bash import BashOperator
from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.runtime.xcom import default_backend
from gnomon.model.attempts import Attempt, RunFacts

_ATTEMPTS = 9
"""Measured with CPython 3.11 and 500 tasks: 911 to 915 minor faults a task after one attempt, 862 to 877 after nine, 880 after thirty."""
_MIDDAY = 1_700_049_600_000_000
_DAG_ID = "gnomon_warm_up"


class _NullChannel:
    """A task API channel that answers every request with None."""

    def ask(self, request: object) -> object:
        return None


def warm_up_attempts() -> None:
    """Run the attempts. Raises RuntimeError when a task does not succeed."""
    dag = DAG(_DAG_ID, schedule=None)
    PythonOperator(task_id="warm_up", python_callable=_return_argument, op_kwargs={"day": "{{ ds }}"}, dag=dag)
    BashOperator(task_id="bash", bash_command="true", dag=dag)
    EmptyOperator(task_id="empty", dag=dag)
    root = logging.getLogger()
    handlers, root.handlers[:] = list(root.handlers), [_DiscardingHandler()]
    try:
        with default_backend():
            for _ in range(_ATTEMPTS):
                _run_attempt(dag)
    finally:
        root.handlers[:] = handlers
        channel.install_channel(None)


def _run_attempt(dag: DAG) -> None:
    result = run_attempt(dag, _warmup_attempt(), _NullChannel(), _encode_entry)
    if result.outcome != "success":
        raise RuntimeError(f"the warm-up attempt ended as {result.outcome}: {result.reason}")
    encode_frame(ChildDone(result=result))


class _DiscardingHandler(logging.Handler):
    """Formats records and discards them."""

    def emit(self, record: logging.LogRecord) -> None:
        self.format(record)


def _return_argument(day: str) -> str:
    return day


def _encode_entry(at: int) -> None:
    encode_frame(ChildEntered(at=at))


def _warmup_attempt() -> Attempt:
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
    return Attempt(attempt_id="warm_up", group_no=0, epoch=0, run=run, task_id="warm_up", task_no=0, file=__file__)
