"""Calls `task_instance_mutation_hook` of the cluster policies for the ready task instances of a run.

The hook gets an object with the attributes of Airflow's task instance at that moment, and what it set is compared afterwards.
An error of the hook for one instance is the answer for that instance. When the time for one request is over, or a call was ended
because it hung, the answers so far are returned; the caller asks for the others again, after the requests of other DAGs.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.author_code.context.task_instance_key import TaskInstanceKey
from gnomon.author_code.loading.cluster_policies import mutate_task_instance
from gnomon.author_code.timetable_host.call_watchdog import CallTimeout, describe_timeout
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import current_config, read_executors
from gnomon.model.attempts import InstanceOverrides
from gnomon.model.errors.authoring import (
    AirflowClusterPolicyError,
    AirflowClusterPolicySkipDag,
    AirflowClusterPolicyViolation,
)
from gnomon.model.errors.error_text import class_name, error_text
from gnomon.model.instance_mutation import (
    MutationAnswer,
    MutationAnswers,
    MutationInstance,
    MutationQuestion,
    MutationTask,
)
from gnomon.model.sentences import say

BUDGET_S = 2.0
"""After so many seconds a request returns the answers that it has."""
_INTEGER_MAX = 2**31 - 1
_OVERRIDES = ("queue", "pool", "pool_slots", "priority_weight", "executor")


class MutableTaskInstance:
    """The task instance that the hook gets, before its next try. What the hook sets on it is read afterwards."""

    def __init__(self, task: MutationTask, instance: MutationInstance, dag_run: RuntimeDagRun) -> None:
        self.task_id = task.task_id
        self.dag_id = dag_run.dag_id
        self.run_id = dag_run.run_id
        self.map_index = instance.map_index
        self.try_number = instance.try_number
        self.max_tries = instance.max_tries
        self.queue = task.queue
        self.pool = task.pool
        self.pool_slots = task.pool_slots
        self.priority_weight = task.priority_weight
        self.executor = task.executor
        self.executor_config: dict[str, Any] = {}
        self.operator = task.operator
        self.state: str | None = None
        self.note: str | None = None
        self.dag_run = dag_run
        self.logical_date = self.execution_date = dag_run.logical_date
        self.run_after = dag_run.run_after
        self.task = SimpleNamespace(
            task_id=task.task_id,
            dag_id=dag_run.dag_id,
            task_type=task.operator,
            operator_name=task.operator,
            owner=task.owner,
            queue=task.queue,
            pool=task.pool,
            pool_slots=task.pool_slots,
            priority_weight=task.priority_weight,
            retries=task.retries,
            trigger_rule=task.trigger_rule,
            executor=task.executor,
        )

    def __repr__(self) -> str:
        where = "" if self.map_index < 0 else f" [{self.map_index}]"
        return f"<TaskInstance: {self.dag_id}.{self.task_id} {self.run_id}{where} [{self.state}]>"

    @property
    def key(self) -> TaskInstanceKey:
        """The key of the try before."""
        return TaskInstanceKey(self.dag_id, self.task_id, self.run_id, self.try_number, self.map_index)

    def get_dagrun(self, session: Any = None) -> RuntimeDagRun:
        """The run of the task instance."""
        return self.dag_run


def mutate_instances(*, question: MutationQuestion) -> MutationAnswers:
    """Call the hook for the instances in their order; the answers, of which some at the end are missing when BUDGET_S is over."""
    dag_run = RuntimeDagRun(question.run)
    answers: list[MutationAnswer] = []
    clock = SystemClock()
    ends_at = clock.monotonic() + BUDGET_S
    for instance in question.instances:
        try:
            answers.append(_mutate_one(question.tasks[instance.task], instance, dag_run))
        except CallTimeout as error:
            return MutationAnswers(
                answers=(*answers, describe_timeout(error, say("check_the_policies"))), ends_process=True
            )
        if clock.monotonic() >= ends_at:
            break
    return MutationAnswers(answers=tuple(answers))


def _mutate_one(task: MutationTask, instance: MutationInstance, dag_run: RuntimeDagRun) -> MutationAnswer:
    ti = MutableTaskInstance(task, instance, dag_run)
    before = dict(vars(ti))
    try:
        mutate_task_instance(ti, dag_run)
    except (AirflowClusterPolicyError, AirflowClusterPolicyViolation, AirflowClusterPolicySkipDag) as error:
        if isinstance(error.__cause__, MemoryError):
            raise error.__cause__ from error
        return error_text(error) or f"task_instance_mutation_hook raised {class_name(error)}"
    changed = {name: value for name, value in vars(ti).items() if name not in before or before[name] is not value}
    changed = {name: value for name, value in changed.items() if not _is_equal(value, before.get(name, _MISSING))}
    for name in _OVERRIDES:
        if name in changed and (fault := _find_fault(name, changed[name])) is not None:
            return fault
    values = {name: changed.pop(name) for name in _OVERRIDES if name in changed}
    if "executor" in values and values["executor"] is None:
        values["executor"] = read_executors(current_config()).default
    return InstanceOverrides(try_number=instance.try_number, **values, without_effect=tuple(sorted(changed)))


_MISSING = object()


def _is_equal(value: object, other: object) -> bool:
    return type(value) is type(other) and bool(value == other)


def _find_fault(name: str, value: object) -> str | None:
    """Why the value cannot be used, None if it can."""
    if name in ("pool_slots", "priority_weight"):
        least = 1 if name == "pool_slots" else -_INTEGER_MAX
        if type(value) is int and least <= value <= _INTEGER_MAX:
            return None
        return f"task_instance_mutation_hook set {name} to {_shorten(value)}; set an integer" + (
            " of at least 1" if least == 1 else ""
        )
    if (isinstance(value, str) and value) or (name == "executor" and value is None):
        return None
    return f"task_instance_mutation_hook set {name} to {_shorten(value)}; set a text"


def _shorten(value: object) -> str:
    try:
        text = repr(value)
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}..."


_SHOWN_MAX = 60
