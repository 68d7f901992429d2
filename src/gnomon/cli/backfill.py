"""`gnomon backfill`: create, list, show, pause, unpause and cancel backfills.

A command only writes the row of the backfill; the scheduler that owns the DAG creates the runs (REQUEST in
docs/discussions/ownership.md).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime

import click

from gnomon.actions.backfill_changes import (
    EFFECTS,
    BackfillEnded,
    BackfillRefused,
    BackfillRequest,
    BackfillSwitch,
    FoundSlots,
    change_backfill,
    check_backfill,
    create_backfill,
    find_slots,
    preview_slots,
)
from gnomon.cli.backfill_progress import follow_backfill
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import (
    format_cell,
    format_fields,
    format_sentence,
    format_table,
    output_option,
    print_document,
    print_records,
)
from gnomon.cli.parameter_types import ConfType, MomentType, resolve_instant
from gnomon.errors.product import UserError
from gnomon.model.backfills import DEFAULT_MAX_ACTIVE_RUNS, REPROCESS_CHOICES, Reprocess
from gnomon.model.instants import iso
from gnomon.model.records import DagRecord
from gnomon.report.listings import backfill_list, process_health
from gnomon.report.listings.dag_list import find_dag
from gnomon.store import Database, Transaction
from gnomon.store.dag_records import backfills

_LEFT_SHOWN = 20
"""Most runs that `show` lists of those that a backfill left as they are."""


@click.group()
def backfill() -> None:
    """Run the past slots of a DAG: create, list, show, pause, unpause and cancel backfills."""


@backfill.command()
@click.argument("dag_id", metavar="[DAG]", required=False)
@click.option("--dag-id", "dag_option", metavar="DAG", help="The DAG, in Airflow's spelling.")
@click.option("--from", "--from-date", "from_date", type=MomentType(), required=True, help="Start of the range of slots.")
@click.option("--to", "--to-date", "to_date", type=MomentType(), required=True, help="End of the range, inclusive.")
@click.option("--reprocess", "--reprocess-behavior", type=click.Choice(REPROCESS_CHOICES), default="none", show_default=True,
              help="Which finished runs in the range run again: none, failed ones, or all (completed).")
@click.option("--max-active-runs", type=click.IntRange(min=1), default=DEFAULT_MAX_ACTIVE_RUNS, show_default=True,
              help="How many runs of the backfill may run at the same time; the DAG's own max_active_runs does not count them.")
@click.option("--reverse", "--run-backwards", "runs_backwards", is_flag=True, help="Run the newest slot first.")
@click.option("-c", "--conf", "--dag-run-conf", "conf", type=ConfType(), default="{}", help="JSON object: the conf of the runs.")
@click.option("--run-on-latest-version", is_flag=True, expose_value=False, help="Accepted for Airflow: runs always use the newest version of the DAG.")
@click.option("--dry-run", is_flag=True, help="Only list the slots, and what would become of each.")
@click.option("--wait/--no-wait", default=None, help="Follow the backfill to its end; the default on a terminal.")
@output_option
@pass_home
def create(
    home: Home, dag_id: str | None, dag_option: str | None, from_date: datetime, to_date: datetime, reprocess: Reprocess,
    max_active_runs: int, runs_backwards: bool, conf: dict[str, object], dry_run: bool, wait: bool | None, output: str,
) -> int | None:  # fmt: skip
    """Create runs for the slots of DAG from one date to another; slots that have a run are left, or run again.

    The dates are those of the slots' data intervals: an interval belongs to the range if it starts in it. Slots that are not over yet get no run.
    """
    if (dag_id is None) == (dag_option is None):
        raise click.UsageError("name one DAG: gnomon backfill create DAG --from DATE --to DATE")
    from_at, to_at = resolve_instant(from_date, home.cfg), resolve_instant(to_date, home.cfg)
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id or dag_option or "")
        request = BackfillRequest(dag, from_at, to_at, reprocess, max_active_runs, runs_backwards, conf)
        with _instants_in_short_form():
            check_backfill(request)
            slots = find_slots(home, request)
        if dry_run:
            with db.read() as tx:
                _print_dry_run(tx, request, slots, output)
            return None
        made = create_backfill(home, db, request)
        if output != "table":
            with db.read() as tx:
                print_document(asdict(backfill_list.build_backfill_row(tx, dag.dag_id, made)), output)
        else:
            click.echo(f"created backfill {made.backfill_pk} of DAG {dag.dag_id!r} with {_count_slots(slots)}")
        is_runnable = _print_obstacles(db, dag)
        if wait or (wait is None and is_runnable and output == "table" and sys.stdout.isatty()):
            row = follow_backfill(home, db, dag.dag_id, made.backfill_pk)
            return 1 if row is not None and (row.failed or row.state == "cancelled") else None
    return None


@contextmanager
def _instants_in_short_form() -> Iterator[None]:
    """Errors of actions with their instants as commands print them."""
    try:
        yield
    except (BackfillRefused, BackfillEnded) as error:
        raise UserError(format_sentence(str(error))) from None


def _count_slots(slots: FoundSlots) -> str:
    count = len(slots.runs)
    return f"{count:,}{' or more' if slots.has_more else ''} slot{'' if count == 1 and not slots.has_more else 's'}"


def _print_obstacles(db: Database, dag: DagRecord) -> bool:
    """Say on stderr why nothing of the backfill will run for now; returns True when it can run."""
    if dag.paused:
        click.echo(f"DAG {dag.dag_id!r} is paused: the runs wait until `gnomon dags unpause {dag.dag_id}`", err=True)
    with db.read() as tx:
        is_alive = process_health.is_scheduler_alive(tx)
    if not is_alive:
        click.echo("no scheduler is alive; the backfill begins when one starts: gnomon standalone, or gnomon scheduler", err=True)
    return is_alive and not dag.paused


def _print_dry_run(tx: Transaction, request: BackfillRequest, slots: FoundSlots, output: str) -> None:
    """Each slot with what would become of it."""
    rows = []
    for one in preview_slots(tx, request, slots):
        effect = EFFECTS[one.outcome] if one.state is None else f"{EFFECTS[one.outcome]} ({one.state})"
        rows.append({"logical_date": iso(one.slot.logical_at), "run_after": iso(one.slot.run_after), "run_id": one.run_id, "effect": effect})
    if output != "table":
        print_document(rows, output)
        return
    click.echo(format_table(rows, ("logical_date", "run_after", "run_id", "effect")))
    created = sum(row["effect"] == "create" for row in rows)
    click.echo(f"{_count_slots(slots)}, {created} of them without a run; nothing was changed")


@backfill.command("list")
@click.argument("dag_id", metavar="[DAG]", required=False)
@output_option
@pass_home
def list_(home: Home, dag_id: str | None, output: str) -> None:
    """List all backfills, or those of DAG, newest first."""
    with home.store() as db, db.read() as tx:
        if dag_id is not None:
            find_dag(tx, dag_id)
        rows = backfill_list.list_backfills(tx, dag_id)
    columns = ("backfill_id", "dag_id", "state", "from_date", "to_date", "slots", "success", "failed", "running", "queued", "left")
    print_records(rows, output, columns, empty="no backfills")


@backfill.command()
@click.argument("backfill_id", metavar="BACKFILL", type=int)
@click.option("-f", "--follow", is_flag=True, help="Follow the backfill to its end.")
@output_option
@pass_home
def show(home: Home, backfill_id: int, follow: bool, output: str) -> None:
    """Show one backfill: its range, its progress, and the runs that it left as they are."""
    with home.store() as db:
        with db.read() as tx:
            dag_id, record = backfill_list.find_backfill(tx, backfill_id)
            row = backfill_list.build_backfill_row(tx, dag_id, record)
            left = backfills.list_left_runs(tx, backfill_id, _LEFT_SHOWN)
        if output != "table":
            print_document(asdict(row), output)
        else:
            click.echo(format_fields([(name.replace("_", " "), value) for name, value in asdict(row).items()]))
            click.echo(row.describe_progress())
            for at, outcome, run_id in left:
                words = "has a run that is not finished" if outcome == "unfinished" else "has a run"
                click.echo(format_sentence(f"slot at {iso(at)} {words}: {format_cell(run_id)}"))
            if row.left > len(left):
                click.echo(f"and {row.left - len(left)} more")
        if follow:
            follow_backfill(home, db, dag_id, backfill_id)


@backfill.command()
@click.argument("backfill_id", metavar="BACKFILL", type=int)
@pass_home
def pause(home: Home, backfill_id: int) -> None:
    """Pause a backfill: none of its runs is started any more; running ones continue."""
    _change(home, backfill_id, BackfillSwitch.PAUSE)


@backfill.command()
@click.argument("backfill_id", metavar="BACKFILL", type=int)
@pass_home
def unpause(home: Home, backfill_id: int) -> None:
    """Continue a paused backfill."""
    _change(home, backfill_id, BackfillSwitch.UNPAUSE)


@backfill.command()
@click.argument("backfill_id", metavar="BACKFILL", type=int)
@pass_home
def cancel(home: Home, backfill_id: int) -> None:
    """Cancel a backfill: its queued runs fail, running ones run to their end."""
    _change(home, backfill_id, BackfillSwitch.CANCEL)


def _change(home: Home, backfill_id: int, change: BackfillSwitch) -> None:
    with home.store() as db:
        with db.read() as tx:
            dag_id, record = backfill_list.find_backfill(tx, backfill_id)
        with _instants_in_short_form():
            is_changed = change_backfill(home, db, dag_id, record, change)
    word = change.value
    click.echo(f"{word} backfill {backfill_id} of DAG {dag_id!r}" if is_changed else f"backfill {backfill_id} of DAG {dag_id!r} is {word} already")
