"""The sentences of the engine's conditions, as `gnomon explain` prints them."""

from __future__ import annotations

from gnomon.model.instants import Instant
from gnomon.model.sentences import render
from gnomon.model.states import DagRunState
from gnomon.model.wait_conditions import list_unmet
from gnomon.rules.engine.conditions.instance_conditions import find_wait
from gnomon.rules.engine.conditions.run_conditions import list_run_conditions, list_task_conditions
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import TaskInstance


def tell_run(engine_state: EngineState, run_pk: int, now: Instant) -> list[str]:
    """Why a queued run does not start, or why each unfinished task of a running run waits."""
    unmet = list_unmet(list_run_conditions(engine_state, run_pk, now, most=None))
    if run_pk in engine_state.runs and engine_state.runs[run_pk].record.state is DagRunState.QUEUED:
        return [render(unmet[0].told)]
    return [render(condition.told) for condition in unmet if condition.kind != "dag_active"]


def tell_task(engine_state: EngineState, run_pk: int, task_id: str, map_index: int, now: Instant) -> list[str]:
    """Why the task instance waits: the first condition that is not met."""
    unmet = list_unmet(list_task_conditions(engine_state, run_pk, task_id, map_index, now))
    return [render(condition.told) for condition in unmet[:1]]


def tell_instance(engine_state: EngineState, ti: TaskInstance, now: Instant) -> str | None:
    """The same of an instance in memory; None for a finished one."""
    wait = find_wait(engine_state, ti, now)
    return None if wait is None else render(wait.told)
