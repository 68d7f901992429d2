"""`gnomon baselines`: how promised ends stand, what decides one, an exit code for scripts, and changes of stored ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import click

from gnomon.changes.actions.baseline_fields import BaselineFields
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
from gnomon.entry.cli.parameter_types import SpanType
from gnomon.model.baseline_specs import WEEKDAYS, read_by
from gnomon.model.baselines import OPEN_LEVELS
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import render, say

_COLUMNS = ("name", "level", "due_at", "breach", "end_p50", "end_p90", "slack_s", "owner")
_STEP_COLUMNS = ("dag_id", "task", "start", "end", "usual_s", "waited_s", "latest_start", "trouble")
_VERSION_COLUMNS = ("version", "at", "by", "definition")
_DUE_COLUMNS = ("due_at", "level", "breach", "end_p50", "ended_at")


@click.group()
def baselines() -> None:
    """Show how promised ends stand: level, probability of a breach, key path. Make, change and delete baselines."""


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


_WEIGHT = re.compile(r"[0-9]{1,9}")
_FIELDS = (
    click.option("--of", "of", multiple=True, metavar="DAG[.TASK]", help="What must be done; repeatable."),
    click.option("--by", metavar="TIME", help='The time of day: 07:00, or "01:30 +1 day".'),
    click.option("--timezone", metavar="ZONE", help="Default: [core] default_timezone."),
    click.option("--margin", "margin_s", type=SpanType(), help="The end is wanted so long before."),
    click.option(
        "--at-risk",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        help="At risk from this probability of a breach; default: 0.2.",
    ),
    click.option(
        "--weekday",
        "weekdays",
        type=click.Choice((*WEEKDAYS, "all")),
        multiple=True,
        help="Days of the runs on which it holds; repeatable.",
    ),
    click.option("--calendar", metavar="NAME", help='Only on business days of [calendars.NAME]; "" for all days.'),
    click.option("--owner", metavar="NAME", help="Who has promised it."),
    click.option(
        "--priority",
        metavar="WEIGHT",
        help='Weight of tasks on its key path while it is at risk, or the least and the most: 100-1000; "" for their own.',
    ),
    click.option("--to", "to", multiple=True, metavar="CHANNEL", help='Is told of it; repeatable; "" for nobody.'),
)


def _field_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_FIELDS):
        command = option(command)
    return command


@baselines.command()
@click.argument("name")
@_field_options
@pass_deployment
def create(deployment: DeploymentAccess, name: str, **options: Any) -> None:
    """Make baseline NAME: the runs of --of are done --by that time."""
    due = deployment.perform(operations.create, name, _read_fields(options))
    click.echo(f"created baseline {name}, due by {due}")


@baselines.command()
@click.argument("name")
@_field_options
@pass_deployment
def edit(deployment: DeploymentAccess, name: str, **options: Any) -> None:
    """Change baseline NAME, which stands in no file."""
    fields = _read_fields(options)
    if fields == BaselineFields():
        raise UserError(say("baseline_edit_needs_option", baseline=name))
    due = deployment.perform(operations.edit, name, fields)
    click.echo(f"changed baseline {name}, due by {due}")


@baselines.command()
@click.argument("name")
@pass_deployment
def delete(deployment: DeploymentAccess, name: str) -> None:
    """Delete baseline NAME, which stands in no file, with its coming due times."""
    deployment.perform(operations.delete, name)
    click.echo(f"deleted baseline {name}")


@baselines.command()
@click.argument("name")
@output_option
@pass_deployment
def history(deployment: DeploymentAccess, name: str, output: str) -> None:
    """Show who changed baseline NAME, and what it was."""
    rows = deployment.perform(operations.list_history, name)
    if output != "table":
        print_document([asdict(row) for row in rows], output)
        return
    lines = [{**asdict(row), "definition": _word(row.definition)} for row in rows]
    click.echo(
        format_table(lines, _VERSION_COLUMNS) if lines else render(say("baseline_has_no_history", baseline=name))
    )


def _word(definition: dict[str, Any] | None) -> str:
    if definition is None:
        return "deleted"
    return ", ".join(
        f"{name}={' '.join(value) if isinstance(value, list) else value}" for name, value in definition.items()
    )


def _read_fields(options: dict[str, Any]) -> BaselineFields:
    """Options that are not there are None; "all" and "" empty a list. A time without days is one of the same day."""
    weekdays, to, of = options.pop("weekdays"), options.pop("to"), options.pop("of")
    due, priority = read_by(options["by"]), options.pop("priority")
    return BaselineFields(
        **options,
        priority=None if priority is None else _read_bounds(priority),
        days=None if due is None else due[1],
        of=list(of) or None,
        weekdays=[WEEKDAYS.index(day) for day in weekdays if day != "all"] if weekdays else None,
        to=[name for name in to if name] if to else None,
    )


def _read_bounds(text: str) -> list[int]:
    """One weight or two; empty for an empty text. Raises UserError for what is no number."""
    parts = text.split("-") if text else []
    if not all(_WEIGHT.fullmatch(part.strip()) for part in parts):
        example = "a weight such as 100, or the least and the most: 100-1000"
        raise UserError(say("scenario_value_is_wrong", option="--priority", text=text[:100], example=example))
    weights = [int(part) for part in parts]
    return weights * 2 if len(weights) == 1 else weights


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
        ("weekdays", ", ".join(table.weekdays)),
        ("calendar", table.calendar),
        ("owner", row.owner),
        ("to", ", ".join(table.to)),
        ("priority", "-".join(map(str, table.priority))),
        ("place", row.place),
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
