"""`gnomon tasks waiting` and `gnomon tasks answer`: the questions of tasks to people, and their answers."""

from __future__ import annotations

import click

from gnomon.changes.operations import hitl_operations as operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import output_option, print_document, print_records
from gnomon.entry.cli.parameter_types import ConfType
from gnomon.entry.cli.pending_requests import print_pending
from gnomon.entry.cli.task_selection import instance_arguments


@click.command()
@click.argument("dag_id", metavar="[DAG]", required=False)
@output_option
@pass_deployment
def waiting(deployment: DeploymentAccess, dag_id: str | None, output: str) -> None:
    """List the tasks that wait for a person, with their questions; of DAG only, if it is given."""
    rows = (
        deployment.perform(operations.list_all_questions)
        if dag_id is None
        else deployment.perform(operations.list_questions, dag_id)
    )
    columns = ("dag_id", "run_id", "task_id", "map_index", "subject", "options", "since", "due")
    print_records(rows, output, columns, empty="no task waits for an answer")


@click.command()
@instance_arguments
@click.option(
    "--option", "options", multiple=True, help="An option to choose; several times if the question allows it."
)
@click.option(
    "--params", type=ConfType(), default="{}", help="Values for the params of the question, as a JSON object."
)
@click.option(
    "--user",
    help="Who answers; default: your user name on this machine. Over the API an answer is that of the account.",
)
@output_option
@pass_deployment
def answer(
    deployment: DeploymentAccess,
    dag_id: str,
    run_id: str,
    task_id: str,
    options: tuple[str, ...],
    params: dict[str, object],
    map_index: int,
    user: str | None,
    output: str,
) -> None:
    """Answer the question of TASK in RUN. `gnomon tasks waiting` shows the questions.

    A question with one option needs no --option.
    """
    answered = deployment.perform(
        operations.answer_question, dag_id, run_id, task_id, map_index, list(options), params, user
    )
    reply = answered.reply
    if output != "table":
        print_document(
            {
                "dag_id": dag_id,
                "run_id": answered.run_id,
                "task_id": task_id,
                "map_index": map_index,
                "options": answered.options,
                "params": answered.params,
                "user": answered.user,
                "applied": reply.answer is not None,
            },
            output,
        )
    elif reply.answer is not None:
        click.echo(f"task {task_id} was answered with {', '.join(answered.options)}")
    if reply.answer is None:
        print_pending(reply)
