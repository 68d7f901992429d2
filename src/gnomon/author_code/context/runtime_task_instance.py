"""`ti` in the template context: the running task instance, with the names of Airflow 3 and of Airflow 2."""

from __future__ import annotations

import getpass
import logging
import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from gnomon.author_code.context.asset_event_accessors import OutletEventAccessors
from gnomon.author_code.context.run_queries import RunQueries
from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.author_code.context.state_store_accessors import AssetStateStoreAccessors, TaskStateStoreAccessor
from gnomon.author_code.context.task_instance_key import TaskInstanceKey
from gnomon.author_code.context.xcom_access import AttemptXComs, MapIndexes, PulledElement
from gnomon.authoring.sdk.arguments.notset import NOTSET
from gnomon.authoring.sdk.arguments.timezone import to_pendulum
from gnomon.authoring.sdk.connections.channel import Channel
from gnomon.ground.config import Config, current_config
from gnomon.ground.config.host_name import current_host_name
from gnomon.model.attempts import Attempt, InstanceOverrides
from gnomon.model.instants import Instant
from gnomon.model.states import TaskInstanceState
from gnomon.model.trace_ids import compute_attempt_span_id, compute_trace_id, format_traceparent
from gnomon.model.xcom_keys import XCOM_RETURN_KEY

if TYPE_CHECKING:
    import pendulum

    from gnomon.author_code.context.stored_task_instance import StoredTaskInstance


