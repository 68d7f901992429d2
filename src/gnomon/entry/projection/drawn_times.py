"""The script of one sample: durations, failures and lengths drawn from the models of tasks, with common random numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import cast

from gnomon.entry.projection.assumed_times import CALLBACK_S
from gnomon.entry.projection.random_shares import describe_try, draw_share, draw_share_of
from gnomon.entry.projection.recorded_models import WITHOUT_SLOT
from gnomon.entry.projection.snapshot import TaskPath
from gnomon.entry.projection.undisturbed_runs import DrawnRun
from gnomon.entry.testing.scripted import Play
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.rules.durations.day_class import RunClass, classify, list_classes
from gnomon.rules.durations.duration_model import DurationModel
from gnomon.rules.timetables.wall_clock.zones import named_zone

WHOLE_SECONDS_FROM_S = 60.0
"""Longer durations are drawn in whole seconds, so that tasks end together, and are decided about together."""
RESUMED_S = 1.0
"""What a task still does after its deferral: the model counts from its start, and the deferral has taken the time."""


class DrawnTimes:
    """Draws by sample and attempt, not by order: what a change of the world does not touch is drawn as before."""

    def __init__(
        self,
        models: Mapping[TaskPath, DurationModel],
        expected_s: Mapping[TaskPath, float],
        zones: Mapping[str, str],
        assumed_s: float,
        seed: int,
        sample: int,
    ) -> None:
        """`expected_s`: what DAG files expect, `zones`: the time zone of each DAG. `assumed_s`: the duration of tasks with too few runs, in `assumed`."""
        self._models = models
        self._expected_s = expected_s
        self._zones = zones
        self._assumed_s = assumed_s
        self._prefix = (seed, sample)
        self._known: dict[TaskPath, DurationModel | None] = {}
        self._run: DrawnRun | None = None
        self._run_prefix, self._run_classes = "", cast(tuple[RunClass, ...], ())
        """Of the run that was drawn for last: the part of its numbers that its tasks share, and its classes."""
        self.assumed: dict[TaskPath, None] = {}
        self.now: Callable[[], Instant] | None = None
        """The clock of the projection: what waits for the world is drawn from the slot on. None: such a wait is drawn as any other duration."""

    def play(self, attempt: Attempt) -> Play:
        """What a new attempt does."""
        return self.resume(attempt, 0.0)

    def draw_try(
        self, dag_id: str, run: DrawnRun, task_id: str, try_number: int, at: Instant, age_s: float
    ) -> tuple[float, bool]:
        """The seconds of a try of a task without map index that has run for `age_s` at the instant, as `resume` draws them, and whether it succeeds."""
        task = (dag_id, task_id)
        if task in self._known:
            model = self._known[task]
        else:
            model = self._known[task] = self._find_known(task)
        if model is None:
            return max(self._assume(task), age_s), True
        if run is not self._run:
            run_type = run.run_type.value
            self._run = run
            self._run_prefix = "\0".join(map(str, (*self._prefix, dag_id, run.run_after, run_type)))
            self._run_classes = _find_classes(self._zones[dag_id], run_type, run.run_after)
        number = f"{self._run_prefix}\0{task_id}\0-1\0{try_number}"
        if model.arrivals is None:
            run_s = model.draw(self._run_classes, draw_share_of(number), age_s)
        else:
            run_s = self._draw(
                model, run.run_type.value, run.run_after, self._run_classes, draw_share_of(number), at, age_s
            )
        share = model.failure_share
        succeeds = not share or draw_share_of(f"failure\0{number}") >= share
        return float(round(run_s)) if run_s >= WHOLE_SECONDS_FROM_S else run_s, succeeds

    def _find_known(self, task: TaskPath) -> DurationModel | None:
        """The model of a task; None: its duration is assumed."""
        model = self._models.get(task)
        return model if model is not None and model.is_known else None

    def resume(self, attempt: Attempt, age_s: float) -> Play:
        """What an attempt does that has run for so many seconds; `run_s` counts from its start."""
        if attempt.kind == "callback":
            return Play(CALLBACK_S)
        if attempt.resume is not None:
            return Play(RESUMED_S)
        run, key = attempt.run, (attempt.run.dag_id, attempt.task_id)
        model = self._models.get(key)
        number = (*self._prefix, *describe_try(attempt))
        if model is None or not model.is_known:
            return Play(max(self._assume(key), age_s), return_length=1)
        run_s = self._draw_for(model, run, draw_share(number), age_s)
        if run_s >= WHOLE_SECONDS_FROM_S:
            run_s = float(round(run_s))
        share = model.failure_share
        if share and draw_share(("failure", *number)) < share:
            return Play(run_s, outcome="failed", reason="drawn")
        return Play(run_s, return_length=model.lengths[0] if model.lengths else 1)

    def draw_rest(self, run: RunFacts, task_id: str, map_index: int, try_number: int, age_s: float) -> float:
        """The seconds that a deferred task still waits."""
        model = self._models.get((run.dag_id, task_id))
        if model is None or not model.is_known:
            return max(0.0, self._assume((run.dag_id, task_id)) - age_s)
        number = (*self._prefix, run.dag_id, run.run_after, run.run_type, task_id, map_index, try_number)
        return self._draw_for(model, run, draw_share(number), age_s) - age_s

    def _draw_for(self, model: DurationModel, run: RunFacts, quantile: float, age_s: float) -> float:
        classes = self._list_classes(run)
        now = None if self.now is None else self.now()
        return self._draw(model, run.run_type, run.run_after, classes, quantile, now, age_s)

    def _draw(
        self,
        model: DurationModel,
        run_type: str,
        run_after: Instant,
        classes: tuple[RunClass, ...],
        quantile: float,
        now: Instant | None,
        age_s: float = 0.0,
    ) -> float:
        """Seconds from the start of an attempt that has run for `age_s` at `now`."""
        arrivals = model.arrivals
        if arrivals is None or self.now is None or now is None or run_type in WITHOUT_SLOT:
            return model.draw(classes, quantile, age_s)
        since_slot_s = (now - run_after) / SECOND
        arrives_s = arrivals.draw(classes, quantile, since_slot_s if age_s > 0.0 else 0.0)
        return age_s + max(arrives_s - since_slot_s, 0.0 if age_s > 0.0 else model.list_durations()[0])

    def _assume(self, task: TaskPath) -> float:
        """The seconds of a task that nothing is known of but what its file expects."""
        expected_s = self._expected_s.get(task)
        if expected_s is None:
            self.assumed[task] = None
            return self._assumed_s
        return expected_s

    def _list_classes(self, run: RunFacts) -> tuple[RunClass, ...]:
        return _find_classes(self._zones[run.dag_id], run.run_type, run.run_after)


@functools.lru_cache(maxsize=65_536)  # each future has the same slots
def _find_classes(zone: str, run_type: str, run_after: Instant) -> tuple[RunClass, ...]:
    day = to_datetime(run_after).astimezone(named_zone(zone)).date()
    return list_classes(classify(day, run_type))
