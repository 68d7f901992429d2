"""`gnomon dags trigger`: creates a manual run. `gnomon.actions.manual_runs` does it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import click

from gnomon.actions.manual_runs import ManualSlot, NewRun, SlotNotFound, create_run
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import format_sentence, output_option, print_document
from gnomon.cli.parameter_types import ConfType, MomentType, resolve_instant
from gnomon.errors.product import UserError
from gnomon.model.ids import quote_argument
from gnomon.model.instants import iso
from gnomon.model.records import RunRecord
from gnomon.report.listings.run_list import build_run_row


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
    new = NewRun(
        dag_id=dag_id, run_id=run_id, conf=conf, partition_key=partition_key,
        logical_at=None if logical_date is None else resolve_instant(logical_date, home.cfg),
        slot_at=None if slot is None else resolve_instant(slot, home.cfg),
    )
    with home.store() as db:
        try:
            created = create_run(home, db, new)
        except SlotNotFound as error:
            raise UserError(format_sentence(str(error))) from None
    dag, run = created.dag, created.run
    if created.is_waited_for:
        click.echo(format_sentence(_describe_slot(dag_id, run, created.manual_slot)), err=True)
    if dag.paused:
        click.echo(f"DAG {dag_id!r} is paused: the run waits until `gnomon dags unpause {dag_id}`", err=True)
    if output == "table":
        click.echo(run.run_id)
    else:
        print_document(asdict(build_run_row(dag_id, run)), output)


def _describe_slot(dag_id: str, run: RunRecord, manual_slot: ManualSlot) -> str:
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
