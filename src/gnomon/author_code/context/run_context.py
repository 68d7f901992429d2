"""The context of a callback of a run: the values of the run, and those of one task instance if the callback is about one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.author_code.context.runtime_task_instance import RuntimeTaskInstance
from gnomon.author_code.context.template_context import Context
from gnomon.author_code.context.template_variables import (
    COSTLY_VARIABLES,
    VARIABLES_WITH_DATE,
    VARIABLES_WITHOUT_DATE,
    ContextSource,
)
from gnomon.authoring.sdk.arguments.timezone import to_pendulum
from gnomon.authoring.sdk.connections.channel import Channel
from gnomon.model.attempts import Attempt
from gnomon.model.run_callbacks import CallbackKind, CallbackRequest
from gnomon.model.states import TaskInstanceState

_TASK_VARIABLES = frozenset(
    {
        "expanded_ti_count",
        "inlets",
        "map_index_template",
        "outlets",
        "task",
        "task_instance",
        "task_instance_key_str",
        "task_reschedule_count",
        "templates_dict",
        "test_mode",
        "ti",
        "try_number",
        "inlet_events",
        "outlet_events",
        "task_state_store",
        "asset_state_store",
    }
)
"""Keys that exist only when the callback is about a task instance."""


class DeadlineDagRun(RuntimeDagRun):
    """`dag_run` in the context of a missed deadline: an object, and also a mapping, which it is in Airflow."""

    def __getitem__(self, key: str) -> Any:
        try:
            return getattr(self, key)
        except AttributeError:
            raise KeyError(key) from None

    def get(self, key: str, default: Any = None) -> Any:
        """The value of the field; the default when there is no such field."""
        return getattr(self, key, default)


def build_run_context(*, dag: Any, attempt: Attempt, channel: Channel) -> Context:
    """Return the context of this callback: `dag`, `dag_run`, `run_id`, `params`, `reason`, ..., and `ti` where it is about a task instance.

    A task that the DAG no longer has is left out, with all keys that need it. The context of a missed deadline has `deadline`: a dict
    with `id`, `name` and `deadline_time`.
    """
    request = attempt.callback
    assert request is not None
    task = dag.task_dict.get(request.task_id) if request.task_id else None
    ti = RuntimeTaskInstance(
        task=task or SimpleNamespace(params=None, task_id=""), attempt=attempt, channel=channel, dag=dag
    )
    makers = VARIABLES_WITHOUT_DATE if attempt.run.logical_at is None else VARIABLES_WITH_DATE
    values: dict[str, Any] = {"reason": request.reason}
    if task is None:
        makers = {key: make for key, make in makers.items() if key not in _TASK_VARIABLES}
    else:
        _restore_instance(ti, request)
    if request.kind == CallbackKind.DEADLINE_MISSED:
        values["dag_run"] = DeadlineDagRun(attempt.run, dag)
        values["deadline"] = _describe_deadline(dag, attempt, request)
    context = Context.lazily(makers, ContextSource(dag, ti), values, costly=COSTLY_VARIABLES)
    ti.bind(context)
    return context


def _restore_instance(ti: RuntimeTaskInstance, request: CallbackRequest) -> None:
    if request.task_started_at is not None:
        ti.mark_started(request.task_started_at)
    if request.task_state is None:
        ti.state = ""
        return
    state = TaskInstanceState(request.task_state)
    if request.task_ended_at is not None:
        ti.mark_ended(request.task_ended_at, state)
    ti.state = state


def _describe_deadline(dag: Any, attempt: Attempt, request: CallbackRequest) -> dict[str, Any]:
    number = request.deadline_no or 0
    alerts = dag.deadline or []
    return {
        "id": f"{attempt.run.dag_id}/{attempt.run.run_id}/{number}",
        "name": alerts[number].name if number < len(alerts) else None,
        "deadline_time": to_pendulum(request.deadline_at),
    }
