"""`gnomon audit`: who changed what, when and from where."""

from __future__ import annotations

import click

from gnomon.changes.operations import audit_operations as operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import output_option, print_records


@click.command()
@click.option("--dag", metavar="DAG", help="Only lines about this DAG and its runs.")
@click.option("--run", "run_id", metavar="RUN", help="Only lines about runs with this id.")
@click.option(
    "--event", metavar="EVENT", help="Only lines of this kind, for example run_created, marked, pool_changed."
)
@click.option(
    "--by", metavar="USER", help="Only lines of this user or service, for example api:ann, cli:root, scheduler."
)
@click.option(
    "--limit", type=IntegerRange(1, operations.ROWS_MAX), default=50, show_default=True, help="The most lines to show."
)
@output_option
@pass_deployment
def audit(
    deployment: DeploymentAccess,
    dag: str | None,
    run_id: str | None,
    event: str | None,
    by: str | None,
    limit: int,
    output: str,
) -> None:
    """List the newest lines of the audit log, newest first."""
    rows = deployment.perform(operations.list_audit_log, dag, run_id, event, by, limit)
    columns = ("at", "event", "by", "address", "dag_id", "run_id", "task_id", "details")
    print_records(rows, output, columns, empty="the audit log has no such line")
