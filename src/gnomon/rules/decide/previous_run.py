"""Whether the previous run lets a task run: depends_on_past and wait_for_downstream.

Source: airflow-surface.md D.6; runs are ordered by `run_after` (section I, 14).
"""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.spec import TaskSpec
from gnomon.model.states import GOOD_TASK_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.trigger_rules import RuleOutcome, Verdict

_RUN = Verdict(RuleOutcome.RUN)


def evaluate_previous_run(
    task: TaskSpec, previous_run_id: str | None, previous: S | None, downstream: Sequence[tuple[str, S | None]]
) -> Verdict:
    """Whether the same task of the previous run lets this one run.

    `previous_run_id` None: there is no previous run. `previous`: the state of the task in it. `downstream`: (name, state) of
    the direct downstream tasks in it.
    """
    if previous_run_id is None or not _depends_on_past(task):
        return _RUN
    if previous not in GOOD_TASK_STATES:
        return Verdict(RuleOutcome.WAIT, f"depends_on_past: {_describe_state(task.task_id, previous_run_id, previous)}")
    if task.wait_for_downstream:
        for task_id, state in downstream:
            if state not in GOOD_TASK_STATES:
                return Verdict(
                    RuleOutcome.WAIT, f"wait_for_downstream: {_describe_state(task_id, previous_run_id, state)}"
                )
    return _RUN


def _describe_state(task_id: str, run_id: str, state: S | None) -> str:
    return f"{task_id} in run {run_id} " + ("has no status yet" if state is None else f"is {state.value}")


def evaluate_without_previous(task: TaskSpec, previous_run_id: str) -> Verdict:
    """Whether a task that the previous run did not have may run."""
    if task.ignore_first_depends_on_past or not _depends_on_past(task):
        return _RUN
    return Verdict(
        RuleOutcome.WAIT,
        f"depends_on_past: run {previous_run_id} has no task {task.task_id}, and its ignore_first_depends_on_past is False",
    )


def decide_skip(skip: Verdict, past: Verdict) -> Verdict:
    """The verdict of a task with `wait_for_past_depends_before_skipping` that is to be skipped: it waits for the previous run first.

    `skip`: the verdict of its trigger rule. `past`: that of the previous run.
    """
    if past.outcome is not RuleOutcome.WAIT:
        return skip
    return Verdict(RuleOutcome.WAIT, f"{past.reason}; wait_for_past_depends_before_skipping: then {skip.reason}")


def _depends_on_past(task: TaskSpec) -> bool:
    return task.depends_on_past or task.wait_for_downstream
