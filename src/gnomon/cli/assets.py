"""`gnomon assets`: list and show assets and their events; run the DAG that writes an asset."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from gnomon.actions.manual_runs import NewRun, create_run
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import format_fields, format_sentence, output_option, print_document, print_records
from gnomon.cli.parameter_types import ConfType
from gnomon.errors.product import UserError
from gnomon.model.states import DagRunType
from gnomon.report.listings import asset_list
from gnomon.report.listings.run_list import build_run_row
from gnomon.report.listings.watcher_list import list_watcher_rows

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
@pass_home
def list_(home: Home, aliases: bool, with_inactive: bool, output: str) -> None:
    """List assets, the tasks that write them, and the DAGs that they schedule."""
    with home.store() as db, db.read() as tx:
        alias_rows = asset_list.list_alias_rows(tx) if aliases else []
        rows = [] if aliases else asset_list.list_asset_rows(tx, with_inactive=with_inactive)
        circles = asset_list.list_asset_circles(tx)
    if aliases:
        print_records(alias_rows, output, ("name", "producers", "consumers"))
    else:
        columns = ("name", "uri", "group", "producers", "consumers", "events", "last_event")
        print_records(rows, output, (*columns, "active") if with_inactive else columns)
    for circle in circles:
        click.echo(format_sentence(asset_list.describe_circle(circle)), err=True)


@assets.command()
@click.argument("asset", metavar="ASSET")
@output_option
@pass_home
def show(home: Home, asset: str, output: str) -> None:
    """Show ASSET, given by its name or its URI, its watchers with their state, and its newest events."""
    with home.store() as db, db.read() as tx:
        stored, row = asset_list.find_asset_row(tx, asset)
        watchers = list_watcher_rows(tx, stored.key)
        events = asset_list.list_event_rows(tx, stored, _SHOWN_EVENTS)
    extra = json.loads(stored.extra)
    if output != "table":
        print_document({**asdict(row), "extra": extra, "watchers": [asdict(watcher) for watcher in watchers], "newest_events": [asdict(event) for event in events]}, output)
        return
    fields = asdict(row)
    click.echo(format_fields([*((name, value) for name, value in fields.items() if value not in ((), None)), ("extra", extra or None)]))
    if not row.active:
        click.echo("no file names this asset any more", err=True)
    if watchers:
        click.echo()
        print_records(watchers, output, _WATCHER_COLUMNS)
    if events:
        click.echo()
        print_records(events, output, _EVENT_COLUMNS)


@assets.command()
@click.argument("asset", metavar="[ASSET]", required=False)
@click.option("-n", "--limit", type=click.IntRange(min=1, max=10_000), default=100, show_default=True, help="Most events to list.")
@output_option
@pass_home
def events(home: Home, asset: str | None, limit: int, output: str) -> None:
    """List the newest events of ASSET, or of all assets, and the runs that consumed them."""
    with home.store() as db, db.read() as tx:
        stored = None if asset is None else asset_list.find_stored_asset(tx, asset)
        rows = asset_list.list_event_rows(tx, stored, limit)
    print_records(rows, output, _EVENT_COLUMNS)


@assets.command()
@click.argument("asset", metavar="ASSET")
@click.option("-c", "--conf", type=ConfType(), default="{}", help="JSON object: the conf of the run, which also sets its params.")
@output_option
@pass_home
def materialize(home: Home, asset: str, conf: dict[str, object], output: str) -> None:
    """Create a run of the DAG whose task writes ASSET, given by its name or its URI, and print the run id."""
    with home.store() as db:
        with db.read() as tx:
            stored = asset_list.find_stored_asset(tx, asset)
            dag_id = _require_one_dag(stored.key.name, asset_list.list_producing_dags(tx, stored.key))
        created = create_run(home, db, NewRun(dag_id=dag_id, conf=conf, run_type=DagRunType.ASSET_MATERIALIZATION))
    dag, run = created.dag, created.run
    if dag.paused:
        click.echo(f"DAG {dag.dag_id!r} is paused: the run waits until `gnomon dags unpause {dag.dag_id}`", err=True)
    if output == "table":
        click.echo(run.run_id)
    else:
        print_document(asdict(build_run_row(dag.dag_id, run)), output)


def _require_one_dag(name: str, dag_ids: list[str]) -> str:
    """The only DAG. Raises UserError when no DAG or several DAGs write the asset."""
    if not dag_ids:
        raise UserError(f"no task has asset {name!r} as outlet, so no run can write it; give a task outlets=[Asset({name!r})]")
    if len(dag_ids) > 1:
        raise UserError(f"several DAGs write asset {name!r}: {', '.join(dag_ids)}; trigger one of them: gnomon dags trigger {dag_ids[0]}")
    return dag_ids[0]
