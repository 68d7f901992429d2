"""`gnomon tasks waiting` and `gnomon tasks answer`: the questions of tasks to people, and their answers."""

from __future__ import annotations

import json
from typing import Any

import click

from gnomon.actions.owner_requests import ask_owner
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_document, print_records
from gnomon.cli.pending_requests import print_pending
from gnomon.cli.task_selection import instance_arguments
from gnomon.model.hitl import HITLRespondent
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.hitl_list import build_answer, find_open_question, list_open_questions
from gnomon.report.listings.run_list import find_run


@click.command()
@click.argument("dag_id", metavar="[DAG]", required=False)
@output_option
@pass_home
def waiting(home: Home, dag_id: str | None, output: str) -> None:
    """List the tasks that wait for a person, with their questions; of DAG only, if it is given."""
    with home.store() as db, db.read() as tx:
        if dag_id is not None:
            find_dag(tx, dag_id)
        rows = list_open_questions(tx, dag_id)
    columns = ("dag_id", "run_id", "task_id", "map_index", "subject", "options", "since", "due")
    print_records(rows, output, columns, empty="no task waits for an answer")


class ParamsType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """The click type of a JSON object."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, object]:
        """The object; fails with a usage error when the text is not one."""
        try:
            found = json.loads(value)
        except ValueError as error:
            self.fail(f"{value!r} is not JSON: {error}", param, ctx)
        if not isinstance(found, dict):
            self.fail(f"{value!r} must be a JSON object, such as {{\"name\": 1}}", param, ctx)
        return found


@click.command()
@instance_arguments
@click.option("--option", "options", multiple=True, help="An option to choose; several times if the question allows it.")
@click.option("--params", type=ParamsType(), default="{}", help="Values for the params of the question, as a JSON object.")
@click.option("--user", help="Who answers; default: your user name on this machine.")
@output_option
@pass_home
def answer(
    home: Home, dag_id: str, run_id: str, task_id: str, options: tuple[str, ...], params: dict[str, object], map_index: int,
    user: str | None, output: str,
) -> None:  # fmt: skip
    """Answer the question of TASK in RUN. `gnomon tasks waiting` shows the questions.

    A question with one option needs no --option.
    """
    name = user or home.by.removeprefix("cli:")
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id)
            run = find_run(tx, dag, run_id)
            named = find_open_question(tx, dag, run, task_id, map_index)
        only = named.detail.request.options if len(named.detail.request.options) == 1 else ()
        options = tuple(dict.fromkeys(options or only))
        body = build_answer(named, options, params, HITLRespondent(name, name))
        reply = ask_owner(home, db, dag, "answer", {"dag_pk": dag.dag_pk, **body})
    if output != "table":
        print_document({"dag_id": dag_id, "run_id": run.run_id, "task_id": task_id, "map_index": map_index, "options": body["options"],
                        "params": body["params"], "user": name, "applied": reply.answer is not None}, output)
    elif reply.answer is not None:
        click.echo(f"task {task_id} was answered with {', '.join(options)}")
    if reply.answer is None:
        print_pending(reply)
