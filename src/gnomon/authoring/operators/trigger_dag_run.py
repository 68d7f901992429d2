"""An operator that triggers a run of another DAG."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar, NoReturn

from gnomon.authoring.operators.external_task_states import to_state_names
from gnomon.authoring.operators.openlineage_parent import safe_inject_openlineage_properties_into_dagrun_conf
from gnomon.authoring.operators.page_links import TriggerDagRunLink
from gnomon.authoring.sdk.arguments import timezone
from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.arguments.notset import NOTSET, ArgNotSet
from gnomon.authoring.sdk.arguments.option_defaults import resolve_deferrable
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.errors.authoring import AirflowException, DagRunTriggerException
from gnomon.model.json_value import to_plain_json
from gnomon.model.states import DagRunState

XCOM_LOGICAL_DATE_ISO = "trigger_logical_date_iso"
"""The XCom key that Airflow uses for the logical date of the triggered run."""


class DagIsPaused(AirflowException):
    """The DAG to trigger is paused."""

    def __init__(self, dag_id: str) -> None:
        super().__init__(dag_id)
        self.dag_id = dag_id

    def __str__(self) -> str:
        return f"Dag {self.dag_id} is paused"


class TriggerDagRunOperator(BaseOperator):
    """Triggers a run of `trigger_dag_id`; with `wait_for_completion` it waits until the run is in one of `allowed_states`.

    If a run with that id or that logical date exists, the task fails; with `skip_when_already_exists` it is skipped, and with
    `reset_dag_run` the existing run is cleared. A run in one of `failed_states` fails the task. The timetable of the other DAG
    infers the data interval from the logical date, or from the current time without a logical date.
    """

    template_fields: ClassVar[Collection[str]] = (
        "trigger_dag_id",
        "trigger_run_id",
        "logical_date",
        "conf",
        "wait_for_completion",
        "skip_when_already_exists",
    )
    template_fields_renderers: ClassVar[dict[str, str]] = {"conf": "py"}
    ui_color = "#ffefeb"
    operator_extra_links: Collection[Any] = [TriggerDagRunLink()]

    def __init__(
        self,
        *,
        trigger_dag_id: str,
        trigger_run_id: str | None = None,
        conf: dict[str, Any] | str | None = None,
        logical_date: str | dt.datetime | ArgNotSet | None = NOTSET,
        run_after: str | dt.datetime | ArgNotSet | None = NOTSET,
        reset_dag_run: bool = False,
        wait_for_completion: bool = False,
        poke_interval: dt.timedelta | float = 60,
        allowed_states: Iterable[str] | None = None,
        failed_states: Iterable[str] | None = None,
        skip_when_already_exists: bool = False,
        fail_when_dag_is_paused: bool = False,
        note: str | None = None,
        deferrable: bool | None = None,
        openlineage_inject_parent_info: bool = True,
        execution_date: str | dt.datetime | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        where = f"Task {self.task_id!r}{format_location(self._location)}"
        self.trigger_dag_id = trigger_dag_id
        self.trigger_run_id = trigger_run_id
        self.conf = conf
        _check_conf(where, conf)
        self.logical_date = _moment_to_text(
            where, "logical_date", logical_date if execution_date is None else execution_date
        )
        self.run_after = _moment_to_text(where, "run_after", run_after)
        self.reset_dag_run = reset_dag_run
        self.wait_for_completion = wait_for_completion
        self.poke_interval = poke_interval.total_seconds() if isinstance(poke_interval, dt.timedelta) else poke_interval
        self.allowed_states = list(_check_states(where, "allowed_states", allowed_states)) or [
            DagRunState.SUCCESS.value
        ]
        self.failed_states = (
            [DagRunState.FAILED.value]
            if failed_states is None
            else list(_check_states(where, "failed_states", failed_states))
        )
        self.skip_when_already_exists = skip_when_already_exists
        self.fail_when_dag_is_paused = fail_when_dag_is_paused
        self.note = note
        self.deferrable = resolve_deferrable(deferrable)
        self.openlineage_inject_parent_info = openlineage_inject_parent_info

    def execute(self, context: Any) -> NoReturn:
        """Raise DagRunTriggerException: the runner triggers the run with the rights of the attempt."""
        raise DagRunTriggerException(
            trigger_dag_id=self.trigger_dag_id,
            dag_run_id=self.trigger_run_id,
            conf=self._conf(context),
            logical_date=_text_to_moment(self.logical_date),
            run_after=_text_to_moment(self.run_after),
            reset_dag_run=self.reset_dag_run,
            skip_when_already_exists=_to_boolean(self.skip_when_already_exists),
            wait_for_completion=_to_boolean(self.wait_for_completion),
            allowed_states=self.allowed_states,
            failed_states=self.failed_states,
            poke_interval=self.poke_interval,
            deferrable=self.deferrable,
            fail_when_dag_is_paused=self.fail_when_dag_is_paused,
            note=self.note,
        )

    def execute_complete(self, context: Any, event: tuple[str, dict[str, Any]]) -> None:
        """Called when the run has ended. Raises AirflowException unless its state is one of `allowed_states`."""
        states = event[1]
        for run_id in states["run_ids"]:
            state = states.get(run_id)
            if state is None:
                raise AirflowException(
                    f"run {run_id!r} of DAG {self.trigger_dag_id!r} was deleted while this task waited for it"
                )
            if state in self.failed_states:
                raise AirflowException(f"{self.trigger_dag_id} failed with failed state {state} in run {run_id}")
            if state not in self.allowed_states:
                raise AirflowException(
                    f"{self.trigger_dag_id} return {state} in run {run_id} which is not in {self.failed_states}"
                    f" or {self.allowed_states}"
                )
            self.log.info("%s finished with allowed state %s in run %s", self.trigger_dag_id, state, run_id)

    def _conf(self, context: Any) -> dict[str, Any]:
        """Return the conf as a dict, with the parent task for OpenLineage. Raises ValueError when it is not a mapping that JSON can represent."""
        try:
            conf = json.loads(self.conf) if isinstance(self.conf, str) else self.conf or {}
            to_plain_json(conf)
        except (TypeError, ValueError) as error:
            raise ValueError(f"conf of task {self.task_id!r} should be JSON serializable: {error}") from error
        if not isinstance(conf, dict):
            raise ValueError(f"conf of task {self.task_id!r} should be a mapping, not {type(conf).__name__}")
        if not self.openlineage_inject_parent_info:
            return conf
        added: dict[str, Any] = safe_inject_openlineage_properties_into_dagrun_conf(conf, context.get("ti"))
        return added


def _check_conf(where: str, conf: Any) -> None:
    """Raise ValueError for a conf that no run can have; results of tasks and templates are checked when the task runs."""
    if not isinstance(conf, Mapping):
        return
    try:
        to_plain_json(_without_results(conf))
    except ValueError as error:
        raise ValueError(
            f"{where}: conf should be JSON serializable: {error}; write dates as text, and sets as lists."
        ) from None


def _without_results(value: Any) -> Any:
    if hasattr(value, "resolve") and not isinstance(value, type):
        return None
    if isinstance(value, Mapping):
        return {name: _without_results(item) for name, item in value.items()}
    return [_without_results(item) for item in value] if isinstance(value, list | tuple) else value


def _moment_to_text(where: str, name: str, value: Any) -> Any:
    """Return a moment as text for templates; NOTSET, None and XComArgs are returned unchanged."""
    if isinstance(value, dt.datetime):
        return value.isoformat()
    if value is None or isinstance(value, str | ArgNotSet) or hasattr(value, "resolve"):
        return value
    raise TypeError(f"{where}: {name} must be a text or a datetime, not {type(value).__name__}.")


def _check_states(where: str, name: str, state_arguments: Iterable[str] | None) -> tuple[str, ...]:
    states = to_state_names(state_arguments)
    known_states = [state.value for state in DagRunState]
    for state in states:
        if state not in known_states:
            raise ValueError(
                f"{where}: {state!r} in {name} is not a state of a run; use one of {', '.join(known_states)}."
            )
    return states


def _text_to_moment(value: Any) -> Any:
    """Return the rendered text as a moment; NOTSET is returned unchanged."""
    if isinstance(value, str):
        return timezone.parse(value) if value not in ("", "None") else None
    return value if value is None or isinstance(value, ArgNotSet) else timezone.coerce_datetime(value)


def _to_boolean(value: Any) -> bool:
    return value.strip().lower() in ("true", "1", "yes", "t", "y") if isinstance(value, str) else bool(value)
