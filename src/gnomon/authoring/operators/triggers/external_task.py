"""Triggers that wait for runs of other DAGs by requesting their states repeatedly."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Iterable
from typing import Any, cast

from gnomon.authoring.operators.external_task_states import ExternalRuns, StateOutcomes, judge_states, to_state_names
from gnomon.authoring.sdk.arguments import timezone
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.deferral.triggers import BaseTrigger, TriggerEvent
from gnomon.model.instants import to_instant
from gnomon.model.states import TaskInstanceState
from gnomon.model.task_api_requests import GetRunStates

Dates = Iterable[dt.datetime] | None


class WorkflowTrigger(BaseTrigger):
    """Fires with {"status": success | failed | skipped} when runs of another DAG, or their tasks, are in the given states.

    The runs are `run_ids`, or those of `logical_dates` (`execution_dates` in Airflow 2). Without `external_task_ids` and
    `external_task_group_id` the states of the runs are used.
    """

    def __init__(
        self,
        external_dag_id: str,
        run_ids: list[str] | None = None,
        execution_dates: list[dt.datetime] | None = None,
        logical_dates: list[dt.datetime] | None = None,
        external_task_ids: list[str] | None = None,
        external_task_group_id: str | None = None,
        failed_states: Iterable[str] | None = None,
        skipped_states: Iterable[str] | None = None,
        allowed_states: Iterable[str] | None = None,
        poke_interval: float = 2.0,
        soft_fail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.external_dag_id = external_dag_id
        self.run_ids = run_ids
        self.logical_dates = logical_dates if logical_dates is not None else execution_dates
        self.external_task_ids = external_task_ids
        self.external_task_group_id = external_task_group_id
        self.failed_states = list(to_state_names(failed_states))
        self.skipped_states = list(to_state_names(skipped_states))
        self.allowed_states = list(to_state_names(allowed_states)) or [TaskInstanceState.SUCCESS.value]
        self.poke_interval = poke_interval
        self.soft_fail = soft_fail

    def serialize(self) -> tuple[str, dict[str, Any]]:
        kwargs = {
            "external_dag_id": self.external_dag_id,
            "run_ids": self.run_ids,
            "logical_dates": self.logical_dates,
            "external_task_ids": self.external_task_ids,
            "external_task_group_id": self.external_task_group_id,
            "failed_states": self.failed_states,
            "skipped_states": self.skipped_states,
            "allowed_states": self.allowed_states,
            "poke_interval": self.poke_interval,
            "soft_fail": self.soft_fail,
        }
        return f"{__name__}.WorkflowTrigger", kwargs

    async def run(self) -> AsyncIterator[TriggerEvent]:
        external = ExternalRuns(
            self.external_dag_id,
            logical_dates=_instants(self.logical_dates),
            run_ids=tuple(self.run_ids or ()),
            task_ids=tuple(self.external_task_ids or ()),
            group=self.external_task_group_id,
        )
        kinds = StateOutcomes(tuple(self.allowed_states), tuple(self.skipped_states), tuple(self.failed_states))
        while True:
            states = external.states(await channel.ask_async(external.question()))
            status = judge_states(external, kinds, states)
            if status is not None:
                break
            await asyncio.sleep(self.poke_interval)
        yield TriggerEvent({"status": status})


class DagStateTrigger(BaseTrigger):
    """Fires when all runs are in one of `states`, with (class path, arguments and state by run id).

    `there` means that the runs exist from the start: the trigger then also fires when one of `run_ids` was deleted, which has
    no state in the event.
    """

    def __init__(
        self,
        dag_id: str,
        states: Iterable[str],
        run_ids: list[str] | None = None,
        execution_dates: list[dt.datetime] | None = None,
        poll_interval: float = 5.0,
        there: bool = False,
    ) -> None:
        super().__init__()
        self.dag_id = dag_id
        self.states = list(to_state_names(states))
        self.run_ids = run_ids
        self.execution_dates = execution_dates
        self.poll_interval = poll_interval
        self.runs_exist = there

    def serialize(self) -> tuple[str, dict[str, Any]]:
        kwargs = {
            "dag_id": self.dag_id,
            "states": self.states,
            "run_ids": self.run_ids,
            "execution_dates": self.execution_dates,
            "poll_interval": self.poll_interval,
            "there": self.runs_exist,
        }
        return f"{__name__}.DagStateTrigger", kwargs

    async def run(self) -> AsyncIterator[TriggerEvent]:
        question = GetRunStates(
            dag_id=self.dag_id,
            run_ids=tuple(self.run_ids or ()),
            logical_dates=() if self.run_ids else _instants(self.execution_dates),
        )
        expected_count = len(question.run_ids) or len(question.logical_dates)
        while True:
            states = cast("dict[str, str]", await channel.ask_async(question))
            if sum(1 for state in states.values() if state in self.states) >= expected_count:
                break
            if self.runs_exist and len(states) < len(question.run_ids):
                break
            await asyncio.sleep(self.poll_interval)
        path, kwargs = self.serialize()
        yield TriggerEvent((path, {**kwargs, **states}))


class TaskStateTrigger(BaseTrigger):
    """Fires when a task of another DAG is in one of `states` in the runs of all `execution_dates`: {"status": "success"}.

    Fires with {"status": "timeout"} when no such run exists 60 s after `trigger_start_time`. A trigger of Airflow 2.
    """

    START_TIMEOUT_S = 60.0

    def __init__(
        self,
        dag_id: str,
        execution_dates: list[dt.datetime],
        trigger_start_time: dt.datetime,
        states: Iterable[str] | None = None,
        task_id: str | None = None,
        poll_interval: float = 2.0,
    ) -> None:
        super().__init__()
        self.dag_id = dag_id
        self.execution_dates = execution_dates
        self.trigger_start_time = trigger_start_time
        self.states = list(to_state_names(states)) or [TaskInstanceState.SUCCESS.value]
        self.task_id = task_id
        self.poll_interval = poll_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        kwargs = {
            "dag_id": self.dag_id,
            "execution_dates": self.execution_dates,
            "trigger_start_time": self.trigger_start_time,
            "states": self.states,
            "task_id": self.task_id,
            "poll_interval": self.poll_interval,
        }
        return f"{__name__}.TaskStateTrigger", kwargs

    async def run(self) -> AsyncIterator[TriggerEvent]:
        dates = _instants(self.execution_dates)
        external = ExternalRuns(self.dag_id, logical_dates=dates, task_ids=(self.task_id,) if self.task_id else ())
        runs = GetRunStates(dag_id=self.dag_id, logical_dates=dates)
        status = None
        while status is None:
            if not await channel.ask_async(runs):
                if (timezone.utcnow() - self.trigger_start_time).total_seconds() > self.START_TIMEOUT_S:
                    status = "timeout"
            elif external.has_all_states(external.states(await channel.ask_async(external.question())), self.states):
                status = "success"
            if status is None:
                await asyncio.sleep(self.poll_interval)
        yield TriggerEvent({"status": status})


def _instants(dates: Dates) -> tuple[int, ...]:
    return tuple(to_instant(date) for date in dates or ())
