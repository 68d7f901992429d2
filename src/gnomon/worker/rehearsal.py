"""One attempt of a task that does nothing, run in the base zygote itself.

What is loaded, compiled or remembered at its first use is there afterwards, in pages that all children share: no child
pays for it again. No author's code is involved.
"""

from __future__ import annotations

import logging

from gnomon.model.facts import Attempt, RunFacts
from gnomon.operators.bash import BashOperator
from gnomon.operators.empty import EmptyOperator
from gnomon.operators.python import PythonOperator
from gnomon.runner import run_attempt
from gnomon.sdk import DAG, channel
from gnomon.wire.frames import encode
from gnomon.wire.messages import ChildDone, ChildEntered

_MIDDAY = 1_700_049_600_000_000
_DAG_ID = "gnomon_rehearsal"


class _Deaf:
    """Answers every question with nothing."""

    def ask(self, question: object) -> object:
        return None


def rehearse() -> None:
    """The code of an attempt is warm. RuntimeError when the rehearsed task does not succeed."""
    dag = DAG(_DAG_ID, schedule=None)
    PythonOperator(task_id="rehearse", python_callable=_nothing, op_kwargs={"day": "{{ ds }}"}, dag=dag)
    BashOperator(task_id="bash", bash_command="true", dag=dag)
    EmptyOperator(task_id="empty", dag=dag)
    root = logging.getLogger()
    handlers, root.handlers[:] = list(root.handlers), [_Silent()]
    try:
        result = run_attempt(dag, _attempt(), _Deaf(), _entered)
    finally:
        root.handlers[:] = handlers
        channel.install(None)
    if result.outcome != "success":
        raise RuntimeError(f"the rehearsal of an attempt ended as {result.outcome}: {result.reason}")
    encode(ChildDone(result=result))


class _Silent(logging.Handler):
    """Formats and forgets."""

    def emit(self, record: logging.LogRecord) -> None:
        self.format(record)


def _nothing(day: str) -> str:
    return day


def _entered(at: int) -> None:
    encode(ChildEntered(at=at))


def _attempt() -> Attempt:
    run = RunFacts(
        run_pk=0, dag_id=_DAG_ID, run_id="rehearsal", run_type="manual", run_after=_MIDDAY, logical_at=_MIDDAY,
        interval_start=_MIDDAY, interval_end=_MIDDAY, queued_at=_MIDDAY, started_at=_MIDDAY,
    )
    return Attempt(attempt_id="rehearsal", group_no=0, epoch=0, run=run, task_id="rehearse", task_no=0, file=__file__)
