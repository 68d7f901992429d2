"""`gnomon assets`: list and show assets and their events; run the DAG that writes an asset."""

from __future__ import annotations

from dataclasses import asdict

import click

from gnomon.changes.operations import asset_operations as operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import format_fields, format_sentence, output_option, print_document, print_records
from gnomon.entry.cli.parameter_types import ConfType
from gnomon.model.ids import quote_argument
from gnomon.model.sentences import render
from gnomon.queries.report.listings import asset_list

_EVENT_COLUMNS = ("event", "at", "asset", "source", "source_run_id", "aliases", "extra", "consumed_by")
_WATCHER_COLUMNS = ("name", "trigger", "dag_id", "state", "events", "last_event", "log")
_SHOWN_EVENTS = 10


@click.group()
def assets() -> None:
    """List and show assets and their events; run the DAG that writes an asset."""


@assets.command("list")
@click.option("--alias", "aliases", is_flag=True, help="List the aliases instead.")
@click.option("-a", "--all", "with_inactive", is_flag=True, help="Also list assets that no file names any more.")
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, aliases: bool, with_inactive: bool, output: str) -> None:
    """List assets, the tasks that write them, and the DAGs that they schedule."""
    listing = deployment.perform(operations.list_assets, aliases, with_inactive)
    if aliases:
        print_records(listing.aliases, output, ("name", "producers", "consumers"))
    else:
        columns = ("name", "uri", "group", "producers", "consumers", "events", "last_event")
        print_records(listing.assets, output, (*columns, "active") if with_inactive else columns)
    for circle in listing.circles:
        click.echo(format_sentence(render(asset_list.describe_circle(tuple(circle)))), err=True)


@assets.command()
@click.argument("asset", metavar="ASSET")
@output_option
@pass_deployment
def show(deployment: DeploymentAccess, asset: str, output: str) -> None:
    """Show ASSET, given by its name or its URI, its watchers with their state, and its newest events."""
    shown = deployment.perform(operations.show_asset, asset, _SHOWN_EVENTS)
    row, extra, watchers, events = shown.asset, shown.extra, shown.watchers, shown.events
    if output != "table":
        print_document(
            {
                **asdict(row),
                "extra": extra,
                "watchers": [asdict(watcher) for watcher in watchers],
                "newest_events": [asdict(event) for event in events],
            },
            output,
        )
        return
    fields = asdict(row)
    click.echo(
        format_fields(
            [*((name, value) for name, value in fields.items() if value not in ((), None)), ("extra", extra or None)]
        )
    )
    if row.added_by and not row.active:
        click.echo(f"no file names this asset; tasks add it through alias {'; alias '.join(row.added_by)}", err=True)
    elif not row.active:
        click.echo("no file names this asset any more", err=True)
    if watchers:
        click.echo()
        print_records(watchers, output, _WATCHER_COLUMNS)
    if events:
        click.echo()
        print_records(events, output, _EVENT_COLUMNS)


@assets.command()
@click.argument("asset", metavar="[ASSET]", required=False)
@click.option(
    "-n", "--limit", type=IntegerRange(1, 10_000), default=100, show_default=True, help="Most events to list."
)
@output_option
@pass_deployment
def events(deployment: DeploymentAccess, asset: str | None, limit: int, output: str) -> None:
    """List the newest events of ASSET, or of all assets, and the runs that consumed them."""
    print_records(deployment.perform(operations.list_asset_events, asset, limit), output, _EVENT_COLUMNS)


@assets.command()
@click.argument("asset", metavar="ASSET")
@click.option(
    "-c", "--conf", type=ConfType(), default="{}", help="JSON object: the conf of the run, which also sets its params."
)
@output_option
@pass_deployment
def materialize(deployment: DeploymentAccess, asset: str, conf: dict[str, object], output: str) -> None:
    """Create a run of the DAG whose task writes ASSET, given by its name or its URI, and print the run id."""
    created = deployment.perform(operations.materialize_asset, asset, conf)
    run = created.run
    if created.dag_paused:
        click.echo(
            f"DAG {run.dag_id!r} is paused: the run waits until `gnomon dags unpause {quote_argument(run.dag_id)}`",
            err=True,
        )
    if output == "table":
        click.echo(run.run_id)
    else:
        print_document(asdict(run), output)
