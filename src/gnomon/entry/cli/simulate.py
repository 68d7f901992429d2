"""`gnomon simulate`: the runs of a folder of DAG files in memory, with the changes that options and a scenario file name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace

import click

from gnomon.changes.scenarios.scenario_changes import Change, read_option, suggest_name
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import format_option, format_sentence, utc_option
from gnomon.entry.cli.simulations.difference_rows import print_differences
from gnomon.entry.cli.simulations.prepared_scenario import PreparedScenario, is_scenario_file, prepare, prepare_both
from gnomon.entry.cli.simulations.replay_answer import find_day, print_replay
from gnomon.entry.cli.simulations.report_data import ReportData, ReportSource, build_report
from gnomon.entry.cli.simulations.report_file import find_zone_name, write_report
from gnomon.entry.cli.simulations.requirement_answer import collect_promises, print_answer, read_goal, require_promises
from gnomon.entry.cli.simulations.run_rows import print_runs
from gnomon.entry.projection.comparison import Comparison
from gnomon.entry.projection.comparison import compare as compare_runs
from gnomon.entry.projection.idle_process import run_idle
from gnomon.entry.projection.replay import Replay, read_day, replay_day
from gnomon.entry.projection.requirement_search import SAMPLES, SearchAnswer, search
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.simulation import SimulatedRuns
from gnomon.entry.projection.simulation import simulate as run_scenario
from gnomon.entry.projection.simulation_findings import SimulationFindings, find_faults
from gnomon.entry.projection.waiting_host import start_host
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Sentence, render, say
from gnomon.queries.report.listings.not_found import dag_not_found
from gnomon.services.scheduler.settings import build_scheduler_settings


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
        _replay(home, replay, dag_ids, output)
        return
    if goal_text is not None:
        others = {"--compare": compare, "--tasks": with_tasks, "--report": report, "names of DAGs": dag_ids}
        _refuse_beside("find_is_alone", others)
        _find(home, changes, files[0] if files else None, goal_text, (share, samples), output)
        return
    for option, value in (("--share", share), ("--samples", samples)):
        if value is not None:
            raise UserError(say("option_needs_find", option=option))
    if compare is not None:
        if with_tasks:
            raise UserError(say("comparison_is_of_runs"))
        _compare(home, changes, compare, dag_ids, output, report)
        return
    prepared = prepare(home, changes, files[0] if files else None, with_tasks=with_tasks or report is not None)
    _check_ids(dag_ids, [prepared])

    def run() -> tuple[SimulatedRuns, SimulationFindings, ReportData | None]:
        simulated = _run(home, prepared)
        findings = _find_faults(home, prepared, simulated)
        page = report and build_report(_describe(home, prepared, simulated, dag_ids, findings))
        return simulated, findings, page or None

    simulated, findings, page = run_idle(run)
    violations = findings.violations
    print_runs(
        _choose(simulated, dag_ids),
        prepared.scenario,
        simulated.attempt_count,
        [*prepared.assumptions, *simulated.assumptions],
        [violation.sentence for violation in violations],
        findings.warnings,
        output,
        with_tasks=with_tasks,
    )
    _write(report, page)
    if violations:
        raise UserError(say("expectations_are_violated", count=len(violations)))


def _refuse_beside(code: str, others: Mapping[str, object]) -> None:
    for option, value in others.items():
        if value:
            raise UserError(say(code, option=option))


def _replay(home: Home, text: str, dag_ids: Sequence[str], output: str) -> None:
    begin, end = find_day(text, home)
    with home.store() as db:
        day = read_day(db, begin, end)
    known = {dag.dag_id for dag in day.dags}
    for dag_id in dag_ids:
        if dag_id not in known:
            raise dag_not_found(dag_id, known)
    settings = build_scheduler_settings(home.cfg)
    settings = replace(settings, limits=replace(settings.limits, executors=None))

    def run() -> Replay:
        with closing(start_host(home.cfg)) as host:
            return replay_day(day, settings, host)

    print_replay(run_idle(run), day, dag_ids, output)


def _find(
    home: Home,
    changes: Sequence[Change],
    file: str | None,
    text: str,
    numbers: tuple[int | None, int | None],
    output: str,
) -> None:
    """`numbers`: the share in percent, and the samples; None: the default."""
    prepared = prepare(home, changes, file, with_tasks=False)
    share, samples = numbers
    goal = read_goal(text, prepared, (95 if share is None else share) / 100, samples or SAMPLES)
    promises, notes = collect_promises(home, prepared)
    require_promises(promises)
    scenario = replace(prepared.scenario, with_tasks=promises.with_tasks)

    def run() -> SearchAnswer:
        with closing(start_host(home.cfg)) as host:
            return search(scenario, promises, goal, host)

    print_answer(run_idle(run), goal, prepared, notes, output)


def _describe(
    home: Home,
    prepared: PreparedScenario,
    simulated: SimulatedRuns,
    dag_ids: Sequence[str],
    findings: SimulationFindings,
) -> ReportSource:
    """What the page shows."""
    promises, notes = collect_promises(home, prepared)
    return ReportSource(
        names=(prepared.name,),
        scenario=prepared.scenario,
        simulated=simulated,
        zone=find_zone_name(home),
        notes=[*findings.warnings, *prepared.assumptions, *notes, *simulated.assumptions],
        violations=[violation.sentence for violation in findings.violations],
        due_times=promises.list_due_times(prepared.scenario, simulated),
        dag_ids=dag_ids,
    )


def _write(report: str | None, page: ReportData | None) -> None:
    if report is not None and page is not None:
        write_report(report, page)
        click.echo(format_sentence(render(say("report_is_written", file=report))), err=True)


def _compare(
    home: Home,
    changes: Sequence[Change],
    texts: tuple[str, str],
    dag_ids: Sequence[str],
    output: str,
    report: str | None,
) -> None:
    first, second = prepare_both(home, changes, texts)
    _check_ids(dag_ids, [first, second])

    def run() -> tuple[Comparison, list[list[Sentence]], SimulationFindings, SimulationFindings, ReportData | None]:
        simulated = _run(home, first), _run(home, second)
        before, after = (
            _find_faults(home, prepared, each) for prepared, each in zip((first, second), simulated, strict=True)
        )
        comparison = compare_runs((first.scenario, simulated[0]), (second.scenario, simulated[1]), dag_ids)
        comparison.notes.extend(warning for warning in after.warnings if warning not in before.warnings)
        assumptions = [each.assumptions for each in simulated]
        if report is None:
            return comparison, assumptions, before, after, None
        source = replace(
            _describe(home, second, simulated[1], dag_ids, after),
            names=(first.name, second.name),
            notes=[*comparison.notes, *_merge_assumptions(*_name_sides((first, second), assumptions))],
            before=simulated[0],
            comparison=comparison,
        )
        return comparison, assumptions, before, after, build_report(source)

    comparison, assumptions, before, after, page = run_idle(run)
    known = {(violation.text, violation.dag_id, violation.run_after) for violation in before.violations}
    violations = [
        (violation.sentence, (violation.text, violation.dag_id, violation.run_after) in known)
        for violation in after.violations
    ]
    common = _merge_assumptions(*_name_sides((first, second), assumptions))
    print_differences(comparison, (first.name, second.name), second.scenario, common, violations, output)
    _write(report, page)
    new = sum(not was_so for _, was_so in violations)
    if new:
        raise UserError(say("expectations_are_violated", count=new))


def _name_sides(
    sides: Sequence[PreparedScenario], assumptions: Sequence[list[Sentence]]
) -> list[tuple[str, list[Sentence]]]:
    return [(each.name, [*each.assumptions, *of_side]) for each, of_side in zip(sides, assumptions, strict=True)]


def _merge_assumptions(first: tuple[str, list[Sentence]], second: tuple[str, list[Sentence]]) -> list[Sentence]:
    """What is assumed on both sides once, and then what is assumed on one of them, with its name."""
    common = [sentence for sentence in first[1] if sentence in second[1]]
    return common + [
        say("assumed_on_one_side", name=name, message=sentence)
        for name, sentences in (first, second)
        for sentence in sentences
        if sentence not in common
    ]


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


def _run(home: Home, prepared: PreparedScenario) -> SimulatedRuns:
    with closing(start_host(home.cfg)) as host:
        return run_scenario(prepared.scenario, host)


def _find_faults(home: Home, prepared: PreparedScenario, simulated: SimulatedRuns) -> SimulationFindings:
    def simulate_tasks() -> SimulatedRuns:
        return _run(home, replace(prepared, scenario=replace(prepared.scenario, with_tasks=True)))

    return find_faults(prepared.scenario, simulated, prepared.expectations, prepared.specs, simulate_tasks)


def _choose(simulated: SimulatedRuns, dag_ids: Sequence[str]) -> list[RunOutcome]:
    return [run for run in simulated.runs if not dag_ids or run.dag_id in dag_ids]


def _check_ids(dag_ids: Sequence[str], sides: Sequence[PreparedScenario]) -> None:
    known = {dag_id for side in sides for dag_id in side.all_ids}
    for dag_id in dag_ids:
        if dag_id not in known:
            hint = suggest_name(dag_id, sorted(known))
            raise UserError(say("scenario_names_no_dag", option="the command line", name=dag_id, hint=hint))
