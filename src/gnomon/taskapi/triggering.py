"""A run that a task makes (OWNERSHIP.md line 29), or has cleared."""

from __future__ import annotations

import json

from gnomon import store
from gnomon.clock import SystemClock
from gnomon.model.facts import Attempt
from gnomon.model.questions import GetRequest, TriggerRun
from gnomon.model.states import DagRunType
from gnomon.store import RunExists, dags, requests, runs
from gnomon.taskapi.refused import Refused


def trigger_run(database: store.Database, attempt: Attempt, question: TriggerRun) -> object:
    """The run is queued; one that exists is left alone, or about to be cleared. Refused when the DAG is not there."""
    by = f"task {attempt.run.dag_id}.{attempt.task_id} of run {attempt.run.run_id}"
    now = SystemClock().now()
    try:
        with database.write() as tx:
            _check_dag(tx, question.dag_id)
            run = runs.create_manual(
                tx, dag_id=question.dag_id, run_id=question.run_id, logical_at=question.logical_at,
                run_after=question.run_after, interval=(question.interval_start, question.interval_end),
                conf=question.conf, by=by, at=now, run_type=DagRunType.OPERATOR_TRIGGERED, stands_for=question.stands_for,
            )
        return {"outcome": "created", "run_id": run.run_id, "request": None}
    except RunExists as error:
        holder = error.holder
    with database.write() as tx:
        dag, found = dags.find(tx, question.dag_id), runs.find(tx, question.dag_id, holder)
        if not question.reset or dag is None or found is None:
            return {"outcome": "exists", "run_id": holder, "request": None}
        body = {"run_pk": found.run_pk, "dag_pk": dag.dag_pk, "tasks": None, "only_failed": False, "by": by}
        number = requests.ask(tx, by=by, kind="clear", body=body, groups=[dag.group_no], at=now)
    return {"outcome": "clearing", "run_id": holder, "request": number}


def request(tx: store.Transaction, question: GetRequest) -> object:
    """{state, answer} of a request to an owner."""
    state, answer = requests.answer(tx, question.request_pk)
    return {"state": state, "answer": None if answer is None else json.loads(answer)}


def _check_dag(tx: store.Transaction, dag_id: str) -> None:
    dag = dags.find(tx, dag_id)
    if dag is None:
        raise Refused(f"there is no DAG {dag_id!r}; `gnomon dags list` shows what there is")
    if not dag.active:
        raise Refused(f"DAG {dag_id!r} is in no file any more (last in {dag.file}); put the file back to run it")
