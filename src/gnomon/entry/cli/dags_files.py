"""`gnomon dags warnings` and `gnomon dags reserialize`: what the DAG processor noticed, and having it read files again."""

from __future__ import annotations

import click

from gnomon.changes.operations import dag_operations as operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import output_option, print_records
from gnomon.entry.cli.terminal.progress_line import ProgressLine
from gnomon.queries.report.listings.import_problems import DagWarning
from gnomon.queries.report.listings.warning_groups import group_warnings

WAIT_S = 300.0
"""How long `reserialize` waits for the DAG processor."""
_LOOK_S = 0.5
_SILENT_S = 15.0
"""Without a parsed file for so long, `reserialize` names the DAG processor."""


@click.command("warnings")
@click.argument("dag_id", metavar="[DAG]", required=False)
@output_option
@pass_deployment
def warnings_command(deployment: DeploymentAccess, dag_id: str | None, output: str) -> None:
    """List the warnings about DAG, or about all files and DAGs: what was loaded and does not do what it seems to."""
    rows = (
        deployment.perform(operations.list_all_warnings)
        if dag_id is None
        else deployment.perform(operations.list_dag_warnings, dag_id)
    )
    if output == "table":
        rows = [
            DagWarning(subject, None, warning)
            for subject, warning in group_warnings((row.subject, row.warning) for row in rows)
        ]
    print_records(rows, output, ("subject", "warning"), empty="no warnings")


@click.command()
@click.argument("dag_id", metavar="[DAG]", required=False)
@click.option("--no-wait", is_flag=True, help="Do not wait until the files have been read.")
@pass_deployment
def reserialize(deployment: DeploymentAccess, dag_id: str | None, no_wait: bool) -> int:
    """Have the DAG processor read all files again, or the file of DAG, although they have not changed.

    Changed files are read without this command. Exit code 0 when all files have been read, 1 when they have not been within 5 minutes.
    """
    count = (
        deployment.perform(operations.read_all_again)
        if dag_id is None
        else deployment.perform(operations.read_dag_again, dag_id)
    )
    files = f"{count} file{'s' if count != 1 else ''}"
    if no_wait or not count:
        click.echo(f"{files} will be read again" if count else "no files to read")
        return 0
    unread = _wait(deployment, count)
    if unread:
        click.echo(
            f"gnomon: {unread} of {files} not read after {WAIT_S:g} s; the DAG processor reads them as soon as it runs",
            err=True,
        )
        return 1
    click.echo(f"{files} read again; `gnomon dags errors` lists those that failed")
    return 0


def _wait(deployment: DeploymentAccess, count: int) -> int:
    """Wait for the DAG processor; returns the number of files that are left."""
    begun = deployment.clock.monotonic()
    is_warned = False
    with ProgressLine() as line:
        while True:
            unread = deployment.perform(operations.count_unread_files)
            waited_s = deployment.clock.monotonic() - begun
            if not unread or waited_s >= WAIT_S:
                return unread
            line.show_share(max(0, count - unread), count, "files")
            if waited_s >= _SILENT_S and unread >= count and not is_warned:
                click.echo(
                    "no file was read yet: is a DAG processor alive? start one with: gnomon standalone, or gnomon dag-processor",
                    err=True,
                )
                is_warned = True
            deployment.sleep(_LOOK_S)
