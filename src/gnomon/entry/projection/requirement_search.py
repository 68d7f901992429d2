"""`gnomon simulate --find`: the smallest pool, the fewest tasks at once, or the latest start with which all that is promised holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.entry.projection.least_value import find_latest, find_least
from gnomon.entry.projection.promises import ScenarioPromises
from gnomon.entry.projection.simulation import Scenario, SimulatedRuns, simulate
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec
from gnomon.rules.timetables.stored_words import summarize_timetable

MOST = 1_000_000
"""As many slots as no simulation needs: no limit."""
MINUTES = 24 * 60
MARK_MINUTES = 15
"""Starts are tried at each of so many minutes, and then between the last that is enough and the next."""
SAMPLES = 20
_ROUNDING = 1e-9
Vary = Callable[[int], Scenario]


@dataclass(frozen=True, slots=True)
class Goal:
    """What is looked for, and how sure it is to be."""

    kind: str
    """pool, workers or start."""
    name: str = ""
    """Of the pool or DAG."""
    share: float = 0.95
    """Each promise must hold in this share of the samples."""
    samples: int = SAMPLES


@dataclass(frozen=True)
class Trial:
    """What came of one value."""

    value: int
    samples: int
    held: dict[str, int]
    """By promise: in how many samples it holds."""
    faults: dict[str, Sentence]
    """By promise: what breaks it in the first sample in which something does."""
    is_enough: bool

    @property
    def worst(self) -> str | None:
        """The promise that holds in the fewest samples, if one is broken."""
        return min(self.faults, key=lambda text: (self.held[text], text), default=None)


@dataclass(frozen=True)
class SearchAnswer:
    """The value, if there is one, and all that were tried."""

    value: int | None
    trials: list[Trial]
    """By value."""
    assumptions: list[Sentence] = field(default_factory=list)

    def find_trial(self, value: int) -> Trial | None:
        """The trial of a value."""
        return next((trial for trial in self.trials if trial.value == value), None)


def search(
    scenario: Scenario, promises: ScenarioPromises, goal: Goal, timetables: TimetableHost | None = None
) -> SearchAnswer:
    """Simulate with one value after the other. The samples of all values are drawn with the same numbers.

    Raises UserError when nothing that is promised is decided in the time of the scenario, and for a DAG without one start a day.
    """
    vary = _VARIATIONS[goal.kind](scenario, goal.name)
    samples = goal.samples if scenario.times.is_drawn else 1
    trials: dict[int, Trial] = {}
    assumptions: list[Sentence] = []

    def run(world: Scenario) -> SimulatedRuns:
        simulated = simulate(world, timetables)
        assumptions.extend(sentence for sentence in simulated.assumptions if sentence not in assumptions)
        return simulated

    judged = promises.judge(scenario, simulate(scenario, timetables))  # what it assumes may not be so in the variations
    if not judged:
        raise UserError(say("find_judges_nothing"))
    assumptions += promises.list_undecided(judged)
    missing = dict.fromkeys(judged, say("promise_has_no_run"))

    def holds(value: int) -> bool:
        if value not in trials:
            verdicts = [
                {**missing, **promises.judge(world, run(world))} for world in _list_samples(vary(value), samples)
            ]
            trials[value] = _sum_up(value, verdicts, goal.share)
        return trials[value].is_enough

    if goal.kind == "start":
        value = find_latest(holds, range(0, MINUTES, MARK_MINUTES))
    else:
        value = find_least(holds, 1, MOST)
    return SearchAnswer(value, [trials[key] for key in sorted(trials)], assumptions)


def _list_samples(scenario: Scenario, samples: int) -> list[Scenario]:
    return [replace(scenario, times=replace(scenario.times, sample=sample)) for sample in range(samples)]


def _sum_up(value: int, verdicts: Sequence[Mapping[str, Sentence | None]], share: float) -> Trial:
    """The trial with these verdicts, one for each sample."""
    held: dict[str, int] = {}
    faults: dict[str, Sentence] = {}
    for of_sample in verdicts:
        for text, fault in of_sample.items():
            held[text] = held.get(text, 0) + (fault is None)
            if fault is not None:
                faults.setdefault(text, fault)
    needed = math.ceil(share * len(verdicts) - _ROUNDING)
    return Trial(value, len(verdicts), held, faults, min(held.values()) >= needed)


def find_minute(spec: DagSpec) -> int | None:
    """The minute of the day at which the schedule of the DAG starts; None if it has not one."""
    fields = _read_cron(spec)
    return None if fields is None else int(fields[1]) * 60 + int(fields[0])


def _vary_pool(scenario: Scenario, name: str) -> Vary:
    return lambda slots: replace(scenario, pool_slots={**scenario.pool_slots, name: slots})


def _vary_workers(scenario: Scenario, _name: str) -> Vary:
    def vary(slots: int) -> Scenario:
        limits = replace(scenario.settings.limits, parallelism=slots)
        return replace(scenario, worker_slots=slots, settings=replace(scenario.settings, limits=limits))

    return vary


def _vary_start(scenario: Scenario, name: str) -> Vary:
    spec = next(spec for spec, _ in scenario.dags if spec.dag_id == name)
    fields = _read_cron(spec)
    if fields is None:
        raise UserError(say("start_has_no_time", dag=name, about=summarize_timetable(spec.timetable)))

    def vary(minute: int) -> Scenario:
        expression = " ".join([str(minute % 60), str(minute // 60), *fields[2:]])
        timetable = msgspec.structs.replace(spec.timetable, data={**spec.timetable.data, "expression": expression})
        moved = msgspec.structs.replace(spec, timetable=timetable)
        return replace(scenario, dags=[(moved if each.dag_id == name else each, file) for each, file in scenario.dags])

    return vary


_VARIATIONS: dict[str, Callable[[Scenario, str], Vary]] = {
    "pool": _vary_pool,
    "workers": _vary_workers,
    "start": _vary_start,
}


def _read_cron(spec: DagSpec) -> list[str] | None:
    """The five fields of a cron schedule whose minute and hour are numbers."""
    expression = spec.timetable.data.get("expression") if spec.timetable.builtin else None
    fields = expression.split() if isinstance(expression, str) else []
    return fields if len(fields) == 5 and fields[0].isdigit() and fields[1].isdigit() else None