class RuntimeTaskInstance(RunQueries):
    """An attempt of a task instance, as author code sees it."""

    test_mode = False
    rendered_map_index: str | None = None
    dag_version_id: str | None = None
    job_id: int | None = None
    """None: Airflow 2 keeps the id of its job here, and Gnomon has no jobs."""
    queued_dttm: datetime | None = None
    """None: a task is not told when its instance was queued."""
    hostname: str
    task: Any
    """The operator; the runner replaces it by the copy that it renders and executes."""

    def __init__(self, *, task: Any, attempt: Attempt, channel: Channel, dag: Any = None) -> None:
        self._attempt = attempt
        self._dag = dag
        self._channel = channel
        self._xcoms = AttemptXComs(attempt, channel)
        self._started: Instant | None = None
        self._ended: Instant | None = None
        self._context: Any = None
        self.task = task
        self.id = attempt.attempt_id
        self.task_id = attempt.task_id
        self.dag_id = attempt.run.dag_id
        self.run_id = attempt.run.run_id
        self.map_index = attempt.map_index
        self.is_mapped = bool(getattr(task, "is_mapped", False))
        self.factor_lengths = attempt.factor_lengths
        self.expanded_ti_count = attempt.expanded_count
        self.try_number = attempt.try_number
        self.max_tries = attempt.max_tries
        self.state: TaskInstanceState | str = TaskInstanceState.RUNNING
        self._set_overrides(attempt.overrides)

    def _set_overrides(self, overrides: InstanceOverrides | None) -> None:
        """Take over what `task_instance_mutation_hook` set for this try, instead of the values of the task."""
        for name in ("queue", "pool", "pool_slots", "priority_weight", "executor"):
            value = None if overrides is None else getattr(overrides, name)
            if value is not None:
                setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        # Attributes of the task that are also attributes of Airflow's task instance.
        if name in _TASK_ATTRIBUTES:
            return getattr(self.task, _TASK_ATTRIBUTES[name], None)
        if name == "hostname":
            return current_host_name()
        if name == "unixname":
            return getpass.getuser()
        if name == "pid":
            return os.getpid()
        raise AttributeError(f"a task instance has no attribute {name!r}")

    def __repr__(self) -> str:
        where = "" if self.map_index < 0 else f" [{self.map_index}]"
        return f"<TaskInstance: {self.dag_id}.{self.task_id} {self.run_id}{where} [{self.state}]>"

    @property
    def context_carrier(self) -> dict[str, str]:
        """The header `traceparent` with the span of this attempt, for spans of the author; empty while [traces] otel_on is not set."""
        cfg = current_config()
        if not _sends_traces(cfg):
            return {}
        attempt = self._attempt
        trace_id = compute_trace_id(
            cfg.text("traces", "otel_service"), attempt.run.dag_id, attempt.run.run_id, attempt.run.run_pk
        )
        return {"traceparent": format_traceparent(trace_id, compute_attempt_span_id(attempt.attempt_id))}

    # XComs

    @property
    def pushed_xcoms(self) -> dict[str, str]:
        """The XComs that this attempt has pushed, by key, as typed JSON."""
        return self._xcoms.pushed_xcoms

    def xcom_push(self, key: str, value: Any, execution_date: Any = None, session: Any = None) -> None:
        """Push the current state of `value` under `key`. The last two arguments are those of Airflow 2 and have no effect.

        Raises NotSerializable or XComOverLimit.
        """
        self._xcoms.push(key, value)

    def xcom_pull(
        self,
        task_ids: str | Iterable[str] | None = None,
        dag_id: str | None = None,
        key: str = XCOM_RETURN_KEY,
        include_prior_dates: bool = False,
        session: Any = None,
        *,
        map_indexes: MapIndexes = NOTSET,
        default: Any = None,
        run_id: str | None = None,
    ) -> Any:
        """Return the value that a task pushed; a list for several tasks. `AttemptXComs.pull` describes the arguments."""
        return self._xcoms.pull(
            task_ids, dag_id, key or XCOM_RETURN_KEY, include_prior_dates, map_indexes, default, run_id
        )

    def pull_xcom_element(self, task_id: str, dag_id: str, key: str, number: int) -> PulledElement | None:
        """Return one element of a container that a task pushed; None when it pushed none. For the arguments of a mapped task."""
        return self._xcoms.pull_element(task_id, dag_id, key, number)

    async def axcom_push(self, key: str, value: Any) -> None:
        """As `xcom_push`."""
        self.xcom_push(key, value)

    async def axcom_pull(self, *args: Any, **kwargs: Any) -> Any:
        """As `xcom_pull`."""
        return self.xcom_pull(*args, **kwargs)

    # Assets

    @cached_property
    def outlet_events(self) -> OutletEventAccessors:
        """What the success of this attempt records for its outlets."""
        return OutletEventAccessors(self._channel)

    # The context

    def bind(self, context: Any) -> None:
        """Let `get_template_context` return this context."""
        self._context = context

    def get_template_context(self, session: Any = None, ignore_param_exceptions: bool = True) -> Any:
        """Return the template context of this attempt."""
        return self._context

    def render_templates(self, context: Mapping[str, Any] | None = None, jinja_env: Any = None) -> Any:
        """Replace `task` by a copy with rendered template fields, and return the previous `task`."""
        original = self.task
        self.task = original.prepare_for_execution()
        self.task.render_template_fields(context if context is not None else self._context, jinja_env)
        return original

    # State that outlives a try

    @cached_property
    def task_state_store(self) -> TaskStateStoreAccessor:
        """What this task instance keeps between its tries."""
        return TaskStateStoreAccessor(self._channel)

    @cached_property
    def asset_state_store(self) -> AssetStateStoreAccessors:
        """What is kept of the assets among the inlets and outlets."""
        return AssetStateStoreAccessors(
            self._channel, f"task {self.task_id!r}", [*self.task.inlets, *self.task.outlets]
        )

    # The run

    @cached_property
    def dag_run(self) -> RuntimeDagRun:
        """The run of the task instance."""
        return RuntimeDagRun(self._attempt.run, self._dag)

    def get_dagrun(self, session: Any = None) -> RuntimeDagRun:
        """The run of the task instance."""
        return self.dag_run

    @property
    def logical_date(self) -> pendulum.DateTime | None:
        return self.dag_run.logical_date

    @property
    def execution_date(self) -> pendulum.DateTime | None:
        """The logical date, under its name in Airflow 2."""
        return self.dag_run.logical_date

    @property
    def run_after(self) -> pendulum.DateTime | None:
        return self.dag_run.run_after

    @property
    def key(self) -> TaskInstanceKey:
        """The key of this try."""
        return TaskInstanceKey(self.dag_id, self.task_id, self.run_id, self.try_number, self.map_index)

    @property
    def log_url(self) -> str:
        """The address of this try on the web page; empty, with a warning, where `[api] base_url` is not set and no standalone says its address."""
        base = str(current_config().get("api", "base_url", fallback=""))
        if not base:
            self.log.warning("the address of the web page is not known, so ti.log_url is empty: set [api] base_url")
            return ""
        path = "/".join(
            quote(part, safe="") for part in ("dags", self.dag_id, "runs", self.run_id, "tasks", self.task_id)
        )
        return f"{base.rstrip('/')}/{path}?try={self.try_number}" + (
            f"&map={self.map_index}" if self.map_index >= 0 else ""
        )

    @property
    def mark_success_url(self) -> str:
        """The same address: the page has the button."""
        return self.log_url

    # Times and tries

    def mark_started(self, at: Instant) -> None:
        """Record the instant at which the try started."""
        self._started = at

    def mark_ended(self, at: Instant, state: TaskInstanceState) -> None:
        """Record the instant at which `execute` ended, and the state."""
        self._ended = at
        self.state = state

    @property
    def start_date(self) -> pendulum.DateTime | None:
        """The start of the try, before its templates are rendered."""
        return to_pendulum(self._started)

    @property
    def end_date(self) -> pendulum.DateTime | None:
        return to_pendulum(self._ended)

    @property
    def duration(self) -> float | None:
        """Seconds from `start_date` to `end_date`; None before the end."""
        if self._started is None or self._ended is None:
            return None
        return (self._ended - self._started) / 1_000_000

    @property
    def log(self) -> logging.Logger:
        """The logger whose lines go to the log of this attempt."""
        return logging.getLogger("airflow.task")

    @property
    def next_try_number(self) -> int:
        return self.try_number + 1

    @property
    def prev_attempted_tries(self) -> int:
        return self.try_number - 1

    @property
    def previous_ti(self) -> StoredTaskInstance | None:
        """The instance of this task in the run before, as it is now; None when there is none."""
        return self.get_previous_ti()

    def get_previous_ti(self, state: str | None = None, session: Any = None) -> StoredTaskInstance | None:
        """Return the instance of this task in the newest run before (in `state` if given); None when there is none."""
        run = self.get_previous_dagrun(state)
        return None if run is None else run.get_task_instance(self.task_id, map_index=self.map_index)

    def current_state(self, session: Any = None) -> TaskInstanceState | str:
        """Return the state of this attempt."""
        return self.state

    def is_eligible_to_retry(self) -> bool:
        """Return whether a retry follows if this try fails."""
        return self.try_number <= self.max_tries


_TASK_ATTRIBUTES = {
    "queue": "queue",
    "pool": "pool",
    "pool_slots": "pool_slots",
    "priority_weight": "priority_weight",
    "operator": "task_type",
    "owner": "owner",
    "executor_config": "executor_config",
    "executor": "executor",
    "task_display_name": "task_display_name",
    "trigger_rule": "trigger_rule",
    "operator_name": "operator_name",
    "run_as_user": "run_as_user",
}


@lru_cache(maxsize=1)
def _sends_traces(cfg: Config) -> bool:
    """Read once for all children: each of them asks twice."""
    return cfg.boolean("traces", "otel_on")
