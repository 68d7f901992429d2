"""Brings recorded durations to the level of now: a step where the version of the DAG changed, and a steady trend.

Both are looked for in what is left after the class of the day, both by medians, so that outliers decide nothing, and both act the more the further
they stand out of the noise (as James and Stein shrink, 1961): Theil-Sen's slope with Mann-Kendall's score (Sen 1968, Mann 1945), and the difference
of two medians against their spread.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter
from statistics import median
from typing import NamedTuple

from gnomon.rules.durations.day_class import DayClass

RUNS_MIN = 10
"""A trend is looked for from so many runs on."""
VERSION_RUNS_MIN = 3
"""A version counts from so many runs on."""
NOISE_OF_STEP, NOISE_OF_TREND = 0.5, 1.5
"""An effect that stands so few standard deviations out of the noise is none. A new version is a reason for a step: less is asked of it."""
STEP_MIN = math.log(1.1)
"""A smaller step is none."""
SLOPE_MAX = math.log(1.05)
"""A day."""
ROUNDS = 2
"""The classes are seen better without step and trend, and these better without the classes."""
_LEAST_S = 0.001
_MAD_TO_DEVIATION = 1.4826
_MEDIAN_TO_MEAN = 1.2533
"""The standard error of a median beside that of a mean, for normal noise."""


class Observation(NamedTuple):
    """One successful try."""

    day: int
    """Ordinal of the local day of the slot."""
    day_class: DayClass
    version: int | None
    duration_s: float


class _Run(NamedTuple):
    """What a run says: the logarithm of the duration without its class, the median of its instances."""

    day: int
    version: int | None
    rest: float


class PresentLevel(NamedTuple):
    """Durations as they would be now."""

    durations_s: list[float]
    """In the order of the observations."""
    version_factor: float = 1.0
    """How many times as long tries of the newest version take as those of the versions before; 1.0: there is no clear step."""


def bring_to_present(observations: Sequence[Observation]) -> list[float]:
    """The durations, in their order, as they would be now."""
    return find_present_level(observations).durations_s


def find_present_level(observations: Sequence[Observation]) -> PresentLevel:
    """The durations as they would be now, and the step of the newest version."""
    logs = [math.log(max(each.duration_s, _LEAST_S)) for each in observations]
    last = max((each.day for each in observations), default=0)
    shifts = [0.0] * len(observations)
    step = 0.0
    for _ in range(ROUNDS):
        runs = _list_runs(observations, logs, shifts)
        steps = _find_steps(runs)
        step = next(iter(steps.values()), 0.0)
        slope = _find_slope([run._replace(rest=run.rest + steps.get(run.version, 0.0)) for run in runs])
        if not slope and not steps:
            break
        shifts = [steps.get(each.version, 0.0) + slope * (last + 1 - each.day) for each in observations]
    durations_s = [
        each.duration_s * math.exp(shift) if shift else each.duration_s
        for each, shift in zip(observations, shifts, strict=True)
    ]
    return PresentLevel(durations_s, math.exp(step))


def _list_runs(observations: Sequence[Observation], logs: Sequence[float], shifts: Sequence[float]) -> list[_Run]:
    """`shifts`: step and trend as known so far, for the classes; the runs still have them."""
    by_kind: dict[tuple[bool, bool], list[float]] = defaultdict(list)
    by_weekday: dict[tuple[int, bool], list[float]] = defaultdict(list)
    for each, log, shift in zip(observations, logs, shifts, strict=True):
        weekday, is_month_end, _ = each.day_class
        by_kind[weekday >= 5, is_month_end].append(log + shift)
        by_weekday[weekday, is_month_end].append(log + shift)
    kinds = {kind: median(values) for kind, values in by_kind.items()}
    weekdays = {key: median(values) for key, values in by_weekday.items() if len(values) >= VERSION_RUNS_MIN}
    rests: dict[tuple[int, int | None], list[float]] = defaultdict(list)
    for each, log in zip(observations, logs, strict=True):
        weekday, is_month_end, _ = each.day_class
        usual = weekdays.get((weekday, is_month_end), kinds[weekday >= 5, is_month_end])
        rests[each.day, each.version].append(log - usual)
    return [
        _Run(day, version, median(values) if len(values) > 1 else values[0]) for (day, version), values in rests.items()
    ]


def _find_steps(runs: Sequence[_Run]) -> dict[int | None, float]:
    """By version: what is to be added to the logarithm of its durations. Empty: the newest version is not another one than those before."""
    if not runs:
        return {}
    newest = max(runs, key=lambda run: run.day).version
    new = [run.rest for run in runs if run.version == newest]
    old = [run.rest for run in runs if run.version != newest]
    if len(new) < VERSION_RUNS_MIN or len(old) < VERSION_RUNS_MIN:
        return {}
    step = median(new) - median(old)
    noise = median([*(abs(rest - median(new)) for rest in new), *(abs(rest - median(old)) for rest in old)])
    error = _MEDIAN_TO_MEAN * _MAD_TO_DEVIATION * noise * math.sqrt(1 / len(new) + 1 / len(old))
    share = _find_share(abs(step), error, NOISE_OF_STEP)
    if abs(step) < STEP_MIN or not share:
        return {}
    return {run.version: share * step for run in runs if run.version != newest}


def _find_slope(runs: Sequence[_Run]) -> float:
    """The change of the logarithm by the day; 0.0 without a trend."""
    count = len(runs)
    if count < RUNS_MIN:
        return 0.0
    points = sorted(((run.day, run.rest) for run in runs), key=itemgetter(0))
    slopes: list[float] = []
    for number, (day, rest) in enumerate(points, 1):
        slopes += [(later - rest) / (later_day - day) for later_day, later in points[number:] if later_day != day]
    if not slopes:
        return 0.0
    slopes.sort()
    score = len(slopes) - bisect_right(slopes, 0.0) - bisect_left(slopes, 0.0)  # those above zero, less those below
    deviation = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    return _find_share(abs(score), deviation, NOISE_OF_TREND) * max(-SLOPE_MAX, min(SLOPE_MAX, median(slopes)))


def _find_share(effect: float, deviation: float, noise: float) -> float:
    """How much of an effect is believed: nothing of one within `noise` standard deviations, nearly all of a clear one."""
    return max(0.0, 1.0 - (noise * deviation / effect) ** 2) if effect else 0.0
