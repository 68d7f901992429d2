"""Answers to the questions of tasks in a trial: given with the command, because nobody can reach the trial's database."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from gnomon.ground.config import Config
from gnomon.model.errors.product import UserError
from gnomon.model.hitl import HITLRespondent
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.json_value import find_json_fault
from gnomon.model.sentences import quote, say
from gnomon.model.spec import DagSpec
from gnomon.model.storable_text import escape_unstorable
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.hitl_list import build_answer
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_list import TaskInstanceRow
from gnomon.storage.store import Database
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import hitl_details
from gnomon.storage.store.dag_records.hitl_details import NamedHITLDetail

Answer = tuple[tuple[str, ...], dict[str, object]]
"""The chosen options and the values for params."""
_WAITING = "awaiting_input"


class AnswerType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """The click type of `TASK=OPTION`, or `TASK={"options": [...], "params": {...}}`."""

    name = "task=option"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Answer]:
        """(task id, answer); fails with a usage error for another text."""
        task_id, equals, text = str(value).partition("=")
        if not task_id or not equals:
            self.fail(f"{value!r} is not TASK=OPTION", param, ctx)
        if not text.startswith("{"):
            return task_id, ((text,), {})
        try:
            body = json.loads(text)
            if unknown := sorted(body.keys() - {"options", "params"}):
                self.fail(
                    f"{text!r} has {', '.join(map(repr, unknown))}; an answer has only 'options' and 'params'",
                    param,
                    ctx,
                )
            if (fault := find_json_fault(body)) is not None:
                raise ValueError(escape_unstorable(fault))
            return task_id, (tuple(body.get("options", ())), dict(body.get("params", {})))
        except (ValueError, TypeError) as error:
            self.fail(f'{text!r} is not {{"options": [...], "params": {{...}}}}: {error}', param, ctx)


def check_answered_tasks(spec: DagSpec, answers: Mapping[str, Answer]) -> None:
    """Raise NameNotFound for an answer to a task that the DAG does not have."""
    task_ids = [task.task_id for task in spec.tasks]
    for task_id in answers:
        if task_id not in task_ids:
            raise task_not_found(spec.dag_id, task_id, task_ids)


class TrialAnswers:
    """Sends each given answer once, as soon as its task asks."""

    def __init__(self, cfg: Config, db: Database, dag_id: str, answers: Mapping[str, Answer], by: str) -> None:
        self._cfg = cfg
        self._db = db
        self._dag_id = dag_id
        self._answers = answers
        self._by = by
        self._sent: set[tuple[int, int, int]] = set()
        self._asked: set[str] = set()

    def list_unused(self) -> list[str]:
        """The tasks that did not ask, although an answer was given: they were skipped, or ask nobody."""
        return [task_id for task_id in self._answers if task_id not in self._asked]

    def apply(self, rows: Sequence[TaskInstanceRow], now: Instant) -> None:
        """Answer the open questions. Raises UserError when the run waits for nothing but a question that nobody can answer."""
        if not any(row.state == _WAITING for row in rows):
            return
        with self._db.read() as tx:
            dag, details = find_dag(tx, self._dag_id), hitl_details.list_open_details(tx, self._dag_id)
        for named in details:
            key = (named.detail.task_no, named.detail.map_index, named.detail.defer_seq)
            if named.task_id in self._answers and key not in self._sent:
                self._sent.add(key)
                self._asked.add(named.task_id)
                options, params = self._answers[named.task_id]
                body = build_answer(
                    self._cfg, named, options or _single_option(named), params, self._find_respondent(named)
                )
                with self._db.write() as tx:
                    mailbox.submit_request(
                        tx,
                        by=self._by,
                        kind="answer",
                        body={"dag_pk": dag.dag_pk, "by": self._by, **body},
                        groups=[dag.group_no],
                        at=now,
                    )
        self._check_progress(rows, details)

    def _find_respondent(self, named: NamedHITLDetail) -> HITLRespondent:
        assigned = named.detail.request.assigned_users
        return assigned[0] if assigned else HITLRespondent(self._by, self._by)

    def _check_progress(self, rows: Sequence[TaskInstanceRow], details: Sequence[NamedHITLDetail]) -> None:
        active = [row for row in rows if row.state is not None and row.end_date is None and row.state != _WAITING]
        stuck = [named for named in details if named.task_id not in self._answers and named.detail.due_at is None]
        if active or not stuck or len(stuck) < len(details):
            return
        named = stuck[0]
        request = named.detail.request
        index = "" if named.detail.map_index == UNMAPPED else f"[{named.detail.map_index}]"
        raise UserError(
            say(
                "task_waits_for_person",
                subject=quote(f"{named.task_id}{index}"),
                subject_text=request.subject,
                options=" | ".join(request.options),
                name=named.task_id,
                option=request.options[0],
            )
        )


def _single_option(named: NamedHITLDetail) -> tuple[str, ...]:
    options = named.detail.request.options
    return options if len(options) == 1 else ()
