"""`gnomon simulate`: the runs of a folder of DAG files in memory, with the changes that options and a scenario file name."""

from __future__ import annotations

from collections.abc import Mapping

import click

from gnomon.changes.scenarios.scenario_changes import Change, read_option
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import format_option, utc_option
from gnomon.entry.cli.simulations.comparison_answer import answer_comparison
from gnomon.entry.cli.simulations.prepared_run import (
    check_dag_ids,
    describe_for_report,
    find_faults_of,
    run_prepared,
    write_page,
)
from gnomon.entry.cli.simulations.prepared_scenario import is_scenario_file, prepare
from gnomon.entry.cli.simulations.replay_answer import answer_replay
from gnomon.entry.cli.simulations.report_data import ReportData, build_report
from gnomon.entry.cli.simulations.requirement_answer import answer_search
from gnomon.entry.cli.simulations.run_rows import print_runs
from gnomon.entry.projection.idle_process import run_idle
from gnomon.entry.projection.requirement_search import SAMPLES
from gnomon.entry.projection.simulation import SimulatedRuns
from gnomon.entry.projection.simulation_findings import SimulationFindings
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say


@click.command()
@click.argument("names", metavar="[SCENARIO.toml] [DAG]...", nargs=-1)
@click.option(
    "--dags",
    metavar="FOLDER",
    help="Folder with the DAG files, or REVISION:FOLDER of a Git repository; default: that of the home.",
)
@click.option("--from", "from_", metavar="TIME", help="Start of the simulation; default: now.")
@click.option("--for", "for_", metavar="SPAN", help="Its length: 12h, 1d, 30d; default: 1d.")
@click.option(
    "--set",
    "set_",
    multiple=True,
    metavar="DAG[.TASK]=SPAN",
    help="The duration of a task, or of all tasks of a DAG; 10m..30m: drawn for each try; +50% or -20%: of what it would be otherwise.",
)
@click.option("--assume", metavar="SPAN", help="The duration of all other tasks; default: 60s.")
@click.option(
    "--length",
    multiple=True,
    metavar="DAG.TASK=NUMBER",
    help="The length of the list that a task returns, for tasks that are mapped over it.",
)
@click.option("--pool", multiple=True, metavar="NAME=SLOTS", help="The slots of a pool; -1: no limit.")
@click.option(
    "--parallelism", type=IntegerRange(1, 1_000_000), help="Tasks at once over all DAGs; default: [core] parallelism."
)
@click.option("--seed", type=IntegerRange(0, 1_000_000), help="What durations are drawn with; default: 1.")
@click.option("--fail", multiple=True, metavar="DAG[.TASK]", help="Every try of these tasks fails.")
@click.option(
    "--delay",
    multiple=True,
    metavar="DAG[.TASK]=SPAN",
    help="A task or sensor ends so much later; of a DAG, each task that waits for no other one of it.",
)
@click.option("--schedule", multiple=True, metavar="DAG=CRON", help="Another schedule for this DAG.")
@click.option("--freeze", multiple=True, metavar="DAG", help="Leave this DAG out.")
@click.option("--skip-broken", is_flag=True, help="Leave files out that cannot be loaded, and name them.")
@click.option(
    "--compare",
    nargs=2,
    metavar="A B",
    help="What is different in B: both are scenario files, folders, or REVISION:FOLDER. All other options are for both.",
)
@click.option("--tasks", "with_tasks", is_flag=True, help="List task instances instead of runs.")
@click.option(
    "--expect",
    multiple=True,
    metavar="TEXT",
    help="Exit with 1 unless all runs are so: 'report ends before 07:00', 'load takes less than 10m'.",
)
@click.option(
    "--find",
    "goal_text",
    metavar="pool=NAME|workers|start=DAG",
    help="The smallest pool, the fewest tasks at once, or the latest start of the day, so that each --expect and each baseline holds.",
)
@click.option(
    "--share",
    type=IntegerRange(1, 100),
    metavar="PERCENT",
    help="With --find: the share of the samples in which each must hold; default: 95.",
)
@click.option(
    "--samples",
    type=IntegerRange(1, 1000),
    help=f"With --find: how often durations are drawn; default: {SAMPLES}, and 1 without --set DAG=10m..30m.",
)
@click.option(
    "--replay",
    metavar="yesterday|DATE",
    help="A past day of this home once more: recorded durations with the schedules, pools and limits of now, beside what happened.",
)
@click.option(
    "--report",
    metavar="FILE.html",
    help="Write a page with the time line too: one HTML file, which needs no network.",
)
@format_option("csv", "markdown")
@utc_option
@pass_home
def simulate(
    home: Home,
    names: tuple[str, ...],
    compare: tuple[str, str] | None,
    with_tasks: bool,
    goal_text: str | None,
    share: int | None,
    samples: int | None,
    report: str | None,
    replay: str | None,
    output: str,
    **options: object,
) -> None:
    """Simulate the DAGs of a folder: when each run would start and end, with real schedules, waits, pools and limits.

    Nothing is executed, and no database is read but by --replay. The folder is taken as one that has run for some time: all earlier slots have succeeded.
    What is not known is assumed, and the answer says what. With DAG arguments only their runs are listed; the others still run.
    A scenario file has the options as keys, for example for = "7d" and pool.etl = 4.
    """
    changes = _read_options(options)
    files = [name for name in names if is_scenario_file(name)]
    dag_ids = [name for name in names if not is_scenario_file(name)]
    if len(files) > (0 if compare else 1):
        raise UserError(say("scenario_is_second_file", name=files[-1]))
    if replay is not None:
        places = [*files, *(change.place for change in changes)]
        _refuse_beside(
            "replay_is_alone",
            {"--compare": compare, "--find": goal_text, "--tasks": with_tasks, "--report": report}
            | dict.fromkeys(places, True),
        )
        answer_replay(home, replay, dag_ids, output)
        return
    if goal_text is not None:
        others = {"--compare": compare, "--tasks": with_tasks, "--report": report, "names of DAGs": dag_ids}
        _refuse_beside("find_is_alone", others)
        answer_search(home, changes, files[0] if files else None, goal_text, (share, samples), output)
        return
    for option, value in (("--share", share), ("--samples", samples)):
        if value is not None:
            raise UserError(say("option_needs_find", option=option))
    if compare is not None:
        if with_tasks:
            raise UserError(say("comparison_is_of_runs"))
        answer_comparison(home, changes, compare, dag_ids, output, report)
        return
    prepared = prepare(home, changes, files[0] if files else None, with_tasks=with_tasks or report is not None)
    check_dag_ids(dag_ids, [prepared])

    def run() -> tuple[SimulatedRuns, SimulationFindings, ReportData | None]:
        simulated = run_prepared(home, prepared)
        findings = find_faults_of(home, prepared, simulated)
        page = report and build_report(describe_for_report(home, prepared, simulated, dag_ids, findings))
        return simulated, findings, page or None

    simulated, findings, page = run_idle(run)
    violations = findings.violations
    print_runs(
        [run for run in simulated.runs if not dag_ids or run.dag_id in dag_ids],
        prepared.scenario,
        simulated.attempt_count,
        [*prepared.assumptions, *simulated.assumptions],
        [violation.sentence for violation in violations],
        findings.warnings,
        output,
        with_tasks=with_tasks,
    )
    write_page(report, page)
    if violations:
        raise UserError(say("expectations_are_violated", count=len(violations)))


def _refuse_beside(code: str, others: Mapping[str, object]) -> None:
    for option, value in others.items():
        if value:
            raise UserError(say(code, option=option))


def _read_options(options: Mapping[str, object]) -> list[Change]:
    """The changes that the options make."""
    changes: list[Change] = []
    for parameter, value in options.items():
        key = parameter.rstrip("_")
        if key == "skip_broken":
            changes += [Change(key, "", value=True, place="--skip-broken")] if value else []
        elif isinstance(value, tuple):
            changes += [read_option(key, text) for text in value]
        elif value is not None:
            changes.append(read_option(key, str(value)))
    return changes
