"""Requests of tasks that create or clear a run (REQUEST in docs/contributing/ownership.md)."""

from __future__ import annotations

import json

from gnomon.ground.clock import SystemClock
from gnomon.model.attempts import Attempt
from gnomon.model.sentences import Command, quote, say
from gnomon.model.states import DagRunType
from gnomon.model.task_api_requests import GetRequest, TriggerRun
from gnomon.queries.taskapi.run_queries import TaskApiRefused
from gnomon.storage import store
from gnomon.storage.store import RunExists, RunIdReserved, RunTypeNotAllowed
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dag_runs, dags


def trigger_run(database: store.Database, attempt: Attempt, request: TriggerRun) -> object:
    """Create a queued run; one that exists is left as it is, or cleared when `reset` is set.

    Returns {outcome: created | exists | clearing, run_id, request}. Raises TaskApiRefused when the DAG does not exist, is deleted, or
    does not allow such runs or such a run id.
    """
    by = f"task {attempt.run.dag_id}.{attempt.task_id} of run {attempt.run.run_id}"
    now = SystemClock().now()
    try:
        with database.write() as tx:
            _check_dag(tx, request.dag_id)
            run = dag_runs.create_manual_run(
                tx,
                dag_id=request.dag_id,
                run_id=request.run_id,
                logical_at=request.logical_at,
                run_after=request.run_after,
                interval=(request.interval_start, request.interval_end),
                conf=request.conf,
                by=by,
                at=now,
                run_type=DagRunType.OPERATOR_TRIGGERED,
                stands_for=request.stands_for,
            )
        return {"outcome": "created", "run_id": run.run_id, "request": None}
    except (RunTypeNotAllowed, RunIdReserved) as error:
        raise TaskApiRefused(error.sentence or quote(str(error))) from None
    except RunExists as error:
        holder = error.holder
    with database.write() as tx:
        dag, existing = dags.find_dag_row(tx, request.dag_id), dag_runs.find_stored_run(tx, request.dag_id, holder)
        if not request.reset or dag is None or existing is None:
            return {"outcome": "exists", "run_id": holder, "request": None}
        body = {"run_pk": existing.run_pk, "dag_pk": dag.dag_pk, "tasks": None, "only_failed": False, "by": by}
        number = mailbox.submit_request(tx, by=by, kind="clear", body=body, groups=[dag.group_no], at=now)
    return {"outcome": "clearing", "run_id": holder, "request": number}


def get_request(tx: store.Transaction, request: GetRequest) -> object:
    """{state, answer} of a request to the scheduler that owns a run."""
    state, answer = mailbox.read_answer(tx, request.request_pk)
    return {"state": state, "answer": None if answer is None else json.loads(answer)}


def _check_dag(tx: store.Transaction, dag_id: str) -> None:
    dag = dags.find_dag_row(tx, dag_id)
    if dag is None:
        raise TaskApiRefused(say("dag_of_request_does_not_exist", dag=dag_id, command=Command("dags list")))
    if not dag.active:
        raise TaskApiRefused(say("dag_of_request_is_deleted", dag=dag_id, file=dag.file))
