"""Why a DAG, a run or a task instance waits. The sentences come from the same rules that decide, applied to the same data."""

from __future__ import annotations

import itertools
import shlex

from gnomon.model.executors import EXECUTOR_CLASSES, KUBERNETES_EXECUTOR
from gnomon.model.hitl import HITLRequest
from gnomon.model.ids import UNMAPPED, format_map_indices, quote_arguments
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DeferralRecord
from gnomon.model.states import FINISHED_TASK_STATES, WITHOUT_PROCESS_STATES, DagRunState
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.outcomes import parse_run_stop
from gnomon.rules.decide.trigger_rules import RuleOutcome, describe_rule_wait
from gnomon.rules.engine.admission_conditions import PoolObstacles, iterate_admission_conditions
from gnomon.rules.engine.lifecycle.deferrals import compute_deadline
from gnomon.rules.engine.lifecycle.expansions import list_open_upstream
from gnomon.rules.engine.lifecycle.instance_mutation import is_hook_reason, needs_answer
from gnomon.rules.engine.lifecycle.run_lifecycle import active_runs_limit
from gnomon.rules.engine.lifecycle.tallies import find_tally
from gnomon.rules.engine.lifecycle.task_lifecycle import compute_verdict
from gnomon.rules.engine.state.edge_waits import describe_upstream_waits
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import Dag, DagRun, TaskInstance
from gnomon.rules.planning.policies import compute_creation_time


def collect_dag_reasons(engine_state: EngineState, dag_pk: int, now: Instant) -> list[str]:
    """Why the DAG has no running or planned run; [] when nothing in memory holds it back, and for a deleted DAG, whose schedule plans no run."""
    dag = engine_state.dags.get(dag_pk)
    if dag is None:
        return ["no scheduler has this DAG in memory"]
    record, spec = dag.record, dag.graph.spec
    if not record.active:
        return []
    sentences = []
    if record.error:
        sentences.append(f"planning stopped: {record.error}")
    if not spec.timetable.can_be_scheduled:
        origin = "by hand only" if spec.asset_condition is None else "by asset events, and by hand"
        sentences.append(f"its schedule is {spec.timetable.summary or 'None'}: runs are made {origin}")
    elif record.next_run is not None:
        due = compute_creation_time(spec, record.next_run)
        moved = f", and made at {iso(due)} because of jitter" if due != record.next_run.run_after else ""
        sentences.append(
            f"the next run is due at {iso(record.next_run.run_after)}{moved}"
            + (", which is past" if due <= now else "")
        )
        unfinished = sum(run.backfill is None for run in dag.runs.values())
        if due <= now and unfinished >= active_runs_limit(dag):
            sentences.append(
                f"max_active_runs={active_runs_limit(dag)} is reached by {unfinished} unfinished run{'s' if unfinished != 1 else ''}"
            )
    elif record.fingerprint is None and not record.error:
        sentences.append(
            "its first run is not planned yet" + ("; that happens once it is unpaused" if record.paused else "")
        )
    elif not record.error:
        sentences.append("its timetable has no further run" + _describe_end(dag))
    for queue in dag.backfills.values():
        wait = queue.describe_wait()
        if wait is not None and not queue.record.is_ended:
            sentences.append(f"no run of its backfill starts: {wait}")
        if queue.record.error is not None and not queue.record.is_ended:
            sentences.append(f"backfill {queue.record.backfill_pk} found no further slots: {queue.record.error}")
    return sentences


def _describe_end(dag: Dag) -> str:
    end = dag.graph.spec.end_at
    return f" (end_date {iso(end)})" if end is not None else ""


def collect_run_reasons(
    engine_state: EngineState, run_pk: int, now: Instant, *, only_waiting: bool = False
) -> list[str]:
    """Why the run is unfinished: why it is queued, or one sentence for each unfinished task. [] when it is not in memory.

    `only_waiting`: without the task instances that are with a worker, and without those that wait for others of the run that go on.
    """
    run = engine_state.runs.get(run_pk)
    if run is None:
        return []
    dag = run.dag
    if run.record.state is DagRunState.QUEUED:
        return [describe_queued_run(dag, run, now)]
    stop = None if only_waiting else describe_stop(run)
    sentences = [] if stop is None else [stop]
    obstacles: PoolObstacles = {}
    goes_on = only_waiting and any(
        ti.state is not None and ti.state not in FINISHED_TASK_STATES
        for instances in run.task_instances
        for ti in instances.values()
    )
    for instances in run.task_instances:
        waiting = []
        for ti in instances.values():
            if (
                ti.state in FINISHED_TASK_STATES
                or (only_waiting and ti.state in _LIVE_SENTENCES)
                or (goes_on and ti.state is None)
            ):
                continue
            why = find_wait_reason(engine_state, ti, now, obstacles)
            if why is not None:
                waiting.append((ti, why))
        if waiting:
            sentences += _join_equal_reasons(waiting)
    return sentences


