"""Questions of tasks to people, and their answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gnomon.changes.actions.owner_requests import OwnerAnswer, ask_owner
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.errors.product import UserError
from gnomon.model.hitl import HITLRespondent
from gnomon.model.sentences import say
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.hitl_list import (
    OpenQuestionRow,
    build_answer,
    find_open_question,
    list_open_questions,
)
from gnomon.queries.report.listings.run_list import find_run


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer that was sent to the owner of the DAG."""

    run_id: str
    options: list[str]
    params: dict[str, object]
    user: str
    reply: OwnerAnswer


@operation("questions.list", "read", "question")
def list_questions(scope: OperationScope, dag_id: str) -> list[OpenQuestionRow]:
    """The tasks of a DAG that wait for a person."""
    with scope.db.read() as tx:
        find_dag(tx, dag_id)
        return list_open_questions(tx, dag_id)


@operation("questions.list_all", "read", "question")
def list_all_questions(scope: OperationScope) -> list[OpenQuestionRow]:
    """The tasks of all DAGs that wait for a person."""
    with scope.db.read() as tx:
        return scope.select(tx, list_open_questions(tx), lambda row: row.dag_id)


@operation("questions.answer", "edit", "question")
def answer_question(
    scope: OperationScope,
    dag_id: str,
    run_id: str,
    task_id: str,
    map_index: int,
    options: list[str],
    params: dict[str, object],
    user: str | None = None,
) -> GivenAnswer:
    """Answer the question of a task. A question with one option needs no option. `user`: who answers; an account of the API answers as itself."""
    own_name = scope.actor.by.partition(":")[2]
    if scope.is_remote and user not in (None, own_name):
        raise UserError(say("answer_is_of_account", name=own_name))
    name = user or own_name
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        named = find_open_question(tx, dag, run, task_id, map_index)
    choices = named.detail.request.options
    chosen = list(dict.fromkeys(options or (choices if len(choices) == 1 else ())))
    body: dict[str, Any] = build_answer(scope.actor.cfg, named, chosen, params, HITLRespondent(name, name))
    reply = ask_owner(scope.actor, scope.db, dag, "answer", {"dag_pk": dag.dag_pk, **body})
    return GivenAnswer(run.run_id, list(body["options"]), body["params"], name, reply)
