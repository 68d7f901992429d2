"""`gnomon backfill`: create, list, show, pause, unpause and cancel backfills.

A command only writes the row of the backfill; the scheduler that owns the DAG creates the runs (REQUEST in
docs/contributing/ownership.md).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime

import click

from gnomon.changes.actions.backfill_changes import BackfillSwitch
from gnomon.changes.actions.refusals import BackfillEnded, BackfillRefused
from gnomon.changes.operations import backfill_operations as operations
from gnomon.changes.operations.backfill_operations import CreatedBackfill, SlotListing
from gnomon.entry.cli.backfill_progress import follow_backfill
from gnomon.entry.cli.deployment.api_errors import name_error
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.integer_range import KEY_MAX, IntegerRange
from gnomon.entry.cli.output import (
    format_cell,
    format_fields,
    format_sentence,
    format_table,
    output_option,
    print_document,
    print_records,
)
from gnomon.entry.cli.parameter_types import ConfType, MomentType, resolve_in_zone
from gnomon.model.backfills import DEFAULT_MAX_ACTIVE_RUNS, REPROCESS_CHOICES, Reprocess
from gnomon.model.errors.product import UserError
from gnomon.model.ids import quote_argument
from gnomon.model.sentences import quote

_LEFT_SHOWN = 20
"""Most runs that `show` lists of those that a backfill left as they are."""


@click.group()
def backfill() -> None:
    """Run the past slots of a DAG: create, list, show, pause, unpause and cancel backfills."""


@backfill.command()
@click.argument("dag_id", metavar="[DAG]", required=False)
@click.option("--dag-id", "dag_option", metavar="DAG", help="The DAG, in Airflow's spelling.")
@click.option(
    "--from", "--from-date", "from_date", type=MomentType(), required=True, help="Start of the range of slots."
)
@click.option("--to", "--to-date", "to_date", type=MomentType(), required=True, help="End of the range, inclusive.")
@click.option(
    "--reprocess",
    "--reprocess-behavior",
    type=click.Choice(REPROCESS_CHOICES),
    default="none",
    show_default=True,
    help="Which finished runs in the range run again: none, failed ones, or all (completed).",
)
@click.option(
    "--max-active-runs",
    type=IntegerRange(1),
    default=DEFAULT_MAX_ACTIVE_RUNS,
    show_default=True,
    help="How many runs of the backfill may run at the same time; the DAG's own max_active_runs does not count them.",
)
@click.option("--reverse", "--run-backwards", "runs_backwards", is_flag=True, help="Run the newest slot first.")
@click.option(
    "-c", "--conf", "--dag-run-conf", "conf", type=ConfType(), default="{}", help="JSON object: the conf of the runs."
)
@click.option(
    "--run-on-latest-version",
    is_flag=True,
    help="Refuse the backfill if the DAG has rerun_with_latest_version=False: runs use the newest version of the DAG unless it says so.",
)
@click.option("--dry-run", is_flag=True, help="Only list the slots, and what would become of each.")
@click.option("--wait/--no-wait", default=None, help="Follow the backfill to its end; the default on a terminal.")
@output_option
@pass_deployment
def create(
    deployment: DeploymentAccess,
    dag_id: str | None,
    dag_option: str | None,
    from_date: datetime,
    to_date: datetime,
    reprocess: Reprocess,
    max_active_runs: int,
    runs_backwards: bool,
    conf: dict[str, object],
    run_on_latest_version: bool,
    dry_run: bool,
    wait: bool | None,
    output: str,
) -> int | None:
    """Create runs for the slots of DAG from one date to another; slots that have a run are left, or run again.

    The dates are those of the slots' data intervals: an interval belongs to the range if it starts in it. Slots that are not over yet get no run.
    """
    if (dag_id is None) == (dag_option is None):
        raise click.UsageError("name one DAG: gnomon backfill create DAG --from DATE --to DATE")
    chosen = dag_id or dag_option or ""
    from_at, to_at = (resolve_in_zone(date, deployment.find_default_timezone) for date in (from_date, to_date))
    newest = True if run_on_latest_version else None
    with _instants_in_short_form():
        if dry_run:
            slots = deployment.perform(
                operations.preview_backfill,
                chosen,
                from_at,
                to_at,
                reprocess,
                max_active_runs,
                runs_backwards,
                conf,
                newest,
            )
            _print_dry_run(slots, output)
            return None
        created = deployment.perform(
            operations.create_backfill, chosen, from_at, to_at, reprocess, max_active_runs, runs_backwards, conf, newest
        )
    if output != "table":
        print_document(asdict(created.backfill), output)
    else:
        number = _count_slots(created.slot_count, has_more=created.has_more)
        click.echo(f"created backfill {created.backfill.backfill_id} of DAG {chosen!r} with {number}")
    is_runnable = _print_obstacles(created)
    if wait or (wait is None and is_runnable and output == "table" and sys.stdout.isatty()):
        row = follow_backfill(deployment, created.backfill.backfill_id)
        return 1 if row is not None and (row.failed or row.state == "cancelled") else None
    return None


@contextmanager
def _instants_in_short_form() -> Iterator[None]:
    """Errors of actions with their instants as commands print them."""
    try:
        yield
    except UserError as error:
        if name_error(error) not in (BackfillRefused.__name__, BackfillEnded.__name__):
            raise
        raise UserError(quote(format_sentence(str(error)))) from None


def _count_slots(count: int, *, has_more: bool) -> str:
    return f"{count:,}{' or more' if has_more else ''} slot{'' if count == 1 and not has_more else 's'}"


def _print_obstacles(created: CreatedBackfill) -> bool:
    """Say on stderr why nothing of the backfill will run for now; returns True when it can run."""
    dag_id = created.backfill.dag_id
    if created.dag_paused:
        click.echo(
            f"DAG {dag_id!r} is paused: the runs wait until `gnomon dags unpause {quote_argument(dag_id)}`", err=True
        )
    if not created.is_scheduler_alive:
        click.echo(
            "no scheduler is alive; the backfill begins when one starts: gnomon standalone, or gnomon scheduler",
            err=True,
        )
    return created.is_scheduler_alive and not created.dag_paused


def _print_dry_run(listing: SlotListing, output: str) -> None:
    """Each slot with what would become of it."""
    rows = [asdict(slot) for slot in listing.slots]
    if output != "table":
        print_document(rows, output)
        return
    click.echo(format_table(rows, ("logical_date", "run_after", "run_id", "effect")))
    created = sum(row["effect"] == "create" for row in rows)
    click.echo(
        f"{_count_slots(len(rows), has_more=listing.has_more)}, {created} of them without a run; nothing was changed"
    )


@backfill.command("list")
@click.argument("dag_id", metavar="[DAG]", required=False)
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, dag_id: str | None, output: str) -> None:
    """List all backfills, or those of DAG, newest first."""
    rows = (
        deployment.perform(operations.list_all_backfills)
        if dag_id is None
        else deployment.perform(operations.list_backfills, dag_id)
    )
    columns = (
        "backfill_id",
        "dag_id",
        "state",
        "from_date",
        "to_date",
        "slots",
        "success",
        "failed",
        "running",
        "queued",
        "left",
    )
    print_records(rows, output, columns, empty="no backfills")


@backfill.command()
@click.argument("backfill_id", metavar="BACKFILL", type=IntegerRange(1, KEY_MAX))
@click.option("-f", "--follow", is_flag=True, help="Follow the backfill to its end.")
@output_option
@pass_deployment
def show(deployment: DeploymentAccess, backfill_id: int, follow: bool, output: str) -> None:
    """Show one backfill: its range, its progress, and the runs that it left as they are."""
    shown = deployment.perform(operations.show_backfill, backfill_id, _LEFT_SHOWN)
    row, left_slots = shown.backfill, shown.left
    if output != "table":
        print_document(asdict(row), output)
    else:
        click.echo(format_fields([(name.replace("_", " "), value) for name, value in asdict(row).items()]))
        click.echo(row.describe_progress())
        for slot in left_slots:
            words = "has a run that is not finished" if slot.outcome == "unfinished" else "has a run"
            click.echo(format_sentence(f"slot at {slot.at} {words}: {format_cell(slot.run_id)}"))
        if row.left > len(left_slots):
            click.echo(f"and {row.left - len(left_slots)} more")
    if follow:
        follow_backfill(deployment, backfill_id)


@backfill.command()
@click.argument("backfill_id", metavar="BACKFILL", type=IntegerRange(1, KEY_MAX))
@pass_deployment
def pause(deployment: DeploymentAccess, backfill_id: int) -> None:
    """Pause a backfill: none of its runs is started any more; running ones continue."""
    _change(deployment, backfill_id, BackfillSwitch.PAUSE)


@backfill.command()
@click.argument("backfill_id", metavar="BACKFILL", type=IntegerRange(1, KEY_MAX))
@pass_deployment
def unpause(deployment: DeploymentAccess, backfill_id: int) -> None:
    """Continue a paused backfill."""
    _change(deployment, backfill_id, BackfillSwitch.UNPAUSE)


@backfill.command()
@click.argument("backfill_id", metavar="BACKFILL", type=IntegerRange(1, KEY_MAX))
@pass_deployment
def cancel(deployment: DeploymentAccess, backfill_id: int) -> None:
    """Cancel a backfill: its queued runs fail, running ones run to their end."""
    _change(deployment, backfill_id, BackfillSwitch.CANCEL)


def _change(deployment: DeploymentAccess, backfill_id: int, change: BackfillSwitch) -> None:
    word = change.value
    with _instants_in_short_form():
        switched = deployment.perform(operations.switch_backfill, backfill_id, word)
    dag_id = switched.dag_id
    click.echo(
        f"{word} backfill {backfill_id} of DAG {dag_id!r}"
        if switched.is_changed
        else f"backfill {backfill_id} of DAG {dag_id!r} is {word} already"
    )