def describe_stop(run: DagRun) -> str | None:
    """How the run ends that was ended from outside and is still torn down; None for any other run."""
    stop = parse_run_stop(run.record.reason)
    return None if stop is None else f"{stop.reason}: it ends as {stop.state} when its teardowns have ended"


def _join_equal_reasons(waiting: list[tuple[TaskInstance, str]]) -> list[str]:
    """A sentence for each instance of a task, or one for several with the same reason: a mapped task may have thousands."""
    by_reason: dict[str, list[TaskInstance]] = {}
    for ti, why in waiting:
        by_reason.setdefault(why, []).append(ti)
    sentences = []
    for why, instances in by_reason.items():
        if len(instances) == 1:
            sentences.append(f"{instances[0].name()}: {why}")
        else:
            indices = format_map_indices([ti.map_index for ti in instances])
            sentences.append(f"{instances[0].task.task_id}[{indices}] ({len(instances)} instances): {why}")
    return sentences


def describe_queued_run(dag: Dag, run: DagRun, now: Instant) -> str:
    """Why the queued run does not start: `queued: ...`."""
    if dag.hold_reason is not None:
        return f"queued: {dag.hold_reason}"
    if run.pk in dag.runs_waiting_upstream:
        return f"queued: it {describe_upstream_waits(run.edges.values()) or 'is about to find out what it waits for in other DAGs'}"
    if run.record.run_after > now:
        return f"queued: it may start at {iso(run.record.run_after)}"
    if run.backfill is not None:
        return f"queued: {run.backfill.describe_wait() or _WAITS_FOR_TURN.format(run.backfill.record.backfill_pk)}"
    if dag.running_count >= active_runs_limit(dag):
        return f"queued: max_active_runs={active_runs_limit(dag)} is reached by {dag.running_count} running run{'s' if dag.running_count != 1 else ''}"
    return "queued: it starts with the scheduler's next step"


_WAITS_FOR_TURN = "backfill {} starts it when the earlier runs of the backfill have started"


def collect_task_reasons(
    engine_state: EngineState, run_pk: int, task_id: str, map_index: int, now: Instant
) -> list[str]:
    """Why the task instance is unfinished, in one sentence; [] when it is finished or the run is not in memory."""
    run = engine_state.runs.get(run_pk)
    if run is None:
        return []
    index = run.graph.index_of.get(task_id)
    ti = run.find_task_instance(index, map_index) if index is not None else None
    if ti is None and index is not None and index in run.expansions:
        count = run.expansions[index].count
        return [
            f"task {task_id} is expanded to {count} instances in this run: ask for one of them with --map-index 0 to {count - 1}"
        ]
    if ti is None:
        return [
            f"task {task_id} has no instance in this run"
            + (f" with map index {map_index}" if map_index != UNMAPPED else "")
        ]
    if run.record.state is DagRunState.QUEUED and ti.state is None:
        return [f"its run is {describe_queued_run(run.dag, run, now)}"]
    why = find_wait_reason(engine_state, ti, now)
    return [why] if why is not None else []


def find_wait_reason(
    engine_state: EngineState, ti: TaskInstance, now: Instant, obstacles: PoolObstacles | None = None
) -> str | None:
    """One sentence for an unfinished task instance, None for a finished one."""
    if ti.state in _LIVE_SENTENCES:
        return _describe_attempt(engine_state, ti, ti.state)
    if ti.state in WITHOUT_PROCESS_STATES and ti.deferral is not None and not ti.is_resumption:
        return _describe_deferral(ti, ti.deferral)
    if ti.state in (S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE) and ti.resume_at is not None and ti.resume_at > now:
        subject = "the next try is" if ti.state is S.UP_FOR_RETRY else "the sensor is called again"
        return f"{subject} at {iso(ti.resume_at)}" + (f"; the last one ended: {ti.reason}" if ti.reason else "")
    if ti.state in (None, S.SCHEDULED, S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE, *WITHOUT_PROCESS_STATES):
        if ti.state is None and not ti.is_queued:
            return _describe_rule_wait(ti)
        if needs_answer(ti):
            return _describe_hook_wait(ti)
        return _describe_admission_wait(engine_state, ti, {} if obstacles is None else obstacles)
    return None


