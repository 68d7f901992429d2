"""The questions to `task_instance_mutation_hook` of the cluster policies, and what its answers change.

A task instance is asked about when it is ready for a new try: that is where the creation of a run, an expansion, a clear and
a retry meet, and Airflow too calls the hook for each of them. Until the answer is applied, the instance waits in
QueueState.HOOK; its row is `scheduled`, so a take-over makes it ready again and asks again. An answer belongs to one question
(`TaskInstance.question_number`): what removes the instance from the queue voids it. An attempt that continues a try, after a
deferral, a reschedule or a loss before author code, keeps the answer of the try.
"""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.attempts import InstanceOverrides
from gnomon.model.instance_mutation import MutationInstance, MutationQuestion, MutationTask
from gnomon.model.instants import SECOND
from gnomon.model.sentences import list_literals, render, say
from gnomon.model.spec import TaskSpec
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.engine.events import InstancesMutated
from gnomon.rules.engine.state.queue_moves import dequeue, move_in_queue
from gnomon.rules.engine.state.queue_state import QueueCause, QueueState
from gnomon.rules.engine.state.run_facts import describe_run
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance
from gnomon.rules.engine.step_context import StepContext

RETRY_S = 60
"""Seconds until a hook that failed is asked again; a parsed file and a changed pool come before."""
_REASON = list_literals("hook_has_no_answer")[0]


def needs_answer(ti: TaskInstance) -> bool:
    """True when the hook must be asked before the next attempt of the instance."""
    if not ti.run.graph.spec.mutates_instances or continues_try(ti):
        return False
    return ti.overrides is None or ti.overrides.try_number != ti.try_number


def continues_try(ti: TaskInstance) -> bool:
    """True when the next attempt belongs to the try of the last one."""
    return ti.is_resumption or ti.state is S.UP_FOR_RESCHEDULE


def await_answer(context: StepContext, ti: TaskInstance) -> None:
    """Queue a ready instance until the hook has answered; the question is part of the result of this step."""
    ti.question_number = 0
    move_in_queue(ti, QueueCause.HOOK_NEEDED)
    context.newly_ready[ti] = None
    context.unasked_instances[ti] = None


def build_questions(context: StepContext) -> list[MutationQuestion]:
    """One question for each run with instances that are to be asked about."""
    by_run: dict[DagRun, list[TaskInstance]] = {}
    for ti in context.unasked_instances:
        if ti.queue_state is QueueState.HOOK and ti.question_number == 0:
            by_run.setdefault(ti.run, []).append(ti)
    context.unasked_instances = {}
    return [_build_question(context, run, instances) for run, instances in by_run.items()]


def _build_question(context: StepContext, run: DagRun, instances: Iterable[TaskInstance]) -> MutationQuestion:
    context.engine_state.last_question_number += 1
    number = context.engine_state.last_question_number
    places: dict[int, int] = {}
    mutation_instances = []
    for ti in instances:
        ti.question_number = number
        mutation_instances.append(
            MutationInstance(places.setdefault(ti.index, len(places)), ti.map_index, ti.try_number, ti.max_tries)
        )
    tasks = tuple(_describe_task(run.graph.tasks[index]) for index in places)
    return MutationQuestion(
        number=number,
        run=describe_run(run.dag.record.dag_id, run.record),
        tasks=tasks,
        instances=tuple(mutation_instances),
    )


def _describe_task(task: TaskSpec) -> MutationTask:
    return MutationTask(
        task_id=task.task_id,
        operator=task.operator,
        owner=task.owner,
        queue=task.queue,
        pool=task.pool,
        pool_slots=task.pool_slots,
        executor=task.executor,
        priority_weight=task.effective_priority,
        retries=task.retries,
        trigger_rule=task.trigger_rule,
    )


def apply_answers(context: StepContext, event: InstancesMutated) -> list[TaskInstance]:
    """Apply the answers to the instances that still wait for them; returns those that are ready to be queued for admission.

    An instance without an answer keeps waiting, with the error as its reason, and the hook is asked again after RETRY_S.
    """
    question = event.question
    run = context.engine_state.runs.get(question.run.run_pk)
    if run is None:
        return []
    context.current_dag = run.dag
    answered = []
    for instance, answer in zip(question.instances, event.answers, strict=False):
        index = run.graph.index_of.get(question.tasks[instance.task].task_id)
        ti = None if index is None else run.find_task_instance(index, instance.map_index)
        if ti is None or ti.queue_state is not QueueState.HOOK or ti.question_number != question.number:
            continue
        ti.question_number = 0
        context.mark_dirty(ti)
        if not isinstance(answer, str) and (fault := _find_unknown_executor(context, answer)) is not None:
            answer = fault
        if isinstance(answer, str):
            ti.reason = render(say("hook_has_no_answer", reason=answer, duration=RETRY_S))
            _set_retry_timer(context, run)
            continue
        dequeue(ti)
        ti.reason = None if is_hook_reason(ti.reason) else ti.reason
        ti.set_overrides(answer)
        answered.append(ti)
    return answered


def _find_unknown_executor(context: StepContext, answer: InstanceOverrides) -> str | None:
    executors = context.engine_state.limits.executors
    if executors is None or executors.find(answer.executor) is not None:
        return None
    return render(say("hook_has_fault", fault=executors.describe_unknown(answer.executor or "")))


def is_hook_reason(reason: str | None) -> bool:
    """True for the reason of an instance whose question failed."""
    return reason is not None and reason.startswith(_REASON)


def _set_retry_timer(context: StepContext, run: DagRun) -> None:
    if run.hook_retry_at is None:
        run.hook_retry_at = context.now + RETRY_S * SECOND
        context.engine_state.set_timer(run.hook_retry_at, run)


def ask_again_if_due(context: StepContext, run: DagRun) -> None:
    """A timer of the run fired: ask about its instances whose question failed, if their time has come."""
    if run.hook_retry_at is not None and run.hook_retry_at <= context.now:
        ask_again(context, run)


def ask_again(context: StepContext, run: DagRun) -> None:
    """Ask about the instances of the run whose question failed."""
    if run.hook_retry_at is None:
        return
    run.hook_retry_at = None
    context.unasked_instances.update((ti, None) for ti in run.hook_queue if ti.question_number == 0)


def void_answer(context: StepContext, ti: TaskInstance) -> None:
    """Forget the answer for a try that has not begun: the DAG has another version, so the hook is asked again."""
    if (
        ti.overrides is not None
        and ti.overrides.try_number == ti.try_number
        and ti.attempt is None
        and not continues_try(ti)
    ):
        ti.set_overrides(None)
        context.mark_dirty(ti)


def drop_outdated_answer(context: StepContext, ti: TaskInstance) -> None:
    """No cluster policy has the hook any more: a new try has the values of its task."""
    if ti.overrides is not None and ti.overrides.try_number != ti.try_number and not continues_try(ti):
        ti.set_overrides(None)
        context.mark_dirty(ti)
