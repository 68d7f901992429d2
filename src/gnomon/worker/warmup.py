"""One attempt of a task that does nothing, run in the base zygote itself.

What is loaded, compiled or remembered at its first use is there afterwards, in pages that all children share: no child
pays for it again. No author's code is involved.
"""

from __future__ import annotations

import logging

from gnomon.model.attempts import Attempt, RunFacts
from gnomon.operators.bash import BashOperator
from gnomon.operators.empty import EmptyOperator
from gnomon.operators.python import PythonOperator
from gnomon.processes.message_stream import encode_frame
from gnomon.runner import run_attempt
from gnomon.runner.attempt_protocol import ChildDone, ChildEntered
from gnomon.sdk import DAG
from gnomon.sdk.runtime import channel

_MIDDAY = 1_700_049_600_000_000
_DAG_ID = "gnomon_rehearsal"


class _NullChannel:
    """Answers every question with nothing."""

    def ask(self, question: object) -> object:
        return None


def warm_up_attempt() -> None:
    """The code of an attempt is warm. RuntimeError when the rehearsed task does not succeed."""
    dag = DAG(_DAG_ID, schedule=None)
    PythonOperator(task_id="rehearse", python_callable=_return_argument, op_kwargs={"day": "{{ ds }}"}, dag=dag)
    BashOperator(task_id="bash", bash_command="true", dag=dag)
    EmptyOperator(task_id="empty", dag=dag)
    root = logging.getLogger()
    handlers, root.handlers[:] = list(root.handlers), [_DiscardingHandler()]
    try:
        result = run_attempt(dag, _warmup_attempt(), _NullChannel(), _encode_entry)
    finally:
        root.handlers[:] = handlers
        channel.install_channel(None)
    if result.outcome != "success":
        raise RuntimeError(f"the rehearsal of an attempt ended as {result.outcome}: {result.reason}")
    encode_frame(ChildDone(result=result))


class _DiscardingHandler(logging.Handler):
    """Formats and forgets."""

    def emit(self, record: logging.LogRecord) -> None:
        self.format(record)


def _return_argument(day: str) -> str:
    return day


def _encode_entry(at: int) -> None:
    encode_frame(ChildEntered(at=at))


def _warmup_attempt() -> Attempt:
    run = RunFacts(
        run_pk=0, dag_id=_DAG_ID, run_id="rehearsal", run_type="manual", run_after=_MIDDAY, logical_at=_MIDDAY,
        interval_start=_MIDDAY, interval_end=_MIDDAY, queued_at=_MIDDAY, started_at=_MIDDAY,
    )
    return Attempt(attempt_id="rehearsal", group_no=0, epoch=0, run=run, task_id="rehearse", task_no=0, file=__file__)
