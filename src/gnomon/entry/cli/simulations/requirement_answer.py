"""`gnomon simulate --find`: what is looked for, the search, and how the answer is written."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

import click

from gnomon.changes.scenarios.scenario_changes import Change, KnownNames
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.output import format_sentence, format_table, print_document
from gnomon.entry.cli.simulations.markdown import format_list, format_markdown
from gnomon.entry.cli.simulations.prepared_scenario import PreparedScenario, prepare
from gnomon.entry.cli.simulations.run_rows import print_csv
from gnomon.entry.projection.baseline_calendars import BaselineCalendars
from gnomon.entry.projection.idle_process import run_idle
from gnomon.entry.projection.promises import ScenarioPromises, choose_baselines
from gnomon.entry.projection.requirement_search import MOST, SAMPLES, Goal, SearchAnswer, Trial, find_minute, search
from gnomon.entry.projection.waiting_host import start_host
from gnomon.ground.config.baselines import read_baselines
from gnomon.model.baseline_specs import BaselineSpec, name_for_dag
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Sentence, render, say
from gnomon.storage.store import DatabaseNotInitialised
from gnomon.storage.store.alert_records import stored_baselines

COLUMNS = ("value", "enough", "holds", "samples", "breaks")
ROWS_MAX, NEAR = 20, 4
"""A table of more tried values than the first has so many before and after each change of the answer."""


def answer_search(
    home: Home,
    changes: Sequence[Change],
    file: str | None,
    text: str,
    numbers: tuple[int | None, int | None],
    output: str,
) -> None:
    """Search, and write what was found. `numbers`: the share in percent, and the samples; None: the default."""
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


def read_goal(text: str, prepared: PreparedScenario, share: float, samples: int) -> Goal:
    """What `--find` names. Raises UserError for another form, and for a pool or a DAG that is not there."""
    kind, separator, name = text.partition("=")
    if not ((kind in ("pool", "start") and name) or (kind == "workers" and not separator)):
        example = "pool=NAME, workers or start=DAG"
        raise UserError(say("scenario_value_is_wrong", option="--find", text=text, example=example))
    key = {"pool": "pool", "start": "schedule"}.get(kind)
    if key is not None:
        KnownNames(list(prepared.specs.values())).check([Change(key, name, None, f"--find {text}")])
    return Goal(kind, name, share, samples)


def collect_promises(home: Home, prepared: PreparedScenario) -> tuple[ScenarioPromises, list[Sentence]]:
    """The expectations, and the baselines of the DAG files, of gnomon.toml and of the store; sentences about those that name other DAGs."""
    of_dags = [
        name_for_dag(baseline, spec.dag_id, spec.local_timezone)
        for spec in prepared.specs.values()
        for baseline in spec.baselines
    ]
    of_home: Sequence[BaselineSpec] = read_baselines(home.cfg.home, home.cfg.text("core", "default_timezone"))
    baselines, missing = choose_baselines([*of_home, *of_dags, *_list_stored(home)], prepared.specs)
    notes = [say("baselines_are_not_judged", count=len(missing), names=", ".join(missing))] if missing else []
    calendars = BaselineCalendars(home.cfg.home)
    notes += [fault for spec in baselines if (fault := calendars.find(spec, prepared.scenario.end)[1]) is not None]
    return ScenarioPromises(prepared.expectations, baselines, prepared.specs, calendars), notes


def _list_stored(home: Home) -> Sequence[BaselineSpec]:
    """Those of the store; none in a home without a database, where CI simulates."""
    try:
        with home.store() as db, db.read() as tx:
            return stored_baselines.list_specs(tx)
    except DatabaseNotInitialised:
        return ()


def require_promises(promises: ScenarioPromises) -> None:
    """Raises UserError when nothing is promised."""
    if not promises.expectations and not promises.baselines:
        raise UserError(say("find_needs_promise"))


def print_answer(
    answer: SearchAnswer, goal: Goal, prepared: PreparedScenario, notes: Sequence[Sentence], output: str
) -> None:
    """Write the value and what was tried. Raises UserError when there is no such value."""
    rows = [_build_row(trial, goal) for trial in answer.trials]
    sentences = [] if answer.value is None else [_describe(answer, goal, prepared)]
    assumptions = [*prepared.assumptions, *notes, *answer.assumptions]
    lines = [format_sentence(render(sentence)) for sentence in (*sentences, *assumptions)]
    if output == "csv":
        print_csv(rows, COLUMNS)
        for line in lines:
            click.echo(line, err=True)
    elif output in ("markdown", "table"):
        shown = _choose_rows(rows)
        if len(shown) < len(rows):
            lines.append(format_sentence(render(say("rows_are_left_out", count=len(rows) - len(shown)))))
        if output == "markdown":
            click.echo(format_markdown(shown, COLUMNS))
            click.echo(format_list(lines), nl=False)
        else:
            click.echo("\n".join([format_table(shown, COLUMNS), *lines]))
    else:
        document = {
            "find": f"{goal.kind}={goal.name}" if goal.name else goal.kind,
            "answer": None if answer.value is None else _name_value(answer.value, goal),
            "share": goal.share,
            "trials": rows,
            "sentences": [render(sentence) for sentence in sentences],
            "assumptions": [render(sentence) for sentence in assumptions],
        }
        print_document(document, output)
    if answer.value is None:
        raise UserError(_describe_failure(answer, goal))


def _choose_rows(rows: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """The rows near those at which the answer changes, if there are many."""
    if len(rows) <= ROWS_MAX:
        return list(rows)
    changes = [n for n in range(1, len(rows)) if rows[n]["enough"] != rows[n - 1]["enough"]]
    return [row for n, row in enumerate(rows) if any(-NEAR <= n - change < NEAR for change in changes)] or [
        *rows[:NEAR],
        *rows[-NEAR:],
    ]


def _build_row(trial: Trial, goal: Goal) -> dict[str, object]:
    worst = trial.worst
    return {
        "value": _name_value(trial.value, goal),
        "enough": "yes" if trial.is_enough else "no",
        "holds": min(trial.held.values()),
        "samples": trial.samples,
        "breaks": None if worst is None else worst,
    }


def _name_value(value: int, goal: Goal) -> str | int:
    if goal.kind == "start":
        return f"{value // 60:02}:{value % 60:02}"
    return "no limit" if value == MOST else value


def _describe(answer: SearchAnswer, goal: Goal, prepared: PreparedScenario) -> Sentence:
    value = answer.value
    assert value is not None
    below = answer.find_trial(value + 1 if goal.kind == "start" else value - 1)
    why = say("nothing_less_exists") if below is None else _describe_worst(below)
    if goal.kind == "pool":
        return say("pool_needs_slots", pool=goal.name, count=value, why=why)
    if goal.kind == "workers":
        return say("workers_need_slots", count=value, why=why)
    marks = [trial.value for trial in answer.trials if trial.is_enough]
    minute = find_minute(prepared.specs[goal.name])
    return say(
        "dag_may_start",
        dag=goal.name,
        start_time=str(_name_value(value, goal)),
        text=_format_windows(marks, [trial.value for trial in answer.trials]),
        value="-" if minute is None else str(_name_value(minute, goal)),
    )


def _format_windows(enough: Sequence[int], tried: Sequence[int]) -> str:
    """The times between which every one that was tried is enough."""
    windows: list[list[int]] = []
    for minute in tried:
        if minute not in enough:
            windows.append([])
        elif not windows:
            windows.append([minute])
        else:
            windows[-1].append(minute)
    return ", ".join(
        f"{window[0] // 60:02}:{window[0] % 60:02} - {window[-1] // 60:02}:{window[-1] % 60:02}"
        for window in windows
        if window
    )


def _describe_worst(trial: Trial) -> Sentence:
    worst = trial.worst
    assert worst is not None
    if trial.samples == 1:
        return trial.faults[worst]
    return say(
        "promise_holds_seldom",
        text=worst,
        number=str(trial.held[worst]),
        total=trial.samples,
        why=trial.faults[worst],
    )


def _describe_failure(answer: SearchAnswer, goal: Goal) -> Sentence:
    best = max(answer.trials, key=lambda trial: (min(trial.held.values()), sum(trial.held.values()), trial.value))
    why = _describe_worst(best)
    if goal.kind == "pool":
        return say("no_pool_is_enough", pool=goal.name, why=why)
    if goal.kind == "workers":
        return say("no_workers_are_enough", why=why)
    return say("no_start_is_enough", dag=goal.name, start_time=str(_name_value(best.value, goal)), why=why)
