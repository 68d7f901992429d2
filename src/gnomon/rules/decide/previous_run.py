"""Whether the previous run lets a task run: depends_on_past and wait_for_downstream.

Source: airflow-surface.md D.6; runs are ordered by `run_after` (section I, 14).
"""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import RunName, Sentence, TaskName, say
from gnomon.model.spec import TaskSpec
from gnomon.model.states import GOOD_TASK_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.trigger_rules import RuleOutcome, Verdict

_RUN = Verdict(RuleOutcome.RUN)


def evaluate_previous_run(
    task: TaskSpec, run: RunName | None, previous: S | None, downstream: Sequence[tuple[str, int, S | None]]
) -> Verdict:
    """Whether the same task of the previous run lets this one run.

    `run`: the previous run; None: there is none. `previous`: the state of the task in it. `downstream`: (task id, map index,
    state) of the direct downstream instances in it.
    """
    if run is None or not _depends_on_past(task):
        return _RUN
    if previous not in GOOD_TASK_STATES:
        state = _describe_state(run, task.task_id, UNMAPPED, previous)
        return Verdict(RuleOutcome.WAIT, say("depends_on_past_waits", why=state))
    if task.wait_for_downstream:
        for task_id, map_index, other in downstream:
            if other not in GOOD_TASK_STATES:
                state = _describe_state(run, task_id, map_index, other)
                return Verdict(RuleOutcome.WAIT, say("wait_for_downstream_waits", why=state))
    return _RUN


def _describe_state(run: RunName, task_id: str, map_index: int, state: S | None) -> Sentence:
    task = TaskName(run.dag_id, run.run_id, task_id, map_index)
    if state is None:
        return say("task_of_run_has_no_status", task=task, run=run)
    return say("task_of_run_is", task=task, run=run, state=state.value)


def evaluate_without_previous(task: TaskSpec, run: RunName) -> Verdict:
    """Whether a task that the previous run, `run`, did not have may run."""
    if task.ignore_first_depends_on_past or not _depends_on_past(task):
        return _RUN
    return Verdict(RuleOutcome.WAIT, say("previous_run_lacks_task", run=run, task_id=task.task_id))


def decide_skip(skip: Verdict, past: Verdict) -> Verdict:
    """The verdict of a task with `wait_for_past_depends_before_skipping` that is to be skipped: it waits for the previous run first.

    `skip`: the verdict of its trigger rule. `past`: that of the previous run.
    """
    if past.outcome is not RuleOutcome.WAIT:
        return skip
    return Verdict(RuleOutcome.WAIT, say("waits_before_skip", past=past.reason, why=skip.reason))


def _depends_on_past(task: TaskSpec) -> bool:
    return task.depends_on_past or task.wait_for_downstream
