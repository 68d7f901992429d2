"""How many runs a simulation would make, before it begins: samples of its days, so that the answer comes at once."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.errors.product import UserError
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import say
from gnomon.model.spec import DagSpec
from gnomon.rules.planning.window import list_runs_in_window
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.registry import build

MAX_RUNS = 5_000_000
"""A simulation that would make more runs is refused."""
SAMPLES = 12
SAMPLE_S = 86_400
"""So many days, spread over the time, are counted."""
MAX_PER_SAMPLE = 500
"""Of a day with more runs the first are counted, and the rest of the day is taken to be like them."""


def refuse_too_large(specs: Sequence[DagSpec], start: Instant, end: Instant, most: int = MAX_RUNS) -> None:
    """Raises UserError if the DAGs would have more than `most` runs, with the DAG that has most of them."""
    counts = {spec.dag_id: _estimate_runs(spec, start, end) for spec in specs}
    total = sum(counts.values())
    if total > most:
        largest = max(counts, key=lambda dag_id: (counts[dag_id], dag_id))
        raise UserError(
            say(
                "simulation_would_be_too_large",
                number=f"{_round(total):,}",
                size=f"{most:,}",
                dag=largest,
                total=_round(counts[largest]),
            )
        )


def _round(number: float) -> int:
    """To two digits: it is an estimate."""
    return int(float(f"{number:.1e}"))


def _estimate_runs(spec: DagSpec, start: Instant, end: Instant) -> float:
    ref = spec.timetable
    if not ref.builtin or not ref.can_be_scheduled or ref.follows_runs or ref.is_continuous:
        return 0.0
    try:
        timetable = build(ref)
        first = list_runs_in_window(
            timetable, start=start, end=end, most=MAX_PER_SAMPLE, earliest=spec.start_at, latest=spec.end_at
        ).runs
        if len(first) < MAX_PER_SAMPLE:
            return len(first)
        windows = _list_samples(start, end)
        counted = sum(_count(timetable, spec, begin, until) for begin, until in windows)
    except PlanningError:
        return 0.0
    return counted * (end - start) / sum(until - begin for begin, until in windows)


def _list_samples(start: Instant, end: Instant) -> list[tuple[Instant, Instant]]:
    """The days that are counted: all of a short time, and of a longer one some in equal distances."""
    length = SAMPLE_S * SECOND
    if end - start <= SAMPLES * length:
        return [(at, min(end, at + length)) for at in range(start, end, length)]
    step = (end - start - length) // (SAMPLES - 1)
    return [(start + step * number, start + step * number + length) for number in range(SAMPLES)]


def _count(timetable: Timetable, spec: DagSpec, begin: Instant, end: Instant) -> float:
    runs = list_runs_in_window(
        timetable, start=begin, end=end, most=MAX_PER_SAMPLE, earliest=spec.start_at, latest=spec.end_at
    ).runs
    if len(runs) < MAX_PER_SAMPLE:
        return len(runs)
    covered = runs[-1].run_after - runs[0].run_after
    return len(runs) if covered <= 0 else max(len(runs), (end - begin) / covered * (len(runs) - 1))
