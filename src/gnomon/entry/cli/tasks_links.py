"""`gnomon tasks links`: the links of a task instance into other systems."""

from __future__ import annotations

import click

from gnomon.changes.operations.task_operations import list_links
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import output_option, print_records
from gnomon.entry.cli.task_selection import instance_arguments


@click.command()
@instance_arguments
@output_option
@pass_deployment
def links(deployment: DeploymentAccess, dag_id: str, run_id: str, task_id: str, map_index: int, output: str) -> None:
    """Print the links of TASK in RUN into other systems: those of its operator, and those that plugins add.

    A link has its URL from the end of the last attempt on; the log of the attempt says why a link has none.
    """
    print_records(
        deployment.perform(list_links, dag_id, run_id, task_id, map_index),
        output,
        ("name", "url"),
        empty="the task has no links",
    )
