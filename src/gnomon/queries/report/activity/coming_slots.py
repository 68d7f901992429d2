"""The due times of all DAGs in the coming hours, from their stored next runs; kept in memory because schedules seldom change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import Instant
from gnomon.model.slots import PlannedRun, TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.rules.planning.policies import compute_jitter
from gnomon.rules.planning.slot_sequence import SlotSequence
from gnomon.rules.timetables.registry import build

BUDGET_S = 0.5
"""How long one request computes due times; the next request continues."""
KEPT_MAX = 20_000
"""The most schedules in memory."""


class DueRule(NamedTuple):
    """What decides the due times of a DAG from its next run on; most DAGs share theirs with others."""

    ref: TimetableRef
    key: bytes
    """Equal for timetables that give the same due times."""
    jitter: Instant
    end_at: Instant | None


@dataclass(frozen=True, slots=True)
class DueRules:
    """The rules of some DAGs; each is computed once."""

    rules: Sequence[DueRule]
    by_dag: Mapping[int, int]
    """By DAG, the index of its rule."""


def collect_due_rules(specs: Iterable[tuple[int, DagSpec]]) -> DueRules:
    """The rules of these DAGs, given by key."""
    numbers: dict[tuple[bytes, Instant, Instant | None], int] = {}
    rules: list[DueRule] = []
    by_dag = {}
    for dag_pk, spec in specs:
        ref = spec.timetable
        rule = DueRule(ref, msgspec.json.encode((ref.path, ref.data, ref.builtin)), compute_jitter(spec), spec.end_at)
        number = by_dag[dag_pk] = numbers.setdefault(rule[1:], len(rules))
        if number == len(rules):
            rules.append(rule)
    return DueRules(rules, by_dag)


@dataclass(frozen=True, slots=True)
class ComingSlots:
    """The due times of a DAG, the next run first."""

    instants: list[Instant]
    is_complete: bool
    """False: only the stored next run is known, of a timetable of an author or of a schedule that is not computed yet."""


class ComingSlotsCache:
    """Keeps the due times of schedules in memory, one sequence for all DAGs with the same schedule."""

    def __init__(self) -> None:
        self._kept: dict[object, SlotSequence] = {}
        self._guard = threading.Lock()

    def find(
        self,
        first_runs: Mapping[tuple[int, Instant], int],
        rules: Sequence[DueRule],
        read_next: Callable[[Sequence[int]], Mapping[int, PlannedRun]],
        until: Instant,
        now: Instant,
    ) -> dict[tuple[int, Instant], ComingSlots]:
        """The due times before `until` that start and end of the DAGs permit.

        `first_runs`: by (index of the rule, due time of the next run) the key of a DAG that has both; the answer has the same keys. `read_next`: reads
        the next runs of DAGs, for schedules that are not in memory.
        """
        with self._guard:
            if len(self._kept) > KEPT_MAX:
                self._kept.clear()
            deadline = time.monotonic() + BUDGET_S
            of_schedules: dict[tuple[bytes, Instant], ComingSlots | None] = {}
            lacking: dict[tuple[bytes, Instant], tuple[TimetableRef, int]] = {}
            for (number, first), dag_pk in first_runs.items():
                ref, key, _jitter, _end_at = rules[number]
                if (key, first) not in of_schedules:
                    kept_slots = of_schedules[key, first] = self._find_kept(key, first, until, now, deadline)
                    if kept_slots is None and ref.builtin:
                        lacking[key, first] = (ref, dag_pk)
            self._fill(
                of_schedules,
                lacking,
                read_next([dag_pk for _, dag_pk in lacking.values()]) if lacking else {},
                until,
                now,
                deadline,
            )
            return {
                (number, first): _permit(of_schedules[rules[number].key, first], rules[number], first)
                for number, first in first_runs
            }

    def _fill(
        self,
        slots_by_schedule: dict[tuple[bytes, Instant], ComingSlots | None],
        lacking: Mapping[tuple[bytes, Instant], tuple[TimetableRef, int]],
        planned: Mapping[int, PlannedRun],
        until: Instant,
        now: Instant,
        deadline: float,
    ) -> None:
        """Begin the sequences that are lacking: one for each schedule, and a further one for a next run that it does not have."""
        for (key, first), (ref, dag_pk) in lacking.items():
            slots_by_schedule[key, first] = self._find_kept(key, first, until, now, deadline)
            run = planned.get(dag_pk)
            if slots_by_schedule[key, first] is None and run is not None and run.run_after == first:
                try:
                    self._kept[key if key not in self._kept else (key, first)] = SlotSequence(build(ref), run)
                except PlanningError:
                    continue  # planning reports the error to the DAG
                slots_by_schedule[key, first] = self._find_kept(key, first, until, now, deadline)

    def _find_kept(
        self, key: bytes, first: Instant, until: Instant, now: Instant, deadline: float
    ) -> ComingSlots | None:
        """From a sequence in memory, which is continued; None when none has this next run."""
        for name in (key, (key, first)):
            sequence = self._kept.get(name)
            if sequence is None:
                continue
            is_complete = sequence.extend(until, now)
            while not is_complete and time.monotonic() < deadline:
                is_complete = sequence.extend(until, now)
            instants = sequence.select(first, until)
            if instants is not None:
                return ComingSlots(instants, is_complete)
        return None


def _permit(slots: ComingSlots | None, rule: DueRule, first: Instant) -> ComingSlots:
    """Of the due times of the schedule those of DAGs with the rule; only `first` is known when there are none."""
    schedule_slots = ComingSlots([first], is_complete=False) if slots is None else slots
    if rule.end_at is None and not rule.jitter:
        return schedule_slots
    return ComingSlots(
        [at + rule.jitter for at in schedule_slots.instants if rule.end_at is None or at <= rule.end_at],
        schedule_slots.is_complete,
    )
