"""A prepared scenario once it runs: its runs, what it breaks, and what a report shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

import click

from gnomon.changes.scenarios.scenario_changes import suggest_name
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.output import format_sentence
from gnomon.entry.cli.simulations.prepared_scenario import PreparedScenario
from gnomon.entry.cli.simulations.report_data import ReportData, ReportSource
from gnomon.entry.cli.simulations.report_file import find_zone_name, write_report
from gnomon.entry.cli.simulations.requirement_answer import collect_promises
from gnomon.entry.projection.simulation import SimulatedRuns
from gnomon.entry.projection.simulation import simulate as run_scenario
from gnomon.entry.projection.simulation_findings import SimulationFindings
from gnomon.entry.projection.simulation_findings import find_faults as collect_faults
from gnomon.entry.projection.waiting_host import start_host
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import render, say


def check_dag_ids(dag_ids: Sequence[str], sides: Sequence[PreparedScenario]) -> None:
    """Raises UserError for a DAG that is on no side."""
    known = {dag_id for side in sides for dag_id in side.all_ids}
    for dag_id in dag_ids:
        if dag_id not in known:
            hint = suggest_name(dag_id, sorted(known))
            raise UserError(say("scenario_names_no_dag", option="the command line", name=dag_id, hint=hint))


def run_prepared(home: Home, prepared: PreparedScenario) -> SimulatedRuns:
    """Simulate it."""
    with closing(start_host(home.cfg)) as host:
        return run_scenario(prepared.scenario, host)


def find_faults_of(home: Home, prepared: PreparedScenario, simulated: SimulatedRuns) -> SimulationFindings:
    """What it breaks, and what it warns of."""

    def simulate_tasks() -> SimulatedRuns:
        return run_prepared(home, replace(prepared, scenario=replace(prepared.scenario, with_tasks=True)))

    return collect_faults(prepared.scenario, simulated, prepared.expectations, prepared.specs, simulate_tasks)


def describe_for_report(
    home: Home,
    prepared: PreparedScenario,
    simulated: SimulatedRuns,
    dag_ids: Sequence[str],
    findings: SimulationFindings,
) -> ReportSource:
    """What the page shows."""
    promises, notes = collect_promises(home, prepared)
    due_times = promises.list_due_times(prepared.scenario, simulated)
    notes += promises.list_undecided(due.baseline for due in due_times)
    return ReportSource(
        names=(prepared.name,),
        scenario=prepared.scenario,
        simulated=simulated,
        zone=find_zone_name(home),
        notes=[*findings.warnings, *prepared.assumptions, *notes, *simulated.assumptions],
        violations=[violation.sentence for violation in findings.violations],
        due_times=due_times,
        dag_ids=dag_ids,
    )


def write_page(report: str | None, page: ReportData | None) -> None:
    """Write the page to the file that --report names."""
    if report is not None and page is not None:
        write_report(report, page)
        click.echo(format_sentence(render(say("report_is_written", file=report))), err=True)
