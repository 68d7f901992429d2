"""A sensor that waits for runs, tasks or a task group of another DAG, and the marker of such a dependency."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable
from typing import Any, ClassVar, NoReturn

import msgspec

from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.operators.external_task_states import (
    ExternalRuns,
    StateOutcomes,
    check_disjoint,
    judge_states,
    to_state_names,
)
from gnomon.authoring.operators.function_keywords import determine_kwargs
from gnomon.authoring.operators.page_links import ExternalDagLink
from gnomon.authoring.operators.triggers.external_task import WorkflowTrigger
from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.arguments.option_defaults import resolve_deferrable
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.tasks.function_calls import read_signature
from gnomon.authoring.sdk.tasks.sensor import BaseSensorOperator
from gnomon.model.errors.authoring import AirflowSkipException
from gnomon.model.errors.external_tasks import (
    AirflowExternalTaskSensorException,
    ExternalDagDeletedError,
    ExternalDagFailedError,
    ExternalDagNotFoundError,
    ExternalTaskFailedError,
    ExternalTaskGroupFailedError,
    ExternalTaskGroupNotFoundError,
    ExternalTaskNotFoundError,
)
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.spec import DagSpec
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.model.task_api_requests import GetDag

POLL_INTERVAL_S = 2.0


class ExternalTaskSensor(BaseSensorOperator):
    """Waits until a run of another DAG, or tasks or a task group of the run, are in one of `allowed_states`.

    The run has the logical date of this run (or its `run_after` without a logical date), minus `execution_delta`, or the
    dates that `execution_date_fn` returns. A state in `failed_states` fails the task, one in `skipped_states` skips it.
    With `check_existence` the task fails when the DAG, the task or the group does not exist.
    """

    waits_for_external_runs: ClassVar[bool] = True
    template_fields: ClassVar[Collection[str]] = [
        "external_dag_id",
        "external_task_id",
        "external_task_ids",
        "external_task_group_id",
    ]
    ui_color = "#4db7db"
    operator_extra_links: Collection[Any] = [ExternalDagLink()]

    def __init__(
        self,
        *,
        external_dag_id: str,
        external_task_id: str | None = None,
        external_task_ids: Collection[str] | None = None,
        external_task_group_id: str | None = None,
        allowed_states: Iterable[str] | None = None,
        skipped_states: Iterable[str] | None = None,
        failed_states: Iterable[str] | None = None,
        execution_delta: dt.timedelta | None = None,
        execution_date_fn: Callable[..., Any] | None = None,
        check_existence: bool = False,
        poll_interval: float | None = None,
        deferrable: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.allowed_states = list(to_state_names(allowed_states)) or [TaskInstanceState.SUCCESS.value]
        self.skipped_states = list(to_state_names(skipped_states))
        self.failed_states = list(to_state_names(failed_states))
        self.external_dag_id = external_dag_id
        self.external_task_id = external_task_id
        self.external_task_ids = external_task_ids
        self.external_task_group_id = external_task_group_id
        self.execution_delta = execution_delta
        self.execution_date_fn = execution_date_fn
        self.check_existence = check_existence
        self.poll_interval = POLL_INTERVAL_S if poll_interval is None else poll_interval
        self.deferrable = resolve_deferrable(deferrable)
        self._check(f"Sensor {self.task_id!r}{format_location(self._location)}")
        if external_task_id is not None:
            self.external_task_ids = [external_task_id]

    def poke(self, context: Any) -> bool:
        if self.check_existence:
            self._check_existence()
        external = self._external(context)
        self.log.info("waiting for %s", external)
        states = external.states(channel.ask(external.question()))
        status = judge_states(external, self._kinds, states)
        if status == "failed":
            self._failed(f"{external} failed", self._failure)
        if status == "skipped":
            raise AirflowSkipException(
                f"{external} is in one of {', '.join(self.skipped_states)}; this task is skipped too."
            )
        return status == "success"

    def execute(self, context: Any) -> Any:
        """Return when the states are in `allowed_states`; a deferrable sensor waits by a trigger."""
        if not self.deferrable:
            return super().execute(context)
        if not self.poke(context):
            self._defer(context)
        return None

    def execute_complete(self, context: Any, event: dict[str, Any] | None = None) -> None:
        """Called when the trigger has fired. Raises AirflowSkipException, or the error for what has failed, for other states."""
        status = (event or {}).get("status")
        if status == "success":
            self.log.info(
                "External tasks %s has executed successfully.", self.external_task_ids or self.external_dag_id
            )
        elif status == "skipped":
            raise AirflowSkipException("External job has skipped skipping.")
        elif status == "failed":
            self._failed("External job has failed", ExternalDagFailedError)
        else:
            raise ExternalTaskNotFoundError(
                f"The trigger of task {self.task_id!r} ended without the states of {self.external_dag_id!r}. Check the ids of the DAG and its tasks."
            )

    def _defer(self, context: Any) -> NoReturn:
        external = self._external(context)
        self.defer(
            trigger=WorkflowTrigger(
                external_dag_id=self.external_dag_id,
                logical_dates=[to_datetime(moment) for moment in external.logical_dates],
                external_task_ids=list(external.task_ids) or None,
                external_task_group_id=self.external_task_group_id,
                failed_states=list(self.failed_states),
                skipped_states=list(self.skipped_states),
                allowed_states=list(self.allowed_states),
                poke_interval=self.poll_interval,
                soft_fail=self.soft_fail,
            ),
            method_name="execute_complete",
            timeout=self.timeout,
        )

    @property
    def _kinds(self) -> StateOutcomes:
        return StateOutcomes(tuple(self.allowed_states), tuple(self.skipped_states), tuple(self.failed_states))

    def _failed(self, what: str, error: type[AirflowExternalTaskSensorException]) -> None:
        if self.soft_fail:
            raise AirflowSkipException(f"{what}. Skipping due to soft_fail.")
        raise error(f"{what}.")

    @property
    def _failure(self) -> type[AirflowExternalTaskSensorException]:
        if self._task_ids():
            return ExternalTaskFailedError
        return ExternalDagFailedError if self.external_task_group_id is None else ExternalTaskGroupFailedError

    def _task_ids(self) -> tuple[str, ...]:
        task_ids = self.external_task_ids if self.external_task_id is None else [self.external_task_id]
        return tuple(dict.fromkeys([task_ids] if isinstance(task_ids, str) else task_ids or ()))

    def _external(self, context: Any) -> ExternalRuns:
        return ExternalRuns(
            self.external_dag_id,
            self._logical_dates(context),
            task_ids=self._task_ids(),
            group=self.external_task_group_id,
        )

    def _logical_dates(self, context: Any) -> tuple[Instant, ...]:
        date: dt.datetime = context.get("logical_date") or context["dag_run"].run_after
        if self.execution_delta is not None:
            return (to_instant(date - self.execution_delta),)
        if self.execution_date_fn is None:
            return (to_instant(date),)
        arguments, shape = determine_kwargs(self.execution_date_fn, (), context), read_signature(self.execution_date_fn)
        for taken in () if shape is None else shape.positional[:1]:
            arguments.pop(taken, None)  # the first parameter gets the date
        dates = self.execution_date_fn(date, **arguments)
        listed = dates if isinstance(dates, list | tuple | set) else [dates]
        return tuple(
            to_instant(date_item if date_item.tzinfo is not None else date_item.replace(tzinfo=dt.UTC))
            for date_item in listed
        )

    def _check_existence(self) -> None:
        dag: Any = channel.ask(GetDag(dag_id=self.external_dag_id))
        if dag is None:
            raise ExternalDagNotFoundError(f"The external DAG {self.external_dag_id} does not exist.")
        if not dag["active"]:
            raise ExternalDagDeletedError(
                f"The external DAG {self.external_dag_id} was deleted: no file defines it any more."
            )
        spec = msgspec.convert(dag["spec"], DagSpec)
        known_ids = {task.task_id for task in spec.tasks}
        for task_id in self._task_ids():
            if task_id not in known_ids:
                raise ExternalTaskNotFoundError(
                    f"The external task {task_id} in DAG {self.external_dag_id} does not exist."
                )
        if self.external_task_group_id is not None and self.external_task_group_id not in spec.groups:
            raise ExternalTaskGroupNotFoundError(
                f"The external task group '{self.external_task_group_id}' in DAG '{self.external_dag_id}' does not exist."
            )

    def _check(self, where: str) -> None:
        exclusive = {
            "external_task_id": self.external_task_id,
            "external_task_ids": self.external_task_ids,
            "external_task_group_id": self.external_task_group_id,
        }
        given_names = [name for name, value in exclusive.items() if value is not None]
        if len(given_names) > 1:
            raise ValueError(f"{where}: only one of {' and '.join(given_names)} may be given.")
        if self.execution_delta is not None and self.execution_date_fn is not None:
            raise ValueError(f"{where}: only one of execution_delta and execution_date_fn may be given.")
        kinds = {
            "allowed_states": self.allowed_states,
            "skipped_states": self.skipped_states,
            "failed_states": self.failed_states,
        }
        check_disjoint(where, list(kinds.items()))
        state_names = [state.value for state in (TaskInstanceState if given_names else DagRunState)]
        for name, states in kinds.items():
            for state in states:
                if state not in state_names:
                    raise ValueError(
                        f"{where}: {state!r} in {name} is not a state of {'a task' if given_names else 'a run'}; "
                        f"use one of {', '.join(state_names)}."
                    )
        if isinstance(self.external_task_ids, list | tuple) and len(set(self.external_task_ids)) < len(
            self.external_task_ids
        ):
            raise ValueError(f"{where}: external_task_ids names a task twice.")


class ExternalTaskMarker(EmptyOperator):
    """Declares that `external_task_id` of `external_dag_id` depends on this task; it does nothing when it runs.

    A clear of this task also clears that task and all below it, in the run with `logical_date`, and follows the markers among them, at most
    `recursion_depth` in a row.
    """

    is_clear_marker: ClassVar[bool] = True
    operator_extra_links: Collection[Any] = [ExternalDagLink()]
    template_fields: ClassVar[Collection[str]] = ["external_dag_id", "external_task_id", "logical_date"]
    ui_color = "#4db7db"

    def __init__(
        self,
        *,
        external_dag_id: str,
        external_task_id: str,
        logical_date: str | dt.datetime = "{{ logical_date.isoformat() }}",
        recursion_depth: int = 10,
        execution_date: str | dt.datetime | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.external_dag_id = external_dag_id
        self.external_task_id = external_task_id
        chosen_date = logical_date if execution_date is None else execution_date
        self.logical_date = chosen_date.isoformat() if isinstance(chosen_date, dt.datetime) else chosen_date
        if recursion_depth <= 0:
            raise ValueError(
                f"Task {self.task_id!r}{format_location(self._location)}: recursion_depth must be 1 or more."
            )
        self.recursion_depth = recursion_depth
