"""`gnomon simulate --compare`: both sides are simulated, and what is different is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.changes.scenarios.scenario_changes import Change
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.simulations.difference_rows import print_differences
from gnomon.entry.cli.simulations.prepared_run import (
    check_dag_ids,
    describe_for_report,
    find_faults_of,
    run_prepared,
    write_page,
)
from gnomon.entry.cli.simulations.prepared_scenario import PreparedScenario, prepare_both
from gnomon.entry.cli.simulations.report_data import ReportData, build_report
from gnomon.entry.projection.comparison import Comparison
from gnomon.entry.projection.comparison import compare as compare_runs
from gnomon.entry.projection.idle_process import run_idle
from gnomon.entry.projection.simulation_findings import SimulationFindings
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Sentence, say


def answer_comparison(
    home: Home,
    changes: Sequence[Change],
    texts: tuple[str, str],
    dag_ids: Sequence[str],
    output: str,
    report: str | None,
) -> None:
    """Simulate both sides, and write what is different. Raises UserError when the second breaks an expectation that the first keeps."""
    first, second = prepare_both(home, changes, texts)
    check_dag_ids(dag_ids, [first, second])

    def run() -> tuple[Comparison, list[list[Sentence]], SimulationFindings, SimulationFindings, ReportData | None]:
        simulated = run_prepared(home, first), run_prepared(home, second)
        before, after = (
            find_faults_of(home, prepared, each) for prepared, each in zip((first, second), simulated, strict=True)
        )
        comparison = compare_runs((first.scenario, simulated[0]), (second.scenario, simulated[1]), dag_ids)
        comparison.notes.extend(warning for warning in after.warnings if warning not in before.warnings)
        assumptions = [each.assumptions for each in simulated]
        if report is None:
            return comparison, assumptions, before, after, None
        source = replace(
            describe_for_report(home, second, simulated[1], dag_ids, after),
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
    write_page(report, page)
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
