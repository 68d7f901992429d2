"""Durations, lengths and failures that a user names for tasks, and what is assumed for all others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gnomon.entry.testing.scripted import Play
from gnomon.model.attempts import RETURN_VALUE, Attempt, XComItem
from gnomon.model.mapping import ConcatLength, Expansion, Length, LiteralLength, XComLength, ZipLength
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec

DEFAULT_S = 60.0
"""The duration of a task for which nothing is known."""
ASSUMED_LENGTH = 1
"""The length of what a task returns, if nothing is known and a task is mapped over it."""
CALLBACK_S = 1.0
"""The duration of a callback."""
_NAMES_SHOWN = 5
RETURNED = (XComItem(key=RETURN_VALUE, value="null"),)
"""What a task stores over whose return value others are mapped: only its length counts."""


@dataclass(frozen=True)
class NamedTimes:
    """What a user names. A key is `dag.task`, or `dag` for all tasks of a DAG."""

    durations_s: Mapping[str, float] = field(default_factory=dict)
    lengths: Mapping[str, int] = field(default_factory=dict)
    failing: frozenset[str] = frozenset()
    """Every try of these fails."""
    default_s: float = DEFAULT_S

    def list_unknown(self, specs: Iterable[DagSpec]) -> list[str]:
        """The keys that name no DAG and no task of a DAG."""
        known = {spec.dag_id for spec in specs} | {
            f"{spec.dag_id}.{task.task_id}" for spec in specs for task in spec.tasks
        }
        return sorted({*self.durations_s, *self.lengths, *self.failing} - known)


class AssumedTimes:
    """The script of a projection. `list_assumptions` says what of it nobody named."""

    def __init__(self, named: NamedTimes, specs: Iterable[DagSpec]) -> None:
        self._named = named
        self._sources = {(spec.dag_id, task_id) for spec in specs for task_id in _list_sources(spec)}
        """The tasks over whose return values others are mapped."""
        self._plays: dict[tuple[str, str], Play] = {}
        self._assumed: dict[str, dict[str, None]] = {"duration": {}, "length": {}}

    def play(self, attempt: Attempt) -> Play:
        """What this attempt does: the same for all attempts of a task."""
        if attempt.kind == "callback":
            return Play(CALLBACK_S)
        key = (attempt.run.dag_id, attempt.task_id)
        play = self._plays.get(key)
        if play is None:
            play = self._plays[key] = self._build_play(*key)
        return play

    def _build_play(self, dag_id: str, task_id: str) -> Play:
        named, name = self._named, f"{dag_id}.{task_id}"
        run_s = named.durations_s.get(name, named.durations_s.get(dag_id))
        if run_s is None:
            self._assumed["duration"][name] = None
            run_s = named.default_s
        if name in named.failing or dag_id in named.failing:
            return Play(run_s, outcome="failed", reason="the scenario lets it fail")
        if (dag_id, task_id) not in self._sources:
            return Play(run_s)
        length = named.lengths.get(name)
        if length is None:
            self._assumed["length"][name] = None
            length = ASSUMED_LENGTH
        return Play(run_s, return_length=length, xcoms=RETURNED)

    def list_assumptions(self) -> list[Sentence]:
        """One sentence for each kind of assumption that was used."""
        durations, lengths = self._assumed["duration"], self._assumed["length"]
        sentences: list[Sentence] = []
        if durations:
            sentences.append(
                say(
                    "durations_are_assumed",
                    count=len(durations),
                    duration=self._named.default_s,
                    names=shorten_names(durations),
                )
            )
        if lengths:
            sentences.append(
                say("lengths_are_assumed", count=len(lengths), total=ASSUMED_LENGTH, names=shorten_names(lengths))
            )
        return sentences


def shorten_names(names: Iterable[str]) -> str:
    """The first of the names, for a sentence that gives their number."""
    ordered = sorted(names)
    return ", ".join(ordered[:_NAMES_SHOWN]) + (" ..." if len(ordered) > _NAMES_SHOWN else "")


def _list_sources(spec: DagSpec) -> set[str]:
    expansions = [task.expansion for task in spec.tasks] + list(spec.group_expansions.values())
    return {task_id for expansion in expansions if expansion is not None for task_id in _walk(expansion)}


def _walk(expansion: Expansion) -> Iterable[str]:
    pending: list[Length] = list(expansion.factors)
    while pending:
        part = pending.pop()
        if isinstance(part, XComLength):
            yield part.task_id
        elif isinstance(part, ZipLength | ConcatLength):
            pending += part.parts
        else:
            assert isinstance(part, LiteralLength)
