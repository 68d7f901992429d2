"""`gnomon backfill`: create, list, show, pause, unpause and cancel backfills.

A command only writes the row of the backfill; the scheduler that owns the DAG creates the runs (REQUEST in
docs/discussions/ownership.md).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import NamedTuple

import click

from gnomon.actions.author_queries import preview_backfill_slots
from gnomon.actions.run_conf import check_run_conf
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
from gnomon.model.backfills import DEFAULT_MAX_ACTIVE_RUNS, MAX_SLOTS, REPROCESS_CHOICES, BackfillRecord, Reprocess
from gnomon.model.ids import quote_argument
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord
from gnomon.model.slots import PlannedRun
from gnomon.model.states import RUN_STATES_BY_CODE, DagRunType
from gnomon.planning import PlanningError
from gnomon.report.listings import backfill_list, process_health
from gnomon.report.listings.dag_list import find_dag
from gnomon.store import Database, Transaction, notify_on_commit
from gnomon.store.dag_records import backfills
from gnomon.store.dag_records.dag_runs import check_run_type
from gnomon.store.ownership.backfill_runs import decide_existing

_LEFT_SHOWN = 20
"""Most runs that `show` lists of those that a backfill left as they are."""


@click.group()
def backfill() -> None:
    """Run the past slots of a DAG: create, list, show, pause, unpause and cancel backfills."""


class _Request(NamedTuple):
    """The arguments of `create`, checked."""

    dag: DagRecord
    from_at: Instant
    to_at: Instant
    reprocess: Reprocess
    max_active_runs: int
    runs_backwards: bool
    conf: dict[str, object]


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
    now = home.clock.now()
    from_at, to_at = resolve_instant(from_date, home.cfg), resolve_instant(to_date, home.cfg)
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id or dag_option or "")
        request = _Request(dag, from_at, to_at, reprocess, max_active_runs, runs_backwards, conf)
        _check_request(request)
        slots = _find_slots(home, request, now)
        if dry_run:
            with db.read() as tx:
                _print_dry_run(tx, request, slots, output)
            return None
        with db.write() as tx:
            made = backfills.create_backfill(tx, BackfillRecord(
                0, dag.dag_pk, dag.group_no, from_at, to_at, reprocess, max_active_runs, runs_backwards, conf, now, home.by
            ))  # fmt: skip
            notify_on_commit(tx)
        home.wake_services()
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


def _check_request(request: _Request) -> None:
    """Raises UserError for a DAG or a range that cannot be backfilled."""
    dag, spec = request.dag, request.dag.spec
    if not dag.active:
        raise UserError(f"DAG {dag.dag_id!r} was deleted: no file defines it any more; restore {dag.file} to backfill it")
    check_run_type(dag.dag_id, dag.file, spec, DagRunType.BACKFILL)
    reason = _find_no_times_reason(dag)
    if reason is not None:
        raise UserError(f"DAG {dag.dag_id!r} cannot be backfilled: {reason}; run it with: gnomon dags trigger {quote_argument(dag.dag_id)}")
    if dag.dependency_error is not None:
        raise UserError(f"DAG {dag.dag_id!r} cannot be backfilled: {dag.dependency_error}")
    if request.from_at > request.to_at:
        raise UserError(f"--from {format_cell(iso(request.from_at))} is after --to {format_cell(iso(request.to_at))}; exchange the two dates")
    check_run_conf(spec, request.conf)
    depending = [task.task_id for task in spec.tasks if task.depends_on_past or task.wait_for_downstream]
    if request.runs_backwards and depending:
        raise UserError(
            f"DAG {dag.dag_id!r} cannot run backwards: task {depending[0]!r} depends on the run before (depends_on_past); leave --reverse out"
        )


def _find_no_times_reason(dag: DagRecord) -> str | None:
    """Why the timetable of the DAG has no sequence of slots; None when it has one."""
    ref = dag.spec.timetable
    if not ref.can_be_scheduled:
        return f"its schedule is {ref.summary or None}, which has no times"
    if ref.follows_runs or ref.path.rpartition(".")[2] == "ContinuousTimetable":
        return f"its schedule {ref.summary} starts a run whenever the last one has ended, at no time of the clock"
    if ref.builtin and ref.path.rpartition(".")[2] == "OnceTimetable":
        return f"its schedule {ref.summary} is one run at no time of the clock"
    return None if ref.periodic else f"its timetable {ref.path.rpartition('.')[2]} says periodic = False, so it has no sequence of slots"


class _FoundSlots(NamedTuple):
    """The slots of the range in the order in which they run."""

    runs: list[PlannedRun]
    has_more: bool


def _find_slots(home: Home, request: _Request, now: Instant) -> _FoundSlots:
    """The slots of the range. Raises UserError when there is none, when there are too many, or when the timetable fails."""
    dag = request.dag
    span = f"from {format_cell(iso(request.from_at))} to {format_cell(iso(request.to_at))}"
    try:
        found = preview_backfill_slots(home.cfg, dag, request.from_at, request.to_at, now)
    except PlanningError as error:
        raise UserError(f"the slots of DAG {dag.dag_id!r} cannot be computed: {error}") from None
    if found.error is not None:
        raise UserError(f"the slots of DAG {dag.dag_id!r} cannot be computed: {found.error}")
    see = f"see: gnomon timetables preview {quote_argument(dag.dag_id)}"
    if not found.runs:
        future = ", and the range begins in the future" if request.from_at > now else ""
        raise UserError(format_sentence(f"DAG {dag.dag_id!r} has no slot {span} that is over at {iso(now)}{future}; {see}"))
    if len(found.runs) > MAX_SLOTS:
        raise UserError(f"DAG {dag.dag_id!r} has more than {MAX_SLOTS:,} slots {span}; choose shorter ranges, one backfill after the other")
    return _FoundSlots(list(reversed(found.runs)) if request.runs_backwards else list(found.runs), not found.is_complete)


def _count_slots(slots: _FoundSlots) -> str:
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


def _print_dry_run(tx: Transaction, request: _Request, slots: _FoundSlots, output: str) -> None:
    """Each slot with what would become of it."""
    holders = backfills.load_slot_states(tx, request.dag.dag_pk, [key for run in slots.runs for key in (run.slot_key, run.second_key)])
    rows = []
    for run in slots.runs:
        holder = holders.get(run.second_key) or holders.get(run.slot_key)
        effect, run_id = "create", run.run_id
        if holder is not None:
            run_id, state = holder[1], RUN_STATES_BY_CODE[holder[4]]
            effect = f"{_EFFECTS[decide_existing(holder[4], request.reprocess)]} ({state})"
        rows.append({"logical_date": iso(run.logical_at), "run_after": iso(run.run_after), "run_id": run_id, "effect": effect})
    if output != "table":
        print_document(rows, output)
        return
    click.echo(format_table(rows, ("logical_date", "run_after", "run_id", "effect")))
    created = sum(row["effect"] == "create" for row in rows)
    click.echo(f"{_count_slots(slots)}, {created} of them without a run; nothing was changed")


_EFFECTS = {"exists": "leave", "unfinished": "leave", "to_reprocess": "run again"}
"""What `create` prints for the decision on a run that exists."""


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
    _change(home, backfill_id, lambda tx, record: backfills.set_backfill_paused(tx, record, True, home.by, home.clock.now()), "paused")


@backfill.command()
@click.argument("backfill_id", metavar="BACKFILL", type=int)
@pass_home
def unpause(home: Home, backfill_id: int) -> None:
    """Continue a paused backfill."""
    _change(home, backfill_id, lambda tx, record: backfills.set_backfill_paused(tx, record, False, home.by, home.clock.now()), "unpaused")


@backfill.command()
@click.argument("backfill_id", metavar="BACKFILL", type=int)
@pass_home
def cancel(home: Home, backfill_id: int) -> None:
    """Cancel a backfill: its queued runs fail, running ones run to their end."""
    _change(home, backfill_id, lambda tx, record: backfills.cancel_backfill(tx, record, home.by, home.clock.now()), "cancelled")


def _change(home: Home, backfill_id: int, change: Callable[[Transaction, BackfillRecord], bool], word: str) -> None:
    with home.store() as db:
        with db.read() as tx:
            dag_id, record = backfill_list.find_backfill(tx, backfill_id)
        if record.is_ended or record.cancelled_by is not None:
            end = f"was cancelled by {record.cancelled_by}" if record.cancelled_by is not None else f"ended at {iso(record.ended_at)}"
            raise UserError(format_sentence(f"backfill {backfill_id} of DAG {dag_id!r} {end}; `gnomon backfill create` makes a new one"))
        with db.write() as tx:
            is_changed = change(tx, record)
            notify_on_commit(tx)
    home.wake_services()
    click.echo(f"{word} backfill {backfill_id} of DAG {dag_id!r}" if is_changed else f"backfill {backfill_id} of DAG {dag_id!r} is {word} already")
