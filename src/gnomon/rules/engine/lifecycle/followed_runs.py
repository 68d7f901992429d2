"""Runs whose tasks somebody else follows between the start and the end: a projection, where nothing is to be decided.

A `Follower` is asked when a run is attached. The engine starts such a run without task instances, and ends it when it hears that all of its tasks have succeeded
(`FollowedRunEnded`). The follower counts what its tasks use, and gives a run back when something is to be decided about it.
"""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.records import TaskRecord
from gnomon.rules.engine.events import FollowedRunEnded, FollowedTaskEnded
from gnomon.rules.engine.lifecycle.capacity import acquire
from gnomon.rules.engine.lifecycle.run_lifecycle import build_task_instances
from gnomon.rules.engine.lifecycle.upstream_subscriptions import notify_slot
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import DagRun
from gnomon.rules.engine.step_context import StepContext


def on_followed_run_ended(context: StepContext, event: FollowedRunEnded) -> None:
    """All tasks of a run have succeeded: it ends with the other runs of this step, after timers and evaluations."""
    run = context.engine_state.runs.get(event.run_pk)
    if run is None or run.follower is None or not run.is_running:
        return  # an earlier event of this step has deleted it, or ended it otherwise
    context.result.followed_attempts += event.attempts
    context.possibly_done_runs[run] = None


def on_followed_task_ended(context: StepContext, event: FollowedTaskEnded) -> None:
    """Those who wait for the task learn that it has succeeded."""
    run = context.engine_state.runs.get(event.run_pk)
    if run is None or not run.is_running:
        return
    context.result.followed_tasks.append((run, event.task_id))
    notify_slot(context, run, event.task_id)


def return_to_engine(engine_state: EngineState, run: DagRun, rows: Iterable[TaskRecord]) -> None:
    """Give a started run the task instances that a store would have; its live attempts are counted. The next step is to evaluate it."""
    run.follower = None
    build_task_instances(run, rows)
    for instances in run.task_instances:
        for ti in instances.values():
            if ti.attempt is not None:
                acquire(engine_state, ti)
