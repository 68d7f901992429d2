"""`gnomon simulate`: the runs of a folder of DAG files in memory, with the durations that the options name."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

import click

from gnomon.entry.cli.dependencies.dag_lookup import load_folder
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import format_option, format_sentence, format_table, print_document, utc_option
from gnomon.entry.cli.parameter_types import MomentType, SpanType, resolve_instant
from gnomon.entry.projection.assumed_times import DEFAULT_S, NamedTimes
from gnomon.entry.projection.expectations import list_violations, read_expectation
from gnomon.entry.projection.idle_process import run_idle
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.simulation import Scenario, SimulatedRuns
from gnomon.entry.projection.simulation import simulate as run_scenario
from gnomon.entry.projection.waiting_host import start_host
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, iso
from gnomon.model.sentences import Sentence, render, say
from gnomon.model.spec import DagSpec
from gnomon.services.scheduler.settings import build_scheduler_settings
from gnomon.storage.store.admin.pools import DEFAULT_POOL

T = TypeVar("T")
MAX_SPAN_S = 10 * 366 * 86_400.0
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


@click.command()
@click.argument("dag_ids", metavar="[DAG]...", nargs=-1)
@click.option("--dags", "folder", required=True, metavar="FOLDER", help="Folder with the DAG files.")
@click.option("--from", "start", type=MomentType(), help="Start of the simulation; default: now.")
@click.option("--for", "span_s", type=SpanType(), default="1d", show_default=True, help="Its length: 12h, 1d, 30d.")
@click.option(
    "--set",
    "durations",
    multiple=True,
    metavar="DAG[.TASK]=SPAN",
    help="The duration of a task, or of all tasks of a DAG.",
)
@click.option(
    "--assume",
    "assumed_s",
    type=SpanType(),
    default=f"{DEFAULT_S:.0f}s",
    show_default=True,
    help="The duration of all other tasks.",
)
@click.option(
    "--length",
    "lengths",
    multiple=True,
    metavar="DAG.TASK=NUMBER",
    help="The length of the list that a task returns, for tasks that are mapped over it.",
)
@click.option("--pool", "pools", multiple=True, metavar="NAME=SLOTS", help="The slots of a pool; -1: no limit.")
@click.option(
    "--parallelism", type=IntegerRange(1, 1_000_000), help="Tasks at once over all DAGs; default: [core] parallelism."
)
@click.option("--fail", "failing", multiple=True, metavar="DAG[.TASK]", help="Every try of these tasks fails.")
@click.option("--freeze", "frozen", multiple=True, metavar="DAG", help="Leave this DAG out.")
@click.option("--tasks", "with_tasks", is_flag=True, help="List task instances instead of runs.")
@click.option(
    "--expect",
    "expected",
    multiple=True,
    metavar="TEXT",
    help="Exit with 1 unless all runs are so: 'report ends before 07:00', 'load takes less than 10m'.",
)
@format_option("csv")
@utc_option
@pass_home
def simulate(
    home: Home,
    dag_ids: tuple[str, ...],
    folder: str,
    start: datetime | None,
    span_s: float,
    durations: tuple[str, ...],
    assumed_s: float,
    lengths: tuple[str, ...],
    pools: tuple[str, ...],
    parallelism: int | None,
    failing: tuple[str, ...],
    frozen: tuple[str, ...],
    with_tasks: bool,
    expected: tuple[str, ...],
    output: str,
) -> None:
    """Simulate the DAGs of a folder: when each run would start and end, with real schedules, waits, pools and limits.

    Nothing is executed and no database is read. The folder is taken as one that has run for some time: all earlier slots have succeeded.
    What is not known is assumed, and the answer says what. With DAG arguments only their runs are listed; the others still run.
    """
    dags = load_folder(home, folder)
    _check_names([*dag_ids, *frozen], dags)
    dags = [(spec, file) for spec, file in dags if spec.dag_id not in frozen]
    specs = {spec.dag_id: spec for spec, _ in dags}
    expectations = [read_expectation(text, specs) for text in expected]
    begin = home.clock.now() if start is None else resolve_instant(start, home.cfg)
    if span_s > MAX_SPAN_S:
        raise UserError(
            say("scenario_value_is_wrong", option="--for", text=f"{span_s:.0f}s", example="at most 10 years")
        )
    settings = build_scheduler_settings(home.cfg)
    slots = parallelism or settings.limits.parallelism or 1_000_000
    scenario = Scenario(
        dags=dags,
        start=begin,
        end=begin + int(span_s * SECOND),
        settings=replace(settings, limits=replace(settings.limits, parallelism=slots, executors=None)),
        worker_slots=slots,
        times=NamedTimes(
            _read_pairs("--set", durations, "DAG.TASK=SPAN, for example load.copy=10m", SpanType().convert),
            _read_pairs("--length", lengths, "DAG.TASK=NUMBER, for example load.files=20", _read_count),
            frozenset(failing),
            assumed_s,
        ),
        pool_slots={
            DEFAULT_POOL: home.cfg.integer("core", "default_pool_task_slot_count"),
            **_read_pairs("--pool", pools, "NAME=SLOTS, for example etl=4", _read_slots),
        },
        with_tasks=with_tasks or any(expectation.task_id is not None for expectation in expectations),
    )

    def run() -> SimulatedRuns:
        with closing(start_host(home.cfg)) as host:
            return run_scenario(scenario, host)

    simulated = run_idle(run)
    violations = list_violations(expectations, simulated.runs, specs, scenario.end)
    runs = [run for run in simulated.runs if not dag_ids or run.dag_id in dag_ids]
    _print(simulated, runs, scenario, with_tasks, violations, output)
    if violations:
        raise UserError(say("expectations_are_violated", count=len(violations)))


def _print(
    simulated: SimulatedRuns,
    runs: Sequence[RunOutcome],
    scenario: Scenario,
    with_tasks: bool,
    violations: Sequence[Sentence],
    output: str,
) -> None:
    columns = TASK_COLUMNS if with_tasks else RUN_COLUMNS
    rows = [row for run in runs for row in (_list_task_rows(run) if with_tasks else [_build_row(run)])]
    if output == "csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, TASK_FIELDS if with_tasks else RUN_FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        click.echo(text.getvalue(), nl=False)
    elif output == "table":
        click.echo(format_table(rows, columns) if rows else "no run")
        for run in runs:
            for wait in run.waits[:1]:
                click.echo(format_sentence(f"{run.dag_id} {run.run_id} has not ended: {render(wait)}"))
        click.echo(f"{len(runs)} runs, {simulated.attempt_count} attempts of tasks in all")
    else:
        print_document(
            {
                "from": iso(scenario.start),
                "until": iso(scenario.end),
                "tasks" if with_tasks else "runs": rows,
                "attempts": simulated.attempt_count,
                "violations": [render(sentence) for sentence in violations],
                "assumptions": [render(assumption) for assumption in simulated.assumptions],
            },
            output,
        )
        return
    for sentence in [*simulated.assumptions, *violations]:
        click.echo(format_sentence(render(sentence)), err=output == "csv")


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


def _check_names(names: Sequence[str], dags: Sequence[tuple[DagSpec, str]]) -> None:
    known = {spec.dag_id for spec, _ in dags}
    for name in names:
        if name not in known:
            raise UserError(say("scenario_names_nothing", name=name))


def _read_pairs(option: str, texts: Sequence[str], example: str, read: Callable[[str, Any, Any], T]) -> dict[str, T]:
    """The values by name. Raises UserError for a text that is no pair, and for a name that occurs twice."""
    values: dict[str, T] = {}
    for text in texts:
        name, separator, value = text.rpartition("=")
        if not separator or not name:
            raise UserError(say("scenario_value_is_wrong", option=option, text=text, example=example))
        if name in values:
            raise UserError(say("scenario_names_twice", option=option, name=name))
        try:
            values[name] = read(value, None, None)
        except (ValueError, click.BadParameter):
            raise UserError(say("scenario_value_is_wrong", option=option, text=text, example=example)) from None
    return values


def _read_count(text: str, _param: Any, _context: Any) -> int:
    return _read_at_least(text, 0)


def _read_slots(text: str, _param: Any, _context: Any) -> int:
    return _read_at_least(text, -1)


def _read_at_least(text: str, least: int) -> int:
    number = int(text)
    if number < least:
        raise ValueError(text)
    return number
