"""The runs and tasks of another DAG for which a task waits, and the outcome of the wait for their states."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gnomon.model.errors.external_tasks import DuplicateStateError
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.task_api_requests import GetRunStates, GetTaskStates, TaskApiRequest

States = dict[str, dict[str, str | None]]
"""Run id to {task id, or `task_id[map_index]`, to its state}; for whole runs the only name is ''."""


@dataclass(frozen=True, slots=True)
class ExternalRuns:
    """Runs of another DAG, by logical date or by id: the runs themselves, some of their tasks, or a task group."""

    dag_id: str
    logical_dates: tuple[Instant, ...] = ()
    run_ids: tuple[str, ...] = ()
    task_ids: tuple[str, ...] = ()
    group: str | None = None

    def question(self) -> TaskApiRequest:
        """Return the request for their states."""
        if not self.task_ids and self.group is None:
            return GetRunStates(dag_id=self.dag_id, run_ids=self.run_ids, logical_dates=self.logical_dates)
        return GetTaskStates(
            dag_id=self.dag_id,
            run_ids=self.run_ids or None,
            logical_dates=None if self.run_ids else self.logical_dates,
            task_ids=self.task_ids or None,
            group=self.group,
        )

    def states(self, answer: object) -> States:
        """Return the states in the answer to the request."""
        if self.task_ids or self.group is not None:
            return cast(States, answer)
        return {run_id: {"": state} for run_id, state in cast("dict[str, str]", answer).items()}

    @property
    def expected_runs(self) -> int:
        """The number of runs that must exist."""
        return len(self.run_ids) or len(self.logical_dates)

    def has_any_state(self, states: States, kinds: Iterable[str]) -> bool:
        """Return whether a run or task is in one of these states."""
        sought = set(kinds)
        return any(state in sought for run in states.values() for state in run.values())

    def has_all_states(self, states: States, kinds: Iterable[str]) -> bool:
        """Return whether every run exists and the run, or all its tasks, are in one of these states."""
        sought = set(kinds)
        return sum(1 for run in states.values() if self._is_whole(run, sought)) >= self.expected_runs

    def _is_whole(self, run: dict[str, str | None], sought: set[str]) -> bool:
        present = {name.partition("[")[0] for name in run}
        return bool(run) and present >= set(self.task_ids) and all(state in sought for state in run.values())

    def __str__(self) -> str:
        what = f"task group {self.group!r} of " if self.group else ""
        if self.task_ids:
            what = f"{'task' if len(self.task_ids) == 1 else 'tasks'} {', '.join(self.task_ids)} of "
        when = ", ".join(self.run_ids) or ", ".join(to_datetime(at).isoformat() for at in self.logical_dates)
        return f"{what}DAG {self.dag_id!r}, {when}"


def count_runs_in_states(run_id_task_state_map: Mapping[str, Mapping[str, str | None]], states: Collection[str]) -> int:
    """Return the number of runs all of whose tasks are in one of the states; a run without tasks does not count."""
    return sum(1 for run in run_id_task_state_map.values() if run and all(state in states for state in run.values()))


@dataclass(frozen=True, slots=True)
class StateOutcomes:
    """The states that end a wait, by outcome."""

    allowed: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def judge_states(external: ExternalRuns, kinds: StateOutcomes, states: States) -> str | None:
    """Return failed, skipped or success, tested in this order; None when the wait is not over."""
    if kinds.failed and external.has_any_state(states, kinds.failed):
        return "failed"
    if kinds.skipped and external.has_any_state(states, kinds.skipped):
        return "skipped"
    return "success" if external.has_all_states(states, kinds.allowed) else None


def to_state_names(states: Iterable[Any] | None) -> tuple[str, ...]:
    """Return states as texts; members of Airflow's enums are accepted."""
    return tuple(str(getattr(state, "value", state)) for state in states or ())


def check_disjoint(where: str, groups: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Raise DuplicateStateError when a state is in two of the groups (name, states)."""
    group_of_state: dict[str, str] = {}
    for name, states in groups:
        for state in set(states):
            if state in group_of_state:
                raise DuplicateStateError(
                    f"{where}: state {state!r} is in {group_of_state[state]} and in {name}; "
                    "duplicate values are not allowed across allowed_states, skipped_states and failed_states."
                )
            group_of_state[state] = name
