"""What holds back the planned and the running runs of a DAG."""

from __future__ import annotations

from collections.abc import Iterator

from gnomon.model.instants import Instant
from gnomon.model.sentences import say
from gnomon.model.slots import PlannedRun
from gnomon.model.wait_conditions import WaitCondition
from gnomon.rules.assets.schedule_words import summarize_schedule
from gnomon.rules.engine.conditions.run_conditions import check_run_limit, describe_backfill_wait
from gnomon.rules.engine.lifecycle.run_lifecycle import active_runs_limit
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.rules.planning.policies import compute_creation_time


def list_dag_conditions(engine_state: EngineState, dag_pk: int, now: Instant) -> list[WaitCondition]:
    """What holds back the running and planned runs of the DAG. [] for a deleted DAG, whose schedule plans no run.

    One of the kind `schedule` tells why the schedule has no next run.
    """
    dag = engine_state.dags.get(dag_pk)
    if dag is None:
        return [WaitCondition("scheduler", False, say("no_scheduler_has_dag"))]
    if not dag.record.active:
        return []
    return [*_iterate_planning(dag, now), *_iterate_backfills(dag)]


def _iterate_planning(dag: Dag, now: Instant) -> Iterator[WaitCondition]:
    record, spec = dag.record, dag.graph.spec
    if record.error:
        yield WaitCondition("planning", False, say("planning_stopped", error=record.error))
    if not spec.timetable.can_be_scheduled:
        code = "runs_are_made_by_hand" if spec.asset_condition is None else "runs_are_made_by_assets"
        yield WaitCondition("schedule", False, say(code, schedule=summarize_schedule(spec)))
    elif record.next_run is not None:
        yield from _iterate_due(dag, record.next_run, now)
    elif record.fingerprint is None and not record.error:
        unpaused = say("planned_once_unpaused") if record.paused else None
        yield WaitCondition("schedule", False, say("first_run_is_not_planned", unpaused=unpaused))
    elif not record.error:
        end = None if spec.end_at is None else say("end_date_in_brackets", at=spec.end_at)
        yield WaitCondition("schedule", False, say("timetable_has_no_further_run", end=end))


def _iterate_due(dag: Dag, next_run: PlannedRun, now: Instant) -> Iterator[WaitCondition]:
    due = compute_creation_time(dag.graph.spec, next_run)
    jitter = say("run_is_made_later", at=due) if due != next_run.run_after else None
    is_past = due <= now
    past = say("which_is_past") if is_past else None
    yield WaitCondition("run_due", is_past, say("next_run_is_due", at=next_run.run_after, jitter=jitter, past=past))
    unfinished = sum(run.backfill is None for run in dag.runs.values())
    if is_past and unfinished >= active_runs_limit(dag):
        yield check_run_limit(dag, say("unfinished_runs", count=unfinished))


def _iterate_backfills(dag: Dag) -> Iterator[WaitCondition]:
    for queue in dag.backfills.values():
        record = queue.record
        if record.is_ended:
            continue
        wait = describe_backfill_wait(queue)
        if wait is not None:
            yield WaitCondition("backfill", False, say("no_backfill_run_starts", why=wait))
        if record.error is not None:
            stopped = say("backfill_found_no_slots", backfill=record.backfill_pk, error=record.error)
            yield WaitCondition("backfill", False, stopped)
