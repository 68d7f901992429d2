"""What a task waits for in another DAG, and what the states there mean for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from gnomon.errors.authoring import AirflowException
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.task_api_requests import GetRunStates, GetTaskStates, TaskApiRequest

States = dict[str, dict[str, str | None]]
"""Run id to {task id, or `task_id[map_index]`, to its state}; for whole runs the only name is ''."""


@dataclass(frozen=True, slots=True)
class ExternalRuns:
    """Runs of another DAG, by logical date or by id; whole, or some tasks of them, or one group of tasks."""

    dag_id: str
    logical_dates: tuple[Instant, ...] = ()
    run_ids: tuple[str, ...] = ()
    task_ids: tuple[str, ...] = ()
    group: str | None = None

    def question(self) -> TaskApiRequest:
        """What to ask for their states."""
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
        """The answer to the question."""
        if self.task_ids or self.group is not None:
            return cast(States, answer)
        return {run_id: {"": state} for run_id, state in cast("dict[str, str]", answer).items()}

    @property
    def expected_runs(self) -> int:
        """How many runs there have to be."""
        return len(self.run_ids) or len(self.logical_dates)

    def has_any_state(self, states: States, kinds: Iterable[str]) -> bool:
        """Whether anything that it waits for is in one of these states."""
        sought = set(kinds)
        return any(state in sought for run in states.values() for state in run.values())

    def has_all_states(self, states: States, kinds: Iterable[str]) -> bool:
        """Whether every run is there and all of it that it waits for is in one of these states."""
        sought = set(kinds)
        return sum(1 for run in states.values() if self._is_whole(run, sought)) >= self.expected_runs

    def _is_whole(self, run: dict[str, str | None], sought: set[str]) -> bool:
        there = {name.partition("[")[0] for name in run}
        return bool(run) and there >= set(self.task_ids) and all(state in sought for state in run.values())

    def __str__(self) -> str:
        what = f"task group {self.group!r} of " if self.group else ""
        if self.task_ids:
            what = f"{'task' if len(self.task_ids) == 1 else 'tasks'} {', '.join(self.task_ids)} of "
        when = ", ".join(self.run_ids) or ", ".join(to_datetime(at).isoformat() for at in self.logical_dates)
        return f"{what}DAG {self.dag_id!r}, {when}"


@dataclass(frozen=True, slots=True)
class StateOutcomes:
    """Which states end a wait, and how."""

    allowed: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def judge_states(external: ExternalRuns, kinds: StateOutcomes, states: States) -> str | None:
    """failed | skipped | success, in this order; None: not yet."""
    if kinds.failed and external.has_any_state(states, kinds.failed):
        return "failed"
    if kinds.skipped and external.has_any_state(states, kinds.skipped):
        return "skipped"
    return "success" if external.has_all_states(states, kinds.allowed) else None


def to_state_names(states: Iterable[Any] | None) -> tuple[str, ...]:
    """States as texts; members of Airflow's enums are taken too."""
    return tuple(str(getattr(state, "value", state)) for state in states or ())


class ExternalTaskFailedError(AirflowException):
    """What is waited for in another DAG has failed."""


class ExternalTaskNotFoundError(AirflowException):
    """The DAG, the task or the task group that is waited for does not exist."""


class DuplicateStateError(AirflowException, ValueError):
    """A state stands in more than one of allowed_states, skipped_states and failed_states."""


def check_disjoint(where: str, groups: Sequence[tuple[str, Sequence[str]]]) -> None:
    """No state stands in two of the groups (their names, and states)."""
    seen: dict[str, str] = {}
    for name, states in groups:
        for state in set(states):
            if state in seen:
                raise DuplicateStateError(
                    f"{where}: state {state!r} stands in {seen[state]} and in {name}; "
                    "duplicate values are not allowed across allowed_states, skipped_states and failed_states."
                )
            seen[state] = name
