"""The condition of a task instance that is with a worker, is deferred, or waits for the time of its next call."""

from __future__ import annotations

from gnomon.model.executors import CELERY_EXECUTOR, EXECUTOR_CLASSES, KUBERNETES_EXECUTOR
from gnomon.model.hitl import HITLRequest
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.records import DeferralRecord
from gnomon.model.sentences import Command, Sentence, say
from gnomon.model.states import TaskInstanceState as S
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget, WaitCondition
from gnomon.rules.engine.conditions.admission_conditions import describe_hold
from gnomon.rules.engine.lifecycle.deferrals import compute_deadline
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import TaskInstance

_ON_WORKER = {S.QUEUED: "try_was_submitted", S.RUNNING: "try_runs", S.RESTARTING: "try_is_stopped"}
_ON_EXECUTOR = {
    S.QUEUED: "try_waits_in_executor",
    S.RUNNING: "try_runs_by_executor",
    S.RESTARTING: "try_is_stopped_by_executor",
}
WITH_WORKER_STATES = frozenset(_ON_WORKER)


def target(act: ReleaseAct, ti: TaskInstance) -> ReleaseTarget:
    """The act on this instance."""
    return ReleaseTarget(act, ti.run.dag.record.dag_id, ti.run.record.run_id, ti.task.task_id, ti.map_index)


def check_attempt(engine_state: EngineState, ti: TaskInstance, state: S) -> WaitCondition:
    """The condition of an instance that is with a worker: it waits for its own end."""
    sentence = _describe_attempt(engine_state, ti, state)
    return WaitCondition("attempt", False, sentence, ti.started_at, target(ReleaseAct.MARK_TASK, ti))


def _describe_attempt(engine_state: EngineState, ti: TaskInstance, state: S) -> Sentence:
    worker = engine_state.claims.get(ti.attempt or "")
    if ti.worker not in EXECUTOR_CLASSES or worker is not None:
        return say(_ON_WORKER[state], try_number=ti.try_number, worker=worker or ti.worker)
    if state is S.QUEUED and ti.worker == CELERY_EXECUTOR:
        return _describe_queue_wait(engine_state, ti)
    if state is S.QUEUED and ti.worker == KUBERNETES_EXECUTOR:
        return say("try_waits_for_pod", try_number=ti.try_number, executor=ti.worker)
    return say(_ON_EXECUTOR[state], try_number=ti.try_number, executor=ti.worker)


def _describe_queue_wait(engine_state: EngineState, ti: TaskInstance) -> Sentence:
    start = say("start_celery_worker", command=Command("celery worker", (), ("-q", ti.queue)))
    message = engine_state.message_waits.get(ti.attempt or "", start)
    return say("try_waits_for_queue", try_number=ti.try_number, executor=ti.worker, queue=ti.queue, workers=message)


def check_next_call(ti: TaskInstance, at: Instant) -> WaitCondition:
    """The condition of an instance whose next try, or next call of its sensor, has a time."""
    code = "next_try_is_due" if ti.state is S.UP_FOR_RETRY else "sensor_is_called_again"
    last = say("last_try_ended", reason=ti.reason) if ti.reason else None
    return WaitCondition(
        "retry_time", False, say(code, at=at, last=last), ti.ended_at, target(ReleaseAct.CLEAR_TASK, ti)
    )


def check_deferral(ti: TaskInstance, deferral: DeferralRecord) -> WaitCondition:
    """The condition of a deferred instance: the answer of a person, an event of its trigger, or an instant."""
    question, since = deferral.request.hitl, deferral.created_at
    if question is not None:
        question_text = _describe_question(ti, since, question)
        longer = say("answer_with", question=question_text, command=_build_answer_command(ti, question))
        return WaitCondition("answer", False, question_text, since, target(ReleaseAct.ANSWER, ti), longer=longer)
    limits = [at for at in (deferral.timeout_at, compute_deadline(ti)) if at is not None]
    timeout = say("fails_without_event", at=min(limits)) if limits else None
    release = target(ReleaseAct.MARK_TASK, ti)
    if deferral.due_at is None:
        waits = say("waits_for_event", since=since, trigger=deferral.request.classpath, timeout=timeout)
        return WaitCondition("trigger", False, waits, since, release)
    waits = say(
        "waits_until", since=since, until=deferral.due_at, held=_describe_held(ti, "is_held_up"), timeout=timeout
    )
    return WaitCondition("timer", False, waits, since, release)


def _describe_held(ti: TaskInstance, code: str) -> Sentence | None:
    return None if ti.run.dag.hold_reason is None else say(code, why=describe_hold(ti.run.dag))


def _describe_question(ti: TaskInstance, since: Instant, question: HITLRequest) -> Sentence:
    """The question, who may answer, and what happens without an answer."""
    names = ", ".join(user.name for user in question.assigned_users)
    return say(
        "waits_for_answer",
        since=since,
        subject_text=question.subject,
        options=" | ".join(question.options),
        users=say("only_they_may_answer", names=names) if names else None,
        timeout=None if ti.resume_at is None else _describe_timeout(ti, ti.resume_at, question),
    )


def _describe_timeout(ti: TaskInstance, at: Instant, question: HITLRequest) -> Sentence:
    held_up = _describe_held(ti, "when_no_longer_held_up")
    if question.defaults is None:
        return say("ends_without_answer", at=at, held=held_up)
    return say("takes_defaults_without_answer", defaults=" and ".join(question.defaults), at=at, held=held_up)


def _build_answer_command(ti: TaskInstance, question: HITLRequest) -> Command:
    index = ("--map-index", str(ti.map_index)) if ti.map_index != UNMAPPED else ()
    names = (ti.run.dag.record.dag_id, ti.run.record.run_id, ti.task.task_id)
    return Command("tasks answer", names, (*index, "--option", question.options[0]))