def _describe_deferral(ti: TaskInstance, deferral: DeferralRecord) -> str:
    """The trigger or the instant that the deferral waits for, since when, and its timeout."""
    if deferral.request.hitl is not None:
        return _describe_question_wait(ti, deferral, deferral.request.hitl)
    since = f"deferred since {iso(deferral.created_at)}"
    limits = [at for at in (deferral.timeout_at, compute_deadline(ti)) if at is not None]
    timeout = f"; it fails at {iso(min(limits))} if no event comes before" if limits else ""
    if deferral.due_at is None:
        return f"{since}: it waits for an event of {deferral.request.classpath}{timeout}"
    held = f", which is held up: {ti.run.dag.hold_reason}" if ti.run.dag.hold_reason is not None else ""
    return f"{since}: it waits until {iso(deferral.due_at)}{held}{timeout}"


def _describe_question_wait(ti: TaskInstance, deferral: DeferralRecord, question: HITLRequest) -> str:
    """The question, who may answer, how, and what happens without an answer."""
    dag_id, run_id = ti.run.dag.record.dag_id, ti.run.record.run_id
    index = f"--map-index {ti.map_index} " if ti.map_index != UNMAPPED else ""
    users = (
        f"; only {', '.join(user.name for user in question.assigned_users)} may answer"
        if question.assigned_users
        else ""
    )
    until = ""
    if ti.resume_at is not None:
        then = (
            f"takes {' and '.join(question.defaults)}"
            if question.defaults is not None
            else "is told that nobody answered"
        )
        held = f", when it is no longer held up: {ti.run.dag.hold_reason}" if ti.run.dag.hold_reason is not None else ""
        until = f"; without an answer it {then} at {iso(ti.resume_at)}{held}"
    return (
        f"since {iso(deferral.created_at)} it waits for a person to answer: {question.subject} ({' | '.join(question.options)}){users}{until}; "
        f"answer with: gnomon tasks answer {quote_arguments(dag_id, run_id, ti.task.task_id, options=f'{index}--option {shlex.quote(question.options[0])}')}"
    )


_LIVE_SENTENCES = {
    S.QUEUED: "try {n} was submitted to worker {worker} and has not begun",
    S.RUNNING: "try {n} is running on worker {worker}",
    S.RESTARTING: "try {n} is being stopped on worker {worker}, because it was cleared",
}


def _describe_attempt(engine_state: EngineState, ti: TaskInstance, state: S) -> str:
    worker = engine_state.claims.get(ti.attempt or "")
    if ti.worker not in EXECUTOR_CLASSES or worker is not None:
        return _LIVE_SENTENCES[state].format(n=ti.try_number, worker=worker or ti.worker)
    if state is S.QUEUED and ti.worker == KUBERNETES_EXECUTOR:
        return f"try {ti.try_number} was submitted to the {ti.worker} and waits for its pod"
    if state is S.QUEUED:
        message = (
            engine_state.message_waits.get(ti.attempt or "")
            or f"start one with: gnomon celery worker -q {shlex.quote(ti.queue)}"
        )
        return f"try {ti.try_number} was submitted to the {ti.worker} and waits for a worker of queue {ti.queue}; {message}"
    return (
        _LIVE_SENTENCES[state].format(n=ti.try_number, worker=f"of the {ti.worker}").replace("on worker", "on a worker")
    )


def _describe_rule_wait(ti: TaskInstance) -> str:
    verdict = compute_verdict(ti)
    if verdict.outcome is not RuleOutcome.WAIT:
        return "its rules are evaluated in the scheduler's next step"
    if verdict.reason:
        return verdict.reason
    open_upstream = [
        f"{other.name()} ({other.state or 'no status'})"
        for other in itertools.islice(list_open_upstream(ti), _MAX_LISTED + 1)
    ]
    return describe_rule_wait(ti.task.trigger_rule, find_tally(ti)) + (
        f"; open: {', '.join(open_upstream[:_MAX_LISTED])}" + (" ..." if len(open_upstream) > _MAX_LISTED else "")
        if open_upstream
        else ""
    )


def _describe_hook_wait(ti: TaskInstance) -> str:
    """What `task_instance_mutation_hook` has not said yet, or why it cannot be asked."""
    if is_hook_reason(ti.reason):
        return ti.reason or ""
    return "task_instance_mutation_hook of the cluster policies is asked for its queue and its pool; that takes as long as the policy takes"


def _describe_admission_wait(engine_state: EngineState, ti: TaskInstance, obstacles: PoolObstacles) -> str:
    unmet = (
        condition.text
        for condition in iterate_admission_conditions(engine_state, ti, obstacles)
        if not condition.is_met
    )
    return next(unmet, "it starts with the scheduler's next step")


_MAX_LISTED = 5
