"""`gnomon explain`: why a DAG, a run or a task is not running."""

from __future__ import annotations

import click

from gnomon.changes.operations import explain_operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import format_sentence, output_option, print_document
from gnomon.entry.cli.task_selection import MAP_INDEX, split_choice
from gnomon.entry.cli.terminal.screen import read_screen


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="[RUN]", required=False)
@click.argument("task_id", metavar="[TASK]", required=False)
@click.option("--map-index", type=MAP_INDEX, help="Map index of a mapped task; TASK[INDEX] says the same.")
@output_option
@pass_deployment
def explain(
    deployment: DeploymentAccess,
    dag_id: str,
    run_id: str | None,
    task_id: str | None,
    map_index: int | None,
    output: str,
) -> None:
    """Explain why a DAG, a run or a task is not running, or how it ended.

    RUN is a run id, or the logical date or due time of a slot: then the command explains why the slot has no run.
    """
    sentences = _explain(deployment, dag_id, run_id, task_id, map_index)
    if output == "table":
        screen = read_screen()
        click.echo(
            "\n".join(screen.wrap(format_sentence(sentence), "  ") for sentence in sentences)
            or "nothing prevents it from running"
        )
    else:
        print_document({"dag_id": dag_id, "run_id": run_id, "task_id": task_id, "sentences": sentences}, output)


def _explain(
    deployment: DeploymentAccess, dag_id: str, run_id: str | None, task_id: str | None, map_index: int | None
) -> list[str]:
    if run_id is None:
        return deployment.perform(explain_operations.explain_dag, dag_id)
    if task_id is None:
        return deployment.perform(explain_operations.explain_run, dag_id, run_id)
    return deployment.perform(explain_operations.explain_run, dag_id, run_id, *split_choice(task_id, map_index))
