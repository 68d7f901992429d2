"""`gnomon dags trigger`: a run by hand, written by the command itself (OWNERSHIP.md line 29)."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import datetime

import click

from gnomon.cli.conf import Conf, check_conf
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import document, output_option, sentence
from gnomon.cli.planned import planned_by_hand, slot_by_hand
from gnomon.cli.times import Moment, instant_of
from gnomon.errors.product import UserMistake
from gnomon.model.ids import as_argument, run_id_fault
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.planning import PlanningError, Slot, about
from gnomon.report.dags import find_dag
from gnomon.report.runs import run_row
from gnomon.store import edges, runs, wake


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.option("-r", "--run-id", help="Id of the run; default: manual__ and the time.")
@click.option("-l", "--logical-date", type=Moment(), help="Logical date of the run; default: none.")
@click.option("-c", "--conf", type=Conf(), default="{}", help="JSON object that the run's tasks read, and its params.")
@output_option
@pass_home
def trigger(
    home: Home, dag_id: str, run_id: str | None, logical_date: datetime | None, conf: dict[str, object], output: str
) -> None:
    """Make a run of DAG now, and print its run id.

    Its data interval is what the DAG's timetable infers from the logical date, or else from now. With the logical date of a
    slot that has no run, it is the run of that slot: it is about the data of the slot, and DAGs that wait for the slot wait for it.
    """
    if run_id is not None:
        _check_run_id(run_id, home.cfg.text("scheduler", "allowed_run_id_pattern"))
    logical_at = instant_of(logical_date, home.cfg) if logical_date is not None else None
    now = home.clock.now()
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id)
        _check_active(dag)
        check_conf(dag.spec, conf)
        planned = planned_by_hand(home.cfg, dag.spec, dag.file, logical_at, now)
        slot, doubt = _slot(home, dag, logical_at)
        planned = about(planned, slot)
        with db.write() as tx:
            run = runs.create_manual(
                tx, dag_id=dag_id, run_id=run_id or planned.run_id, logical_at=logical_at, run_after=planned.run_after,
                interval=(planned.interval_start, planned.interval_end), conf=conf, by=home.by, at=now,
                stands_for=None if slot is None else slot.run_after,
            )
            wake(tx)
            is_waited_for = logical_at is not None and bool(edges.edges_on(tx, dag_id))
    home.ring()
    if is_waited_for:
        click.echo(sentence(_standing(dag_id, run, doubt)), err=True)
    if dag.paused:
        click.echo(f"DAG {dag_id!r} is paused: the run waits until `gnomon dags unpause {dag_id}`", err=True)
    if output == "table":
        click.echo(run.run_id)
    else:
        document(asdict(run_row(dag_id, run)), output)


def _slot(home: Home, dag: DagRecord, logical_at: Instant | None) -> tuple[Slot | None, str | None]:
    """The slot with that logical date; or why the timetable does not say whether there is one."""
    try:
        return (None if logical_at is None else slot_by_hand(home.cfg, dag, logical_at)), None
    except PlanningError as error:
        return None, str(error)


def _standing(dag_id: str, run: RunRecord, doubt: str | None) -> str:
    """For whom the run counts, as DAGs wait for runs of its DAG."""
    if run.stands_for is not None:
        return f"run {run.run_id!r} stands for the slot due at {iso(run.stands_for)}: DAGs that wait for that slot wait for this run"
    date = f"logical date {iso(run.logical_at)} is that of"
    why = f"whether {date} a slot is not known: {doubt}" if doubt else f"{date} no slot without a run"
    see = f"see: gnomon timetables preview {as_argument(dag_id)}"
    return f"run {run.run_id!r} stands for no slot, and no DAG waits for it: {why}; {see}"


def _check_run_id(run_id: str, pattern: str) -> None:
    fault = run_id_fault(run_id)
    if fault is not None:
        raise UserMistake(fault)
    if re.search(pattern, run_id) is None:
        raise UserMistake(f"run id {run_id!r} does not match {pattern}; give another, or allow it with [scheduler] allowed_run_id_pattern")


def _check_active(dag: DagRecord) -> None:
    if not dag.active:
        raise UserMistake(f"DAG {dag.dag_id!r} is in no file any more (last in {dag.file}); put the file back to run it")
