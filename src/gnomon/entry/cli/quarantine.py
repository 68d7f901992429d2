"""`gnomon quarantine`: list, show, put back and discard what schedulers have set aside."""

from __future__ import annotations

import click

from gnomon.changes.operations import quarantine_operations as operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.integer_range import KEY_MAX, IntegerRange
from gnomon.entry.cli.output import format_fields, output_option, print_document, print_records

_ITEM = click.argument("items", metavar="ITEM...", nargs=-1, required=True, type=IntegerRange(1, KEY_MAX))
_COLUMNS = ("id", "kind", "dag_id", "run_id", "task_id", "map_index", "since", "reason")


@click.group()
def quarantine() -> None:
    """List, show, put back and discard what schedulers have set aside."""


@quarantine.command("list")
@click.option(
    "--limit", type=IntegerRange(1, operations.ROWS_MAX), default=100, show_default=True, help="The most items to show."
)
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, limit: int, output: str) -> None:
    """List the messages, DAGs and groups in quarantine, oldest first."""
    print_records(
        deployment.perform(operations.list_quarantine, limit), output, _COLUMNS, empty="nothing is in quarantine"
    )


@quarantine.command()
@click.argument("item", type=IntegerRange(1, KEY_MAX))
@output_option
@pass_deployment
def show(deployment: DeploymentAccess, item: int, output: str) -> None:
    """Show ITEM with its message. What is encrypted in it stays so."""
    detail = deployment.perform(operations.show_quarantine, item)
    row = detail.item
    fields = [
        ("id", row.id),
        ("kind", row.kind),
        ("group", row.group),
        ("dag_id", row.dag_id),
        ("run_id", row.run_id),
        ("task_id", row.task_id),
        ("map_index", row.map_index),
        ("attempt", row.attempt),
        ("since", row.since),
        ("reason", row.reason),
        ("error", row.error),
        ("key", detail.key),
        ("size", detail.size),
        ("body", detail.body),
    ]
    if output == "table":
        click.echo(format_fields(fields))
    else:
        print_document(dict(fields), output)


@quarantine.command()
@_ITEM
@pass_deployment
def retry(deployment: DeploymentAccess, items: tuple[int, ...]) -> None:
    """Put ITEMs back: a message into its mailbox, a DAG into its scheduler."""
    for item in items:
        click.echo(deployment.perform(operations.retry_quarantine, item))


@quarantine.command()
@_ITEM
@pass_deployment
def discard(deployment: DeploymentAccess, items: tuple[int, ...]) -> None:
    """Delete the messages ITEMs. An attempt that still waits for one fails."""
    for item in items:
        click.echo(deployment.perform(operations.discard_quarantine, item))
