"""`gnomon alerts`: rules, channels, alerts and messages; a message to try a channel."""

from __future__ import annotations

from dataclasses import asdict

import click

from gnomon.changes.operations import alert_operations as operations
from gnomon.changes.operations.channel_tests import send_test_message
from gnomon.entry.cli.deployment.api_target import find_target
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import output_option, print_document, print_records
from gnomon.entry.cli.terminal.reader_language import word
from gnomon.model.errors.product import GnomonError
from gnomon.model.sentences import say

_LIMIT = click.option(
    "--limit", type=IntegerRange(1, 10_000), default=50, show_default=True, help="The most rows to show."
)


@click.group()
def alerts() -> None:
    """Show alerts, rules, channels and messages; try a channel."""


@alerts.command("list")
@click.option("--open", "open_only", is_flag=True, help="Only alerts whose cause is not gone.")
@_LIMIT
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, open_only: bool, limit: int, output: str) -> None:
    """List the newest alerts, newest first."""
    rows = deployment.perform(operations.list_newest_alerts, open_only, limit)
    if output == "table":
        rows = [row.put_into(word) for row in rows]
    empty = "no alert is open" if open_only else "no rule has raised an alert; `gnomon alerts rules` shows the rules"
    print_records(rows, output, ("raised_at", "state", "kind", "rule", "runs", "sentence"), empty=empty)


@alerts.command()
@_LIMIT
@output_option
@pass_deployment
def history(deployment: DeploymentAccess, limit: int, output: str) -> None:
    """List the newest messages, with their channels, states, tries and errors."""
    rows = deployment.perform(operations.list_messages, limit)
    if output == "table":
        rows = [row.put_into(word) for row in rows]
    print_records(
        rows,
        output,
        ("created_at", "channel", "state", "tries", "alerts", "error", "sentences"),
        empty="no message has been written",
    )


@alerts.command()
@output_option
@pass_deployment
@click.pass_context
def rules(context: click.Context, deployment: DeploymentAccess, output: str) -> None:
    """List the rules of gnomon.toml, and those of DAG files."""
    try:
        rows = deployment.perform(operations.list_rules)
    except GnomonError as error:  # gnomon.toml can be checked before the database exists
        if find_target(context) is not None:
            raise
        rows = operations.list_file_rules(context.ensure_object(Home).cfg)
        click.echo(f"gnomon: warning: rules of DAG files are not listed: {error}", err=True)
    empty = "neither gnomon.toml nor a DAG file has rules; add one below [[alerts.rules]], or DAG(alerts=[...])"
    print_records(rows, output, ("rule", "when", "dags", "limit", "to", "place"), empty=empty)


@alerts.command()
@output_option
@pass_deployment
@click.pass_context
def channels(context: click.Context, deployment: DeploymentAccess, output: str) -> None:
    """List the channels of gnomon.toml; secrets are hidden."""
    is_remote = find_target(context) is not None
    rows = (
        deployment.perform(operations.list_channels)
        if is_remote
        else operations.list_file_channels(context.ensure_object(Home).cfg)
    )
    empty = "gnomon.toml has no channels; add one below [alerts.channels.NAME]"
    print_records(rows, output, ("channel", "type", "target", "language", "max_per_hour", "place"), empty=empty)


@alerts.command()
@click.argument("name", metavar="CHANNEL")
@output_option
@pass_deployment
def test(deployment: DeploymentAccess, name: str, output: str) -> None:
    """Send a test message over CHANNEL now, once, without a monitor; exit code 1 when it is not accepted."""
    sent = deployment.perform(send_test_message, name)
    if output == "table":
        accepted = say(
            "channel_accepted_test", name=name, number=str(sent.delivery), short_name=sent.type, text=sent.target
        )
        click.echo(word(accepted))
    else:
        print_document(asdict(sent), output)
