"""`gnomon dags trigger`: creates a manual run. The command itself writes the run (REQUEST in docs/discussions/ownership.md)."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import datetime
from typing import NamedTuple

import click

from gnomon.cli.author_queries import find_manual_slot, plan_manual_run, resolve_manual_partition_date
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import format_sentence, output_option, print_document
from gnomon.cli.parameter_types import ConfType, MomentType, check_run_conf, resolve_instant
from gnomon.errors.product import UserError
from gnomon.model.ids import find_run_id_fault, quote_argument
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.planning import (
    PlanningError,
    Slot,
    find_manual_logical_date,
    find_slot_partition,
    with_slot_data,
)
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.run_list import build_run_row
from gnomon.store import notify_on_commit
from gnomon.store.cross_dag import dag_edges
from gnomon.store.dag_records import dag_runs


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.option("-r", "--run-id", help="Id of the run; default: manual__ and the current time.")
@click.option("-l", "--logical-date", type=MomentType(), help="Logical date of the run; default: none, and the current time for a DAG of Airflow 2.")
@click.option("-s", "--slot", type=MomentType(), help="Create the run of the slot that was, or will be, due at this time.")
@click.option("-c", "--conf", type=ConfType(), default="{}", help="JSON object: the conf of the run, which also sets its params.")
@click.option("--partition-key", help="The partition that the run is about, for a DAG with partitions.")
@output_option
@pass_home
def trigger(
    home: Home, dag_id: str, run_id: str | None, logical_date: datetime | None, slot: datetime | None, conf: dict[str, object],
    partition_key: str | None, output: str,
) -> None:  # fmt: skip
    """Create a run of DAG now, and print its run id.

    The DAG's timetable infers the data interval of the run from the logical date, or from the current time without one. With
    --slot the run gets the logical date and the data interval of the scheduled run that it replaces.
    """
    if slot is not None and logical_date is not None:
        raise click.UsageError("--slot and --logical-date exclude each other: a slot has its own logical date")
    if run_id is not None:
        _check_run_id(run_id, home.cfg.text("scheduler", "allowed_run_id_pattern"))
    now = home.clock.now()
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id)
        _check_active(dag)
        check_run_conf(dag.spec, conf)
        partition_date = resolve_manual_partition_date(home.cfg, dag, partition_key)
        manual_slot = _ManualSlot(find_manual_logical_date(dag.spec, now)) if slot is None else _find_slot_due(home, dag, resolve_instant(slot, home.cfg))
        if logical_date is not None:
            manual_slot = _find_slot_of_date(home, dag, resolve_instant(logical_date, home.cfg))
        planned = plan_manual_run(home.cfg, dag.spec, dag.file, manual_slot.logical_at, now)
        if slot is not None and manual_slot.slot is not None:
            planned = with_slot_data(planned, manual_slot.slot)
        if manual_slot.slot is not None and partition_key is None:
            partition_key, partition_date = find_slot_partition(dag.spec, manual_slot.slot.run_after)
        with db.write() as tx:
            run = dag_runs.create_manual_run(
                tx, dag_id=dag_id, run_id=run_id or planned.run_id, logical_at=manual_slot.logical_at, run_after=planned.run_after,
                interval=(planned.interval_start, planned.interval_end), conf=conf, by=home.by, at=now,
                stands_for=None if manual_slot.slot is None else manual_slot.slot.run_after,
                partition_key=partition_key, partition_date=partition_date,
            )
            notify_on_commit(tx)
            is_waited_for = (logical_date or slot) is not None and bool(dag_edges.list_edges_on(tx, dag_id))
    home.wake_services()
    if is_waited_for:
        click.echo(format_sentence(_describe_slot(dag_id, run, manual_slot)), err=True)
    if dag.paused:
        click.echo(f"DAG {dag_id!r} is paused: the run waits until `gnomon dags unpause {dag_id}`", err=True)
    if output == "table":
        click.echo(run.run_id)
    else:
        print_document(asdict(build_run_row(dag_id, run)), output)


class _ManualSlot(NamedTuple):
    """The slot of the DAG's timetable that a manual run stands for, if any."""

    logical_at: Instant | None
    slot: Slot | None = None
    """The slot with this logical date; None when the timetable has none."""
    doubt: str | None = None
    """Why the timetable cannot tell whether there is such a slot."""


def _find_slot_of_date(home: Home, dag: DagRecord, logical_at: Instant) -> _ManualSlot:
    try:
        return _ManualSlot(logical_at, find_manual_slot(home.cfg, dag, logical_at=logical_at))
    except PlanningError as error:
        return _ManualSlot(logical_at, doubt=str(error))


def _find_slot_due(home: Home, dag: DagRecord, due_at: Instant) -> _ManualSlot:
    """The slot due at that instant. Raises UserError when the timetable has no such slot or cannot tell."""
    see = f"see: gnomon timetables preview {quote_argument(dag.dag_id)}"
    try:
        slot = find_manual_slot(home.cfg, dag, due_at=due_at)
    except PlanningError as error:
        raise UserError(f"the slots of DAG {dag.dag_id!r} cannot be computed: {error}") from None
    if slot is None:
        raise UserError(format_sentence(f"DAG {dag.dag_id!r} has no slot at {iso(due_at)}; {see}"))
    return _ManualSlot(slot.logical_at, slot)


def _describe_slot(dag_id: str, run: RunRecord, manual_slot: _ManualSlot) -> str:
    """A sentence on whether other DAGs wait for this run: they do when the run stands for a slot."""
    slot = manual_slot.slot
    if run.stands_for is not None and slot is not None:
        sentence = f"run {run.run_id!r} stands for the slot due at {iso(run.stands_for)}: DAGs that wait for that slot wait for this run"
        if slot.interval_start in (None, run.interval_start):
            return sentence
        return (
            f"{sentence}; its data interval starts at {iso(run.interval_start)}, that of the slot at {iso(slot.interval_start)}; "
            "--slot gives a run the data interval of the slot"
        )
    date = f"logical date {iso(run.logical_at)}"
    why = f"whether a slot has {date} is not known: {manual_slot.doubt}" if manual_slot.doubt else f"no slot without a run has {date}"
    see = f"see: gnomon timetables preview {quote_argument(dag_id)}"
    return f"run {run.run_id!r} stands for no slot, and no DAG waits for it: {why}; {see}"


def _check_run_id(run_id: str, pattern: str) -> None:
    fault = find_run_id_fault(run_id)
    if fault is not None:
        raise UserError(fault)
    if re.search(pattern, run_id) is None:
        raise UserError(f"run id {run_id!r} does not match {pattern}; choose another run id, or change [scheduler] allowed_run_id_pattern")


def _check_active(dag: DagRecord) -> None:
    if not dag.active:
        raise UserError(f"DAG {dag.dag_id!r} was deleted: no file defines it any more; restore {dag.file} to run it")
