"""`gnomon slots`: the slots of schedules, judged."""

from __future__ import annotations

from dataclasses import asdict

import click

from gnomon.changes.operations import slot_operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import format_table, output_option, print_document
from gnomon.entry.cli.past_times import PastTime, PastTimeType
from gnomon.entry.cli.terminal.screen import is_utc_asked

_COLUMNS = ("dag_id", "run_after", "logical_date", "run_id")


@click.group()
def slots() -> None:
    """Judge the slots of schedules."""


@slots.command()
@click.argument("dag_ids", metavar="[DAG]...", nargs=-1)
@click.option(
    "--since", type=PastTimeType(), default="7d", show_default=True, help="Since when: `2d`, `yesterday`, a date."
)
@output_option
@pass_deployment
def audit(deployment: DeploymentAccess, dag_ids: tuple[str, ...], since: PastTime, output: str) -> int:
    """List the slots that planning has passed and that have neither a run nor a recorded reason.

    There should be none. Of each DAG the slots of its present schedule are judged; runs that a clean has deleted count as missing. Exit code 1 when there
    are such slots.
    """
    slot_audit = deployment.perform(
        slot_operations.audit, since.resolve(deployment.clock.now(), is_utc_asked()), list(dag_ids)
    )
    if output != "table":
        print_document(asdict(slot_audit), output)
    else:
        click.echo(
            f"{slot_audit.judged} slots judged: {len(slot_audit.lost) or 'each has a run or a reason'}{' with neither run nor reason' if slot_audit.lost else ''}"
        )
        if slot_audit.lost:
            click.echo(format_table([asdict(slot) for slot in slot_audit.lost], _COLUMNS))
        for note in slot_audit.notes:
            click.echo(note, err=True)
    return 1 if slot_audit.lost else 0
