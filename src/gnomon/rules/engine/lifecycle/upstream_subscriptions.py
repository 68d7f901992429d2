"""Subscriptions to the slots of a DAG: the side of the upstream DAG's owner (CROSS_DAG in docs/contributing/ownership.md).

One thread answers each subscription and ends each run, so no update is lost: a subscription from before the end gets its
update at the end, a subscription from after it gets its update at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, NewMail
from gnomon.model.run_waits import (
    KEEP_AFTER_ABSENT,
    KEEP_AFTER_BAD,
    NO_SLOT,
    RunWait,
    SlotFact,
    SlotOutcome,
    SubscriptionMessage,
    UpstreamUpdate,
    missing_dag_note,
)
from gnomon.model.sentences import render, say
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES, GOOD_TASK_STATES, DagRunState
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.engine.state.subscriptions import DagSubscriptions, SlotSubscriptions, Subscription
from gnomon.rules.engine.state.task_instance import Dag, DagRun, TaskInstance
from gnomon.rules.engine.step_context import StepContext


def subscribe(context: StepContext, message: SubscriptionMessage, facts: Iterable[SlotFact]) -> None:
    """Send an update for each slot that has an outcome, and keep the subscription for the others.

    `message.over` ends the subscription instead. `facts`: the outcomes of the slots in the store.
    """
    if message.over:
        for at in message.slots:
            _remove_subscription(context, message.up_dag, at, (message.down_run, message.edge_no))
        return
    if message.down_group in context.engine_state.epochs and not _is_current(context, message):
        return
    subscription = Subscription(message.down_run, message.edge_no, message.down_group, message.task_id, message.keeps)
    dag = context.engine_state.find_dag(message.up_dag)
    for fact in facts:
        current = _slot_fact(dag, fact, message.task_id)
        if current.outcome == "open" and dag is not None and _is_of_older_version(dag, message, fact.at):
            current = SlotFact(fact.at, "changed")
        _notify_or_keep(context, message.up_dag, subscription, current)


def _is_of_older_version(dag: Dag, message: SubscriptionMessage, at: Instant) -> bool:
    """True for a future slot that was computed from an older version of the DAG: the subscriber does not know the change."""
    return 0 < message.version < dag.record.version_pk and at not in dag.by_slot


def _is_current(context: StepContext, message: SubscriptionMessage) -> bool:
    """False for a run of this owner that ended, or lost the edge, in the step that applies its subscription."""
    run = context.engine_state.runs.get(message.down_run)
    return run is not None and message.edge_no in run.edges


def unsubscribe(context: StepContext, waits: Iterable[RunWait]) -> None:
    """End the subscriptions of those waits that are open, at the owners of their upstream DAGs."""
    by_edge: dict[tuple[int, int, str], list[RunWait]] = {}
    for wait in waits:
        if wait.state.is_open:
            by_edge.setdefault((wait.down_run, wait.edge_no, wait.up_dag), []).append(wait)
    for (down_run, edge_no, up_dag), edge_waits in by_edge.items():
        slots = tuple(wait.up_at for wait in edge_waits)
        message = SubscriptionMessage(up_dag, slots, down_run, edge_waits[0].down_group, edge_no, over=True)
        if edge_waits[0].up_group in context.engine_state.epochs:
            subscribe(context, message, ())
        else:
            send_subscription(context, edge_waits[0].up_group, message)


def send_subscription(context: StepContext, up_group: int, message: SubscriptionMessage) -> None:
    """Send the message to the owner of that group, in the transaction of this step."""
    body = msgspec.json.encode(message).decode()
    context.changes.mail_sent.append(NewMail(up_group, "wait_registered", body, at=context.now))


def notify_run_created(context: StepContext, run: DagRun) -> None:
    """A run was created for its slot: if no file defines its DAG any more, subscribers learn that it cannot end for now."""
    if not run.dag.record.active:
        notify_slot(context, run, None)


def notify_run_ended(context: StepContext, run: DagRun) -> None:
    """Send the outcome of the run; subscriptions with KEEP_AFTER_BAD stay after a failure."""
    notify_slot(context, run, None)


def notify_task_ended(context: StepContext, ti: TaskInstance) -> None:
    """Send the outcome of the task to subscriptions of this task alone, if it was the last of its instances."""
    expansion = ti.run.expansions.get(ti.index)
    if expansion is not None and not expansion.own.all_done():
        return
    notify_slot(context, ti.run, ti.task.task_id)


def notify_slot(context: StepContext, run: DagRun, task_id: str | None) -> None:
    """Send the outcome to the subscriptions of this task of the run; `task_id` None: to all subscriptions of the run."""
    subscriptions = _subscriptions_of(context, run)
    if not subscriptions:
        return
    assert run.record.slot_at is not None
    for subscription in list(subscriptions.values()):
        if task_id is None or subscription.task_id == task_id:
            fact = _run_fact(run, run.record.slot_at, subscription.task_id)
            if fact.outcome != "open":
                _notify_or_keep(context, run.dag.record.dag_id, subscription, fact)


def notify_run_cleared(context: StepContext, run: DagRun, waited_for: Iterable[SubscriptionMessage]) -> None:
    """Tasks of the run were cleared: subscribers that have not started wait again. `waited_for`: their subscriptions."""
    slot = run.record.slot_at
    if slot is None:
        return
    for message in waited_for:
        if _run_outcome_fact(run, slot, message.task_id).outcome == "open":
            _notify_again(
                context,
                run,
                Subscription(message.down_run, message.edge_no, message.down_group, message.task_id, message.keeps),
            )


def notify_run_deleted(context: StepContext, run: DagRun) -> None:
    """The run is deleted: its slot is absent."""
    for subscription in list((_subscriptions_of(context, run) or {}).values()):
        assert run.record.slot_at is not None
        _notify_or_keep(
            context,
            run.dag.record.dag_id,
            subscription,
            SlotFact(run.record.slot_at, "absent", note=render(say("that_run_was_deleted", run=run.record.run_id))),
        )


def notify_cursor_moved(
    context: StepContext, dag: Dag, before: Instant | None, upto: Instant, facts: Iterable[SlotFact]
) -> None:
    """Slots after `before` and up to `upto` without a run are absent. `facts`: the outcomes in the store of slots with subscriptions."""
    facts_by_slot = {fact.at: fact for fact in facts}
    by_slot = context.engine_state.subscriptions.get(dag.record.dag_id, {})
    for at in [at for at in by_slot if at != NO_SLOT and (before is None or before < at) and at <= upto]:
        fact = facts_by_slot.get(at) or SlotFact(at, "absent")
        for subscription in list(by_slot[at].values()):
            _notify_or_keep(context, dag.record.dag_id, subscription, _slot_fact(dag, fact, subscription.task_id))


def notify_dag_changed(context: StepContext, dag: Dag, before: DagRecord | None) -> None:
    """Notify subscribers of future slots when the DAG is new, has another schedule, left its file or returned.

    `before`: the record before the change. None: unknown, because the owner loaded the DAG with the change before the mail
    about the change arrived.
    """
    record = dag.record
    by_slot = context.engine_state.subscriptions.get(record.dag_id)
    if not by_slot:
        return
    if not record.active:
        if before is None or before.active:
            for at, subscription in _subscriptions_without_run(dag, by_slot):
                _notify_or_keep(
                    context, record.dag_id, subscription, SlotFact(at, "bad", note=missing_dag_note(record.dag_id))
                )
            _notify_unfinished_runs(context, dag, by_slot)
        return
    if before is None or not before.active or _schedule_of(before) != _schedule_of(record):
        for at, subscription in _subscriptions_without_run(dag, by_slot):
            _notify_or_keep(context, record.dag_id, subscription, SlotFact(at, "changed"))
    if before is None or not before.active:
        _notify_unfinished_runs(context, dag, by_slot)


def _notify_unfinished_runs(context: StepContext, dag: Dag, by_slot: DagSubscriptions) -> None:
    """Notify the subscribers of unfinished runs, which can end again or cannot end for now."""
    for at in [at for at in by_slot if at in dag.by_slot]:
        for subscription in list(by_slot[at].values()):
            if _run_outcome_fact(dag.by_slot[at], at, subscription.task_id).outcome == "open":
                _notify_again(context, dag.by_slot[at], subscription)


def _notify_again(context: StepContext, run: DagRun, subscription: Subscription) -> None:
    """Send an update that the slot is open again, or that its run cannot end for now."""
    assert run.record.slot_at is not None
    fact = _run_fact(run, run.record.slot_at, subscription.task_id)
    if fact.outcome == "open":
        _send_update(context, subscription, fact)
    _notify_or_keep(context, run.dag.record.dag_id, subscription, fact)


def notify_dag_deleted(context: StepContext, dag_id: str) -> None:
    """The DAG was deleted: its subscribers resolve their edges again."""
    for at, subscriptions in list(context.engine_state.subscriptions.get(dag_id, {}).items()):
        for subscription in list(subscriptions.values()):
            _notify_or_keep(context, dag_id, subscription, SlotFact(at, "changed"))


def _subscriptions_without_run(dag: Dag, by_slot: DagSubscriptions) -> list[tuple[Instant, Subscription]]:
    """Subscriptions to slots that have no run yet, and to the DAG itself."""
    cursor = dag.record.cursor
    planned_until = None if cursor is None else cursor.run_after
    return [
        (at, subscription)
        for at, subscriptions in by_slot.items()
        if at == NO_SLOT or (at not in dag.by_slot and (planned_until is None or at > planned_until))
        for subscription in subscriptions.values()
    ]


def _schedule_of(record: DagRecord) -> tuple[object, ...]:
    spec = record.spec
    return spec.timetable, spec.start_at, spec.end_at, spec.timezone


def _subscriptions_of(context: StepContext, run: DagRun) -> SlotSubscriptions | None:
    by_slot = context.engine_state.subscriptions.get(run.dag.record.dag_id)
    slot = run.record.slot_at
    return None if by_slot is None or slot is None else by_slot.get(slot)


def _slot_fact(dag: Dag | None, fact: SlotFact, task_id: str | None) -> SlotFact:
    """The present fact of the slot: from the run in memory if there is one, else `fact` of the store."""
    if fact.at == NO_SLOT:
        return SlotFact(NO_SLOT, "changed" if dag is not None and dag.record.active else "open")
    run = dag.by_slot.get(fact.at) if dag is not None else None
    return fact if run is None else _run_fact(run, fact.at, task_id)


def _run_fact(run: DagRun, at: Instant, task_id: str | None) -> SlotFact:
    """The fact of a slot whose run is in memory; bad for an unfinished run of a DAG that no file defines any more."""
    fact = _run_outcome_fact(run, at, task_id)
    if fact.outcome == "open" and not run.dag.record.active:
        return SlotFact(at, "bad", fact.clear_number, missing_dag_note(run.dag.record.dag_id))
    return fact


def _run_outcome_fact(run: DagRun, at: Instant, task_id: str | None) -> SlotFact:
    """The outcome of the run, or of its task `task_id`; open while it is unfinished."""
    record = run.record
    if task_id is not None:
        return _task_fact(run, at, task_id)
    if record.state not in FINISHED_RUN_STATES:
        return SlotFact(at, "open", record.clear_number)
    outcome: SlotOutcome = "ok" if record.state is DagRunState.SUCCESS else "bad"
    return SlotFact(at, outcome, record.clear_number, _tell_of_run(record.run_id, outcome))


def _task_fact(run: DagRun, at: Instant, task_id: str) -> SlotFact:
    """The outcome of a task: open until all its instances are finished; bad if the run ended without the task."""
    record = run.record
    index = run.graph.index_of.get(task_id)
    states = [] if index is None else list(_list_states(run, index))
    if len(states) > 1:  # instances that a shorter expansion removed do not count
        states = [state for state in states if state is not S.REMOVED]
    ended = record.state in FINISHED_RUN_STATES
    if not ended and (index is None or not states or any(state not in FINISHED_TASK_STATES for state in states)):
        return SlotFact(at, "open", record.clear_number)
    if not states or any(state is None for state in states):
        lacking = render(say("that_run_lacked_task", run=record.run_id, task_id=task_id))
        return SlotFact(at, "bad", record.clear_number, lacking)
    outcome: SlotOutcome = "ok" if all(state in GOOD_TASK_STATES for state in states) else "bad"
    code = "that_task_succeeded" if outcome == "ok" else "that_task_failed"
    return SlotFact(at, outcome, record.clear_number, render(say(code, task_id=task_id, run=record.run_id)))


def _list_states(run: DagRun, index: int) -> Iterator[S | None]:
    if run.follower is not None:
        yield run.follower.get_state(index)
        return
    for ti in run.task_instances[index].values():
        yield ti.state


def _tell_of_run(run_id: str, outcome: SlotOutcome) -> str:
    return render(say("that_run_succeeded" if outcome == "ok" else "that_run_failed", run=run_id))


def _notify_or_keep(context: StepContext, dag_id: str, subscription: Subscription, fact: SlotFact) -> None:
    """Send the outcome, if there is one; keep the subscription if further outcomes of the slot can follow and it wants them."""
    if fact.outcome != "open":
        _send_update(context, subscription, fact)
    by_slot = context.engine_state.subscriptions
    key = (subscription.down_run, subscription.edge_no)
    if fact.outcome == "open" or subscription.keeps & _KEEP_FLAGS.get(fact.outcome, 0):
        by_slot.setdefault(dag_id, {}).setdefault(fact.at, {})[key] = subscription
    else:
        _remove_subscription(context, dag_id, fact.at, key)


def _remove_subscription(context: StepContext, dag_id: str, at: Instant, key: tuple[int, int]) -> None:
    slots = context.engine_state.subscriptions.get(dag_id)
    subscriptions = None if slots is None else slots.get(at)
    if slots is None or subscriptions is None or subscriptions.pop(key, None) is None:
        return
    if not subscriptions:
        del slots[at]
    if not slots:
        del context.engine_state.subscriptions[dag_id]


def _send_update(context: StepContext, subscription: Subscription, fact: SlotFact) -> None:
    """Add the update to this step for a run of this owner, to the outbox for any other run."""
    update = UpstreamUpdate(subscription.down_run, subscription.edge_no, fact)
    if subscription.down_group in context.engine_state.epochs:
        context.updates.append(update)
    else:
        context.outbox.setdefault(subscription.down_group, []).append(update)


_KEEP_FLAGS: dict[SlotOutcome, int] = {"bad": KEEP_AFTER_BAD, "absent": KEEP_AFTER_ABSENT}
