"""Questions of tasks to people: the list of the open ones, and the check of an answer before it is sent to the owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from gnomon.author_code.timetable_host.param_checks import find_param_faults
from gnomon.ground.config import Config
from gnomon.model.errors.product import UserError
from gnomon.model.hitl import HITLAnswerBody, HITLRequest, HITLRespondent
from gnomon.model.instants import iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import Command, RunName, TaskName, say
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.rules.decide.hitl_rules import find_respondent_fault, find_response_fault, list_param_defaults
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import hitl_details
from gnomon.storage.store.dag_records.hitl_details import NamedHITLDetail


class AnswerRefused(UserError):
    """An answer that does not fit the question; the message says why."""


class RespondentRefused(AnswerRefused):
    """The question is assigned to others."""


@dataclass(frozen=True, slots=True)
class OpenQuestionRow:
    """An open question, for a table or JSON."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    try_number: int
    subject: str
    body: str | None
    options: list[str]
    multiple: bool
    defaults: list[str] | None
    params: dict[str, object]
    assigned_users: list[str]
    since: str | None
    due: str | None


def list_open_questions(tx: Transaction, dag_id: str | None = None) -> list[OpenQuestionRow]:
    """The open questions of all DAGs or of one, the oldest first."""
    return [_build_row(named) for named in hitl_details.list_open_details(tx, dag_id)]


def find_open_question(
    tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str, map_index: int
) -> NamedHITLDetail:
    """The open question of the task instance. Raises NameNotFound for an unknown task, AnswerRefused when it has none."""
    if task_id not in dag.task_numbers:
        raise task_not_found(dag.dag_id, task_id, dag.task_numbers)
    details = hitl_details.list_open_details(tx, dag.dag_id)
    for named in details:
        if named.detail.run_pk == run.run_pk and named.task_id == task_id and named.detail.map_index == map_index:
            return named
    name = TaskName(dag.dag_id, run.run_id, task_id, map_index)
    waiting = Command("tasks waiting")
    raise AnswerRefused(say("task_asks_nothing", task=name, run=RunName(dag.dag_id, run.run_id), command=waiting))


def build_answer(
    cfg: Config,
    named: NamedHITLDetail,
    options: Sequence[str],
    params: Mapping[str, object],
    respondent: HITLRespondent,
) -> dict[str, object]:
    """The body of the request `answer` for the owner. Params that are not given get their defaults.

    Raises RespondentRefused when the question is assigned to others, AnswerRefused when the answer does not fit the question.
    """
    request = named.detail.request
    refusal = find_respondent_fault(request, respondent)
    if refusal is not None:
        raise RespondentRefused(say("answer_is_refused", task_id=named.task_id, reason=refusal))
    unknown = sorted(set(params) - set(request.params))
    if unknown:
        param_names = ", ".join(request.params) or "none"
        unknown_names = ", ".join(map(repr, unknown))
        raise AnswerRefused(
            say("question_has_no_param", task_id=named.task_id, names=unknown_names, options=param_names)
        )
    values = _validate_params(cfg, named.task_id, request, params)
    fault = find_response_fault(request, options, values, respondent)
    if fault is not None:
        raise AnswerRefused(say("answer_is_refused", task_id=named.task_id, reason=fault))
    body = HITLAnswerBody(
        task_no=named.detail.task_no,
        map_index=named.detail.map_index,
        options=tuple(options),
        params=values,
        user_id=respondent.id,
        user_name=respondent.name,
    )
    return {"run_pk": named.detail.run_pk, **msgspec.to_builtins(body)}


def _validate_params(
    cfg: Config, task_id: str, request: HITLRequest, answers: Mapping[str, object]
) -> dict[str, object]:
    """The values of all params, checked by their schemas."""
    values = {**list_param_defaults(request), **answers}
    faults = find_param_faults(cfg, {name: _find_schema(param) for name, param in request.params.items()}, values)
    for name, fault in faults.items():
        raise AnswerRefused(say("param_of_answer_is_refused", task_id=task_id, name=repr(name), error=fault))
    return values


def _find_schema(param: Mapping[str, object]) -> Mapping[str, object]:
    schema = param.get("schema")
    return schema if isinstance(schema, Mapping) else {}


def _build_row(named: NamedHITLDetail) -> OpenQuestionRow:
    detail = named.detail
    request = detail.request
    return OpenQuestionRow(
        dag_id=named.dag_id,
        run_id=named.run_id,
        task_id=named.task_id,
        map_index=detail.map_index,
        try_number=detail.try_number,
        subject=request.subject,
        body=request.body,
        options=list(request.options),
        multiple=request.multiple,
        defaults=None if request.defaults is None else list(request.defaults),
        params=dict(request.params),
        assigned_users=[user.name for user in request.assigned_users],
        since=iso(detail.created_at),
        due=None if detail.due_at is None else iso(detail.due_at),
    )
