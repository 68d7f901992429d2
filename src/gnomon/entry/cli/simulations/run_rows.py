"""How `gnomon simulate` writes runs and task instances: a table, JSON, YAML, CSV or Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

import click

from gnomon.entry.cli.output import format_sentence, format_table, print_document
from gnomon.entry.cli.simulations.broken_expectations import shorten_violations
from gnomon.entry.cli.simulations.markdown import ROWS_MAX, format_list, format_markdown
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.simulation import Scenario
from gnomon.model.instants import SECOND, iso
from gnomon.model.sentences import Sentence, render, say

RUN_COLUMNS = ("dag_id", "run_after", "started_at", "ended_at", "duration_s", "state")
TASK_COLUMNS = ("dag_id", "run_after", "task", "started_at", "ended_at", "duration_s", "state", "try_number")
RUN_FIELDS = (
    "dag_id",
    "run_id",
    "run_type",
    "run_after",
    "queued_at",
    "started_at",
    "ended_at",
    "duration_s",
    "state",
    "waits",
)
TASK_FIELDS = ("dag_id", "run_id", *TASK_COLUMNS[1:])
"""The fields of CSV, also without a row."""


def print_runs(
    runs: Sequence[RunOutcome],
    scenario: Scenario,
    attempt_count: int,
    assumptions: Sequence[Sentence],
    violations: Sequence[Sentence],
    warnings: Sequence[Sentence],
    output: str,
    *,
    with_tasks: bool,
) -> None:
    """Write the runs, or their task instances, with what is assumed, what is violated and what falls behind."""
    columns = TASK_COLUMNS if with_tasks else RUN_COLUMNS
    rows = [row for run in runs for row in (_list_task_rows(run) if with_tasks else [_build_row(run)])]
    waits = [
        format_sentence(f"{run.dag_id} {run.run_id} has not ended: {render(wait)}")
        for run in runs
        for wait in run.waits[:1]
    ]
    total = format_sentence(render(say("simulation_has_runs", count=len(runs), number=f"{attempt_count:,}")))
    sentences = [
        format_sentence(render(sentence)) for sentence in [*assumptions, *warnings, *shorten_violations(violations)]
    ]
    if output == "csv":
        print_csv(rows, TASK_FIELDS if with_tasks else RUN_FIELDS)
        for sentence in sentences:
            click.echo(sentence, err=True)
    elif output == "markdown":
        click.echo(f"**{total}**\n")
        if rows:
            click.echo(format_markdown(rows[:ROWS_MAX], columns))
        left_out = [render(say("rows_are_left_out", count=len(rows) - ROWS_MAX))] if len(rows) > ROWS_MAX else []
        click.echo(format_list([*left_out, *waits[:ROWS_MAX], *sentences]), nl=False)
    elif output == "table":
        click.echo(format_table(rows, columns) if rows else "no run")
        for line in [*waits, total, *sentences]:
            click.echo(line)
    else:
        print_document(
            {
                "from": iso(scenario.start),
                "until": iso(scenario.end),
                "tasks" if with_tasks else "runs": rows,
                "attempts": attempt_count,
                "violations": [render(sentence) for sentence in violations],
                "warnings": [render(warning) for warning in warnings],
                "assumptions": [render(assumption) for assumption in assumptions],
            },
            output,
        )


def print_csv(rows: Sequence[Mapping[str, object]], fields: Sequence[str]) -> None:
    """Write CSV with these fields."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    click.echo(text.getvalue(), nl=False)


def _build_row(run: RunOutcome) -> dict[str, object]:
    return {
        "dag_id": run.dag_id,
        "run_id": run.run_id,
        "run_type": run.run_type,
        "run_after": iso(run.run_after),
        "queued_at": iso(run.queued_at),
        "started_at": iso(run.started_at),
        "ended_at": iso(run.ended_at),
        "duration_s": _measure(run.started_at, run.ended_at),
        "state": run.state.value,
        "waits": "; ".join(map(render, run.waits)) or None,
    }


def _list_task_rows(run: RunOutcome) -> list[dict[str, object]]:
    return [
        {
            "dag_id": run.dag_id,
            "run_id": run.run_id,
            "run_after": iso(run.run_after),
            "task": task.name,
            "started_at": iso(task.started_at),
            "ended_at": iso(task.ended_at),
            "duration_s": _measure(task.started_at, task.ended_at),
            "state": None if task.state is None else task.state.value,
            "try_number": task.try_number,
        }
        for task in run.tasks
    ]


def _measure(started_at: int | None, ended_at: int | None) -> float | None:
    return None if started_at is None or ended_at is None else (ended_at - started_at) / SECOND
