"""What the page of `gnomon simulate --report` shows, of a bounded size: bars, curves of pools, rows, and sentences in both languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.entry.projection.comparison import VANISHES, Comparison, RunDifference
from gnomon.entry.projection.promises import JudgedDueTime
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.simulation import Scenario, SimulatedRuns
from gnomon.ground.config.language_files import find_language
from gnomon.model.instants import SECOND, Instant
from gnomon.model.languages.translation import render_in
from gnomon.model.sentences import Sentence, render, say
from gnomon.model.states import DagRunState

BARS_MAX = 12_000
"""Most bars of all DAGs: of a DAG with more than its share, runs that follow one another become one bar."""
DAGS_MAX = 400
ROWS_MAX = 1_000
POOLS_MAX = 12
LANES_MAX = 4
POINTS_MAX = 1_000
"""Most points of the curve of a pool: each is then the most that is used in its part of the time."""
SENTENCES_MAX = 200
BASELINES_MAX = 1_000
_MILLISECOND = SECOND // 1_000
ReportData = dict[str, Any]
"""What the page reads, in plain JSON values."""
Bar = list[Any]
"""Lane, due, start, end, state (0 success, 1 failed, 2 not ended), number of runs, change, start and end before; times in ms from the start."""


@dataclass(frozen=True)
class ReportSource:
    """What there is to show."""

    names: tuple[str, ...]
    """Of the simulation, or of both sides of a comparison."""
    scenario: Scenario
    simulated: SimulatedRuns
    zone: str
    notes: Sequence[Sentence]
    violations: Sequence[Sentence]
    due_times: Sequence[JudgedDueTime] = ()
    before: SimulatedRuns | None = None
    comparison: Comparison | None = None
    dag_ids: Sequence[str] = ()
    """Only these DAGs; empty: all."""


def build_report(source: ReportSource) -> ReportData:
    """The data of the page."""
    origin = source.scenario.start
    changes = _list_changes(source.comparison)
    gone = [change.before for change in changes if change.change == VANISHES and change.before is not None]
    runs = [run for run in source.simulated.runs if not source.dag_ids or run.dag_id in source.dag_ids] + gone
    by_run = {id(run): change for change in changes for run in _list_shown(change)}
    notes = list(source.notes)
    dags = _build_dags(runs, by_run, origin, notes)
    ordered = sorted(runs, key=lambda run: id(run) not in by_run) if by_run else runs
    if len(runs) > ROWS_MAX:
        notes.append(say("report_rows_are_left_out", count=len(runs) - ROWS_MAX))
    if len(source.due_times) > BASELINES_MAX:
        notes.append(say("report_baselines_are_left_out", count=len(source.due_times) - BASELINES_MAX))
    violations = source.violations[:SENTENCES_MAX]
    return {
        "names": list(source.names),
        "start": origin // _MILLISECOND,
        "end": source.scenario.end // _MILLISECOND,
        "zone": source.zone,
        "dags": dags,
        "pools": _build_pools(source, notes),
        "baselines": [
            {
                "name": due.baseline,
                "due": _count_ms(due.due_at, origin),
                "end": _count_ms(due.ended_at, origin),
                "dags": list(due.dag_ids),
                "met": due.is_met,
            }
            for due in source.due_times[:BASELINES_MAX]
        ],
        "rows": [_build_row(run, by_run.get(id(run)), origin) for run in ordered[:ROWS_MAX]],
        "total": len(runs),
        "differences": [
            [dag.dag_id, _word(dag.notes[0])]
            for dag in (source.comparison.dags if source.comparison else ())
            if dag.notes
        ][:SENTENCES_MAX],
        "notes": [_word(sentence) for sentence in notes[:SENTENCES_MAX]],
        "violations": [_word(sentence) for sentence in violations],
    }


def _list_changes(comparison: Comparison | None) -> Sequence[RunDifference]:
    return () if comparison is None else comparison.runs


def _list_shown(change: RunDifference) -> list[RunOutcome]:
    """The run of the pair that the page shows as a bar."""
    run = change.before if change.after is None else change.after
    return [] if run is None else [run]


def _word(sentence: Sentence) -> list[str]:
    """English and Chinese."""
    chinese, english = find_language("zh"), render(sentence)
    return [english, english if chinese is None else render_in(sentence, chinese)]


def _count_ms(at: Instant | None, origin: Instant) -> int | None:
    return None if at is None else (at - origin) // _MILLISECOND


def _build_dags(
    runs: Iterable[RunOutcome], changes: Mapping[int, RunDifference], origin: Instant, notes: list[Sentence]
) -> list[dict[str, Any]]:
    by_dag: dict[str, list[RunOutcome]] = defaultdict(list)
    for run in runs:
        by_dag[run.dag_id].append(run)
    chosen = sorted(by_dag, key=lambda dag_id: (not any(id(run) in changes for run in by_dag[dag_id]), dag_id))
    if len(chosen) > DAGS_MAX:
        notes.append(say("report_dags_are_left_out", count=len(chosen) - DAGS_MAX))
    chosen = chosen[:DAGS_MAX]
    share = BARS_MAX // max(1, len(chosen))
    merged = 0
    dags: list[dict[str, Any]] = []
    for dag_id in chosen:
        bars = [_build_bar(run, changes.get(id(run)), origin) for run in by_dag[dag_id]]
        bars.sort(key=_find_start)
        if len(bars) > share:
            merged += len(bars)
            bars = _merge(bars, share)
        dags.append({"id": dag_id, "lanes": _put_into_lanes(bars), "bars": bars})
    if merged:
        notes.append(say("report_bars_are_merged", count=merged))
    return sorted(dags, key=lambda dag: (_find_start(dag["bars"][0]), dag["id"]))


def _build_bar(run: RunOutcome, change: RunDifference | None, origin: Instant) -> Bar:
    before = None if change is None else change.before
    state = 2 if run.ended_at is None else int(run.state is DagRunState.FAILED)
    return [
        0,
        _count_ms(run.run_after, origin),
        _count_ms(run.started_at, origin),
        _count_ms(run.ended_at, origin),
        state,
        1,
        "" if change is None else change.change,
        None if before is None else _count_ms(before.started_at, origin),
        None if before is None else _count_ms(before.ended_at, origin),
    ]


def _find_start(bar: Bar) -> int:
    start: int = bar[1] if bar[2] is None else bar[2]
    return start


def _merge(bars: Sequence[Bar], most: int) -> list[Bar]:
    """As many runs in each bar as are needed: from the first start to the last end, with the worst state and the first change among them."""
    size = -(-len(bars) // most)
    return [_join(bars[place : place + size]) for place in range(0, len(bars), size)]


def _join(bars: Sequence[Bar]) -> Bar:
    starts = [bar[2] for bar in bars if bar[2] is not None]
    ends = [bar[3] for bar in bars if bar[3] is not None]
    return [
        0,
        min(bar[1] for bar in bars),
        min(starts, default=None),
        max(ends) if len(ends) == len(bars) else None,
        max(bar[4] for bar in bars),
        sum(bar[5] for bar in bars),
        next((bar[6] for bar in bars if bar[6] and bar[6] != VANISHES), ""),
        None,
        None,
    ]


def _put_into_lanes(bars: Sequence[Bar]) -> int:
    """Give each bar the first free lane; the number of lanes. Beyond LANES_MAX runs at once bars lie over one another."""
    free: list[int] = []
    """By lane: until when it is used."""
    for bar in bars:
        start, end = _find_start(bar), bar[3]
        until = 2**53 if end is None else end
        lane = next((place for place, used in enumerate(free) if used <= start), None)
        if lane is None and len(free) < LANES_MAX:
            free.append(0)
            lane = len(free) - 1
        bar[0] = LANES_MAX - 1 if lane is None else lane
        free[bar[0]] = max(free[bar[0]], until)
    return max(1, len(free))


def _build_row(run: RunOutcome, change: RunDifference | None, origin: Instant) -> list[Any]:
    times = [_count_ms(at, origin) for at in (run.run_after, run.started_at, run.ended_at)]
    if change is None:
        return [run.dag_id, *times, run.state.value, "", None, None]
    shift_ms = None if change.shift_s is None else round(change.shift_s * 1000)
    why = _word(change.reasons[0]) if change.reasons else None
    return [run.dag_id, *times, run.state.value, change.change, shift_ms, why]


def _build_pools(source: ReportSource, notes: list[Sentence]) -> list[dict[str, Any]]:
    curves, before = _measure_pools(source.scenario, source.simulated), None
    if source.before is not None:
        before = _measure_pools(source.scenario, source.before)
    limits = source.simulated.pool_slots
    chosen = sorted(curves, key=lambda pool: (-_find_load(curves[pool], limits.get(pool, -1)), pool))
    if len(chosen) > POOLS_MAX:
        notes.append(say("report_pools_are_left_out", count=len(chosen) - POOLS_MAX))
    return [
        {
            "name": pool,
            "limit": None if limits.get(pool, -1) < 0 else limits[pool],
            "peak": max(used for _, used in curves[pool]),
            "points": curves[pool],
            "before": None if before is None else before.get(pool, []),
        }
        for pool in chosen[:POOLS_MAX]
    ]


def _find_load(points: Sequence[tuple[int, int]], limit: int) -> float:
    return max(used for _, used in points) / limit if limit > 0 else 0.0


def _measure_pools(scenario: Scenario, simulated: SimulatedRuns) -> dict[str, list[tuple[int, int]]]:
    """By pool: from which ms on how many slots are used. Earlier tries of a task are not known."""
    tasks = {
        (spec.dag_id, task.task_id): (task.pool, task.pool_slots) for spec, _ in scenario.dags for task in spec.tasks
    }
    steps: dict[str, list[tuple[Instant, int]]] = defaultdict(list)
    for run in simulated.runs:
        for task in run.tasks:
            pool, slots = tasks.get((run.dag_id, task.task_id), ("", 0))
            if slots and task.started_at is not None:
                steps[pool].append((task.started_at, slots))
                if task.ended_at is not None:
                    steps[pool].append((task.ended_at, -slots))
    return {pool: _draw_curve(sorted(of_pool), scenario) for pool, of_pool in steps.items()}


def _draw_curve(steps: Sequence[tuple[Instant, int]], scenario: Scenario) -> list[tuple[int, int]]:
    width = max(1, (scenario.end - scenario.start) // POINTS_MAX) if len(steps) > POINTS_MAX else 1
    points: dict[int, int] = {}
    used = 0
    for at, change in steps:
        used += change
        place = (at - scenario.start) // width
        points[place] = max(points.get(place, 0), used) if width > 1 else used
    return [(place * width // _MILLISECOND, most) for place, most in points.items()]
