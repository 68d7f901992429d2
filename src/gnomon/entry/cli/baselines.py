"""`gnomon baselines`: how promised ends stand, what decides one, and an exit code for scripts."""

from __future__ import annotations

from dataclasses import asdict

import click

from gnomon.changes.operations import baseline_operations as operations
from gnomon.changes.operations.baseline_operations import BaselineRow, BaselineTable, KeyStepRow
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import (
    format_fields,
    format_sentence,
    format_table,
    output_option,
    print_document,
    print_records,
)
from gnomon.model.baselines import OPEN_LEVELS
from gnomon.model.sentences import render, say

_COLUMNS = ("name", "level", "due_at", "breach", "end_p50", "end_p90", "slack_s", "owner")
_STEP_COLUMNS = ("dag_id", "task", "start", "end", "usual_s", "waited_s", "latest_start", "trouble")
_DUE_COLUMNS = ("due_at", "level", "breach", "end_p50", "ended_at")


@click.group()
def baselines() -> None:
    """Show how promised ends stand: level, probability of a breach, key path."""


@baselines.command("list")
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, output: str) -> None:
    """List the baselines, each with the due time that matters now."""
    rows = deployment.perform(operations.list_all)
    print_records(rows, output, _COLUMNS, empty=render(say("no_baseline_exists")))


@baselines.command()
@click.argument("name")
@output_option
@pass_deployment
def show(deployment: DeploymentAccess, name: str, output: str) -> None:
    """Show NAME: its sentence, the key path with the latest starts, what costs the time, what can be done, earlier due times."""
    table = deployment.perform(operations.show, name)
    if output == "table":
        _print(table)
    else:
        print_document(asdict(table), output)


@baselines.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@output_option
@pass_deployment
@click.pass_context
def check(context: click.Context, deployment: DeploymentAccess, names: tuple[str, ...], output: str) -> None:
    """Exit with code 1 if a baseline (one of NAMEs) is at risk, will be broken or is broken, or if no monitor judges it."""
    rows = deployment.perform(operations.list_all)
    known = {row.name for row in rows}
    for name in names:
        if name not in known:
            deployment.perform(operations.show, name)  # raises, and names the baselines
    chosen = [row for row in rows if not names or row.name in names]
    if output == "table":
        for row in chosen:
            click.echo(format_sentence(row.sentence))
        if not chosen:
            click.echo(render(say("no_baseline_exists")))
    else:
        print_document([asdict(row) for row in chosen], output)
    context.exit(int(any(_is_open(row) for row in chosen)))


def _is_open(row: BaselineRow) -> bool:
    return row.is_stale or (row.ended_at is None and row.level in OPEN_LEVELS)


def _print(table: BaselineTable) -> None:
    row = table.baseline
    click.echo(format_sentence(row.sentence))
    if table.costly is not None:
        click.echo(format_sentence(table.costly))
    fields = [
        ("of", ", ".join(row.of)),
        ("by", f"{table.by} {table.timezone}"),
        ("margin_s", table.margin_s),
        ("at_risk", table.at_risk),
        ("owner", row.owner),
        ("slack_s", row.slack_s),
        ("samples", table.samples),
    ]
    click.echo("\n" + format_fields([(name, value) for name, value in fields if value not in ("", None)]))
    if table.key_path:
        click.echo("\n" + format_table([_build_line(step) for step in table.key_path], _STEP_COLUMNS))
    for act in table.acts:
        click.echo(act)
    if table.history:
        click.echo("\n" + format_table([asdict(due) for due in table.history], _DUE_COLUMNS))
    for assumption in table.assumptions:
        click.echo(format_sentence(assumption))


def _build_line(step: KeyStepRow) -> dict[str, object]:
    return {**asdict(step), "waited_s": round(step.waited_s, 1), "usual_s": _round(step.usual_s)}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
