"""`gnomon dags trigger`: creates a manual run."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import click

from gnomon.changes.actions.manual_runs import SlotNotFound
from gnomon.changes.operations.run_operations import trigger_run
from gnomon.entry.cli.deployment.api_errors import name_error
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import format_sentence, output_option, print_document
from gnomon.entry.cli.parameter_types import ConfType, MomentType, resolve_in_zone
from gnomon.model.errors.product import UserError
from gnomon.model.ids import quote_argument
from gnomon.model.sentences import quote


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.option("-r", "--run-id", help="Id of the run; default: manual__ and the current time.")
@click.option(
    "-l",
    "--logical-date",
    type=MomentType(),
    help="Logical date of the run; default: none, and the current time for a DAG of Airflow 2.",
)
@click.option(
    "-s", "--slot", type=MomentType(), help="Create the run of the slot that was, or will be, due at this time."
)
@click.option(
    "-c", "--conf", type=ConfType(), default="{}", help="JSON object: the conf of the run, which also sets its params."
)
@click.option("--partition-key", help="The partition that the run is about, for a DAG with partitions.")
@output_option
@pass_deployment
def trigger(
    deployment: DeploymentAccess,
    dag_id: str,
    run_id: str | None,
    logical_date: datetime | None,
    slot: datetime | None,
    conf: dict[str, object],
    partition_key: str | None,
    output: str,
) -> None:
    """Create a run of DAG now, and print its run id.

    The DAG's timetable infers the data interval of the run from the logical date, or from the current time without one. With
    --slot the run gets the logical date and the data interval of the scheduled run that it replaces.
    """
    if slot is not None and logical_date is not None:
        raise click.UsageError("--slot and --logical-date exclude each other: a slot has its own logical date")
    logical_at = None if logical_date is None else resolve_in_zone(logical_date, deployment.find_default_timezone)
    slot_at = None if slot is None else resolve_in_zone(slot, deployment.find_default_timezone)
    try:
        created = deployment.perform(trigger_run, dag_id, run_id, logical_at, slot_at, conf, partition_key)
    except UserError as error:
        if name_error(error) != SlotNotFound.__name__:
            raise
        raise UserError(quote(format_sentence(str(error)))) from None
    run = created.run
    if created.slot_note is not None:
        click.echo(format_sentence(created.slot_note), err=True)
    if created.dag_paused:
        click.echo(
            f"DAG {dag_id!r} is paused: the run waits until `gnomon dags unpause {quote_argument(dag_id)}`", err=True
        )
    if output == "table":
        click.echo(run.run_id)
    else:
        print_document(asdict(run), output)
