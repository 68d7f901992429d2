"""Durations, lengths and failures that a user names for tasks, and what is assumed for all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gnomon.changes.scenarios.task_times import TaskTime, list_sources
from gnomon.entry.projection.random_shares import describe_try, draw_share
from gnomon.entry.projection.undisturbed_runs import DrawnRun
from gnomon.entry.testing.scripted import Play
from gnomon.model.attempts import RETURN_VALUE, Attempt, XComItem
from gnomon.model.ids import UNMAPPED, shorten_names
from gnomon.model.instants import Instant
from gnomon.model.sentences import Command, Sentence, say
from gnomon.model.spec import DagSpec

DEFAULT_S = 60.0
"""The duration of a task for which nothing is known."""
ASSUMED_LENGTH = 1
"""The length of what a task returns, if nothing is known and a task is mapped over it."""
CALLBACK_S = 1.0
"""The duration of a callback."""
RETURNED = (XComItem(key=RETURN_VALUE, value="null"),)
"""What a task stores that returned something of an unknown length."""


@dataclass(frozen=True)
class NamedTimes:
    """What a user names. A key is `dag.task`, or `dag` for all tasks of a DAG."""

    durations: Mapping[str, TaskTime] = field(default_factory=dict)
    lengths: Mapping[str, int] = field(default_factory=dict)
    failing: frozenset[str] = frozenset()
    """Every try of these fails."""
    delays_s: Mapping[str, float] = field(default_factory=dict)
    """So much later these end; of a DAG, those of its tasks that wait for no other task of it."""
    default_s: float = DEFAULT_S
    seed: int = 1
    sample: int = 0
    """Spreads are drawn by seed, sample and try: what a change of the world does not touch is drawn as before."""

    def find_duration(self, dag_id: str, task_id: str, expected_s: float | None) -> tuple[TaskTime, bool, bool]:
        """The time; whether it is named, or assumed; whether a factor changes it. A factor of the task counts on top of what its DAG says.

        `expected_s`: what the DAG file expects, if nothing is named.
        """
        nothing = TaskTime(None)
        own, of_dag = self.durations.get(f"{dag_id}.{task_id}", nothing), self.durations.get(dag_id, nothing)
        choices = (own, of_dag, TaskTime(expected_s))
        named = next((each for each in choices if each.seconds is not None), TaskTime(None))
        factor = own.factor * of_dag.factor
        seconds = self.default_s if named.seconds is None else named.seconds
        return TaskTime(seconds * factor, 1.0, named.spread_s * factor), named.seconds is not None, factor != 1

    @property
    def is_drawn(self) -> bool:
        """Whether another sample may have other durations."""
        return any(time.spread_s for time in self.durations.values())


class AssumedTimes:
    """The script of a projection. `list_assumptions` says what of it nobody named."""

    def __init__(self, named: NamedTimes, specs: Sequence[DagSpec]) -> None:
        self._named = named
        self._sources = {(spec.dag_id, task_id) for spec in specs for task_id in list_sources(spec)}
        """The tasks over whose return values others are mapped."""
        self._roots = {(spec.dag_id, task.task_id) for spec in specs for task in spec.tasks if not task.upstream}
        self._expected_s = {
            (spec.dag_id, task.task_id): task.expected_duration_s for spec in specs for task in spec.tasks
        }
        self._plays: dict[tuple[str, str], tuple[Play, float]] = {}
        """By task: what each try does, and the seconds of its spread."""
        self._assumed: dict[str, dict[str, None]] = {"duration": {}, "relative": {}, "length": {}}

    def play(self, attempt: Attempt) -> Play:
        """What this attempt does: the same for all attempts of a task, but for its spread."""
        if attempt.kind == "callback":
            return Play(CALLBACK_S)
        play, spread_s = self._find_play((attempt.run.dag_id, attempt.task_id))
        if not spread_s:
            return play
        share = draw_share((self._named.seed, self._named.sample, *describe_try(attempt)))
        return replace(play, run_s=play.run_s + share * spread_s)

    def draw_try(
        self, dag_id: str, run: DrawnRun, task_id: str, try_number: int, _at: Instant, _age_s: float
    ) -> tuple[float, bool]:
        """The seconds of a try of a task without map index, as `play` has them, and whether it succeeds."""
        play, spread_s = self._find_play((dag_id, task_id))
        run_s = play.run_s
        if spread_s:
            described = (dag_id, run.run_after, run.run_type.value, task_id, UNMAPPED, try_number)
            run_s += draw_share((self._named.seed, self._named.sample, *described)) * spread_s
        return run_s, play.outcome == "success"

    def _find_play(self, key: tuple[str, str]) -> tuple[Play, float]:
        planned = self._plays.get(key)
        if planned is None:
            planned = self._plays[key] = self._build_play(*key)
        return planned

    def _build_play(self, dag_id: str, task_id: str) -> tuple[Play, float]:
        named, name = self._named, f"{dag_id}.{task_id}"
        duration, is_named, is_relative = named.find_duration(dag_id, task_id, self._expected_s.get((dag_id, task_id)))
        if not is_named:
            self._assumed["relative" if is_relative else "duration"][name] = None
        run_s, spread_s = duration.seconds or 0.0, duration.spread_s
        run_s += named.delays_s.get(name, named.delays_s.get(dag_id, 0.0) if (dag_id, task_id) in self._roots else 0.0)
        if name in named.failing or dag_id in named.failing:
            return Play(run_s, outcome="failed", reason="the scenario lets it fail"), spread_s
        if (dag_id, task_id) not in self._sources:
            return Play(run_s), spread_s
        length = named.lengths.get(name)
        if length is None:
            self._assumed["length"][name] = None
            length = ASSUMED_LENGTH
        return Play(run_s, return_length=length), spread_s

    def list_assumptions(self) -> list[Sentence]:
        """One sentence for each kind of assumption that was used."""
        durations, relative, lengths = (self._assumed[kind] for kind in ("duration", "relative", "length"))
        sentences: list[Sentence] = []
        if durations:
            sentences.append(
                say(
                    "durations_are_assumed",
                    count=len(durations),
                    duration=self._named.default_s,
                    names=shorten_names(durations),
                    command=Command("forecast"),
                )
            )
        if relative:
            sentences.append(
                say(
                    "durations_are_relative",
                    count=len(relative),
                    duration=self._named.default_s,
                    names=shorten_names(relative),
                )
            )
        if lengths:
            sentences.append(
                say("lengths_are_assumed", count=len(lengths), total=ASSUMED_LENGTH, names=shorten_names(lengths))
            )
        return sentences
