"""Renders the templates of one task without running it, for `gnomon tasks render`; and says which date a template lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import jinja2

from gnomon.author_code.context import build_context
from gnomon.author_code.context.template_variables import VARIABLES_WITH_DATE, VARIABLES_WITHOUT_DATE
from gnomon.author_code.loading.dagfile import load_dag_file
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.ground.log.secret_masks import hide
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.errors.error_text import describe_error, error_text
from gnomon.model.errors.product import UserError
from gnomon.model.ids import quote_arguments
from gnomon.model.sentences import Command, say
from gnomon.model.states import DagRunType

_UNDEFINED_NAME = re.compile(r"'(\w+)' is undefined")


def render_task_fields(path: str, attempt: Attempt) -> list[tuple[str, str]]:
    """The template fields of the attempt's task with their rendered values as text, in the order of `template_fields`.

    Imports the DAG file at `path`. Raises UserError when the file, the task or a template fails.
    """
    try:
        dag = load_dag_file(path).dags.get(attempt.run.dag_id)
    except Exception as error:  # author code
        raise UserError(say("file_cannot_be_imported", file=path, error=describe_error(error))) from None
    if dag is None or attempt.task_id not in dag.task_dict:
        raise UserError(
            say(
                "file_defines_no_task",
                file=path,
                task_id=attempt.task_id,
                dag=attempt.run.dag_id,
                command=Command("dags reserialize"),
            )
        )
    task = dag.task_dict[attempt.task_id].prepare_for_execution()
    context = build_context(task=task, dag=dag, run=attempt.run, attempt=attempt, channel=_InstalledChannel())
    try:
        with authoring_state.set_current_context(context):
            task.render_template_fields(context)
    except Exception as error:  # author code
        cause = explain_missing_date(error, attempt.run)
        notes = " ".join(getattr(cause, "__notes__", ()) or getattr(error, "__notes__", ()))
        raise UserError(
            say(
                "template_fails",
                task_id=attempt.task_id,
                dag=attempt.run.dag_id,
                error=describe_error(cause) + (f" ({notes})" if notes else ""),
            )
        ) from None
    rendered = context["ti"].task
    names: Iterable[str] = rendered.template_fields
    return [(name, hide(_to_text(getattr(rendered, name, None)))) for name in names]


def explain_missing_date(error: Exception, run: RunFacts) -> Exception:
    """The error of a template; if it asks for a date that a run without a logical date does not have, with the remedy in its message."""
    match = _UNDEFINED_NAME.search(error_text(error)) if isinstance(error, jinja2.UndefinedError) else None
    if (
        match is None
        or run.logical_at is not None
        or match[1] not in VARIABLES_WITH_DATE
        or match[1] in VARIABLES_WITHOUT_DATE
    ):
        return error
    explained = jinja2.UndefinedError(f"{error}: run {run.run_id!r} has no logical date; {_find_date_remedy(run)}")
    for note in getattr(error, "__notes__", ()):
        explained.add_note(note)
    return explained


def _find_date_remedy(run: RunFacts) -> str:
    """What an author does about a run of this type without a logical date."""
    remedy = _DATE_REMEDIES.get(DagRunType(run.run_type))
    if run.partition_key is not None:
        remedy = (
            "it is of a partition: use {{ partition_key }}, or {{ dag_run.partition_date }} if the key names a period"
        )
    return (
        remedy
        or f"trigger it with one: gnomon dags trigger {quote_arguments(run.dag_id, options='--logical-date DATE')}"
    )


_EVENTS = "use {{ dag_run.run_after | ds }}, or the events in triggering_asset_events"
_DATE_REMEDIES = {
    DagRunType.ASSET_TRIGGERED: f"a run that events of assets start never has one: {_EVENTS}",
    DagRunType.ASSET_MATERIALIZATION: "a run that materializes an asset has none: use {{ dag_run.run_after | ds }}",
    DagRunType.OPERATOR_TRIGGERED: "give TriggerDagRunOperator one with logical_date=, or use {{ dag_run.run_after | ds }}",
}


class _InstalledChannel:
    """The channel of this process, for the accessors of the context."""

    def ask(self, question: Any) -> object:
        return channel.ask(question)


def _to_text(value: object) -> str:
    return value if isinstance(value, str) else repr(value)
