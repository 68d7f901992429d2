"""How `gnomon simulate --compare` writes what is different: by DAG and by run, with the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from gnomon.entry.cli.output import format_sentence, format_table, print_document
from gnomon.entry.cli.simulations.broken_expectations import shorten_violations
from gnomon.entry.cli.simulations.markdown import ROWS_MAX, format_list, format_markdown
from gnomon.entry.cli.simulations.run_rows import print_csv
from gnomon.entry.projection.comparison import (
    APPEARS,
    CHANGES,
    EARLIER,
    LATER,
    MOVES,
    VANISHES,
    Comparison,
    DagDifference,
    RunDifference,
)
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.simulation import Scenario
from gnomon.model.instants import iso
from gnomon.model.sentences import Sentence, render, say

DAG_COLUMNS = (
    "dag_id",
    "runs_before",
    "runs",
    "appear",
    "vanish",
    "move",
    "later",
    "earlier",
    "other",
    "latest_s",
    "earliest_s",
    "why",
)
RUN_COLUMNS = ("dag_id", "run_after", "change", "ended_before", "ended_at", "shift_s", "why")
GROUP_COLUMNS = ("dag_id", "run_after", "runs", "change", "ended_before", "ended_at", "shift_s", "why")
"""Of a table in which a row may stand for several runs: `run_after` and the ends are those of the first."""
RUN_FIELDS = (
    "dag_id",
    "change",
    "run_after_before",
    "run_after",
    "started_before",
    "started_at",
    "ended_before",
    "ended_at",
    "shift_s",
    "state_before",
    "state",
    "why",
)
_INSTANTS = frozenset(("at", "since"))
"""Arguments of reasons that differ from day to day."""
TABLE_ROWS_MAX = 40
"""Most runs of a table; all are in JSON and CSV."""


def print_differences(
    comparison: Comparison,
    names: tuple[str, str],
    scenario: Scenario,
    assumptions: Sequence[Sentence],
    violations: Sequence[tuple[Sentence, bool]],
    output: str,
) -> None:
    """Write the comparison of the two scenarios. `violations`: of the second, with whether the first has them too."""
    runs, dags = [_build_run(run) for run in comparison.runs], [_build_dag(dag) for dag in comparison.dags]
    old, new = ([sentence for sentence, was_so in violations if was_so is kind] for kind in (True, False))
    broken = [
        *shorten_violations(new),
        *(say("expectation_is_broken_before", message=each, name=names[0]) for each in shorten_violations(old)),
    ]
    sentences = [format_sentence(render(sentence)) for sentence in [*comparison.notes, *assumptions, *broken]]
    summary = format_sentence(render(_sum_up(comparison)))
    if output == "csv":
        print_csv(runs, RUN_FIELDS)
        for sentence in [summary, *sentences]:
            click.echo(sentence, err=True)
    elif output in ("table", "markdown"):
        is_table = output == "table"
        draw, most = (format_table, TABLE_ROWS_MAX) if is_table else (format_markdown, ROWS_MAX)
        click.echo(summary if is_table else f"**{summary}**\n")
        if dags:
            click.echo(("\n" if is_table else "") + draw(dags, DAG_COLUMNS))
        groups = group_differences(comparison.runs)
        if groups:
            rows = [{**_build_run(group[0]), "runs": len(group)} for group in groups[:most]]
            columns = RUN_COLUMNS if len(groups) == len(runs) else GROUP_COLUMNS
            click.echo(("\n" if is_table else "") + draw(rows, columns))
        if len(groups) > most:
            sentences.insert(0, format_sentence(render(say("rows_are_left_out", count=len(groups) - most))))
        if is_table:
            for sentence in sentences:
                click.echo(sentence)
        else:
            click.echo(format_list(sentences), nl=False)
    else:
        print_document(
            {
                "before": names[0],
                "after": names[1],
                "from": iso(scenario.start),
                "until": iso(scenario.end),
                "runs_before": comparison.before_count,
                "runs_after": comparison.after_count,
                "dags": dags,
                "runs": runs,
                "notes": [render(note) for note in comparison.notes],
                "violations": [render(sentence) for sentence, was_so in violations if not was_so],
                "violations_before": [render(sentence) for sentence, was_so in violations if was_so],
                "assumptions": [render(assumption) for assumption in assumptions],
            },
            output,
        )


def group_differences(runs: Sequence[RunDifference]) -> list[list[RunDifference]]:
    """The runs of a DAG that are different in the same way, for the same reasons, together; by their first run."""
    groups: dict[object, list[RunDifference]] = {}
    for run in runs:
        groups.setdefault(_describe_difference(run), []).append(run)
    return list(groups.values())


def _describe_difference(run: RunDifference) -> object:
    """What runs have in common that are different in the same way: all but the instants."""
    before, after = run.before, run.after
    moved = None if before is None or after is None else after.run_after - before.run_after
    reasons = tuple((reason.code, tuple(map(_leave_instant_out, reason.arguments))) for reason in run.reasons)
    states = None if before is None else before.state, None if after is None else after.state
    return run.dag_id, run.change, run.shift_s, moved, states, repr(reasons)


def _leave_instant_out(argument: tuple[str, object]) -> tuple[str, object]:
    return (argument[0], None) if argument[0] in _INSTANTS else argument


def _sum_up(comparison: Comparison) -> Sentence:
    if comparison.runs:
        counts = Counter(run.change for run in comparison.runs)
        names = ", ".join(f"{counts[change]} {change}" for change in CHANGES if counts[change])
        return say("comparison_is_found", count=len(comparison.runs), names=names)
    if comparison.dags:
        return say("comparison_of_dags", count=len(comparison.dags))
    return say("comparison_is_empty", count=comparison.after_count)


def _build_dag(dag: DagDifference) -> dict[str, object]:
    named = (APPEARS, VANISHES, MOVES, LATER, EARLIER)
    return {
        "dag_id": dag.dag_id,
        "runs_before": dag.runs_before,
        "runs": dag.runs_after,
        "appear": dag.counts.get(APPEARS, 0),
        "vanish": dag.counts.get(VANISHES, 0),
        "move": dag.counts.get(MOVES, 0),
        "later": dag.counts.get(LATER, 0),
        "earlier": dag.counts.get(EARLIER, 0),
        "other": sum(number for change, number in dag.counts.items() if change not in named),
        "latest_s": dag.latest_s,
        "earliest_s": dag.earliest_s,
        "why": "; ".join(map(render, dag.notes)) or None,
    }


def _build_run(run: RunDifference) -> dict[str, object]:
    before, after = _read(run.before), _read(run.after)
    return {
        "dag_id": run.dag_id,
        "change": run.change,
        "run_after_before": before[0],
        "run_after": after[0] or before[0],
        "started_before": before[1],
        "started_at": after[1],
        "ended_before": before[2],
        "ended_at": after[2],
        "shift_s": run.shift_s,
        "state_before": before[3],
        "state": after[3],
        "why": "; ".join(map(render, run.reasons)) or None,
    }


def _read(run: RunOutcome | None) -> tuple[str | None, str | None, str | None, str | None]:
    if run is None:
        return None, None, None, None
    return iso(run.run_after), iso(run.started_at), iso(run.ended_at), run.state.value
