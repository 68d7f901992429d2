"""`gnomon dags versions`: the versions of a DAG, and what each changed."""

from __future__ import annotations

import click

from gnomon.changes.operations.dag_operations import list_versions
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import output_option, print_records


@click.command()
@click.argument("dag_id", metavar="DAG")
@output_option
@pass_deployment
def versions(deployment: DeploymentAccess, dag_id: str, output: str) -> None:
    """List the versions of DAG, newest first: when each was made, its hash, and what it changed.

    Unfinished and cleared runs use the newest version: their tasks run the present code of the file. A run of a DAG bundle with versions,
    for example of a Git repository, keeps the version with which it started.
    """
    rows = deployment.perform(list_versions, dag_id)
    print_records(
        rows, output, ("version", "created_at", "hash", "newest", "runs", "bundle_name", "bundle_version", "changes")
    )
