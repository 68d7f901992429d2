"""Who waits for the slots of a DAG: the half of the upstream's owner (OWNERSHIP.md lines 32 and 33).

One thread answers each question and ends each run, so that no wake-up is lost: whoever asks before the end is told at the
end, whoever asks after it is told at once.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gnomon.engine.state.subscriptions import DagSubscriptions, SlotSubscriptions, Subscription
from gnomon.engine.state.task_instance import Dag, DagRun, TaskInstance
from gnomon.engine.step_context import StepContext
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
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES, DagRunState
from gnomon.model.states import TaskInstanceState as S


def subscribe(context: StepContext, message: SubscriptionMessage, facts: Iterable[SlotFact]) -> None:
    """Answer what is known, and remember who asked for the rest. `facts`: of the slots, as the store knows them."""
    if message.over:
        for at in message.slots:
            _remove_subscription(context, message.up_dag, at, (message.down_run, message.edge_no))
        return
    if message.down_group in context.state.epochs and not _is_current(context, message):
        return
    subscription = Subscription(message.down_run, message.edge_no, message.down_group, message.task_id, message.keeps)
    dag = context.state.find_dag(message.up_dag)
    for fact in facts:
        known = _slot_fact(dag, fact, message.task_id)
        if known.outcome == "open" and dag is not None and _is_of_older_version(dag, message, fact.at):
            known = SlotFact(fact.at, "changed")
        _notify_or_keep(context, message.up_dag, subscription, known)


def _is_of_older_version(dag: Dag, message: SubscriptionMessage, at: Instant) -> bool:
    """The slot is to come, and was found before its DAG was edited: who asks has not been told of that."""
    return 0 < message.version < dag.record.version_pk and at not in dag.by_slot


def _is_current(context: StepContext, message: SubscriptionMessage) -> bool:
    """Of an own run: it may have ended, or lost the dependency, in the step that reads what was asked."""
    run = context.state.runs.get(message.down_run)
    return run is not None and message.edge_no in run.edges


def unsubscribe(context: StepContext, waits: Iterable[RunWait]) -> None:
    """Those of these that are open are waited for no longer: the owners of their upstreams forget who asked."""
    by_edge: dict[tuple[int, int, str], list[RunWait]] = {}
    for wait in waits:
        if wait.state.is_open:
            by_edge.setdefault((wait.down_run, wait.edge_no, wait.up_dag), []).append(wait)
    for (down_run, edge_no, up_dag), several in by_edge.items():
        slots = tuple(wait.up_at for wait in several)
        message = SubscriptionMessage(up_dag, slots, down_run, several[0].down_group, edge_no, over=True)
        if several[0].up_group in context.state.epochs:
            subscribe(context, message, ())
        else:
            send_subscription(context, several[0].up_group, message)


def send_subscription(context: StepContext, up_group: int, message: SubscriptionMessage) -> None:
    """The owner of that group gets the letter with what this step stores."""
    body = msgspec.json.encode(message).decode()
    context.changes.mail_sent.append(NewMail(up_group, "wait_registered", body, at=context.now))


def notify_run_created(context: StepContext, run: DagRun) -> None:
    """There is a run for a slot that somebody may have been waiting for: if its DAG is in no file, it cannot end for now."""
    if not run.dag.record.active:
        _notify_slot(context, run, None)


def notify_run_ended(context: StepContext, run: DagRun) -> None:
    """The run is over: so is every wait for its slot, but for those that hope for a better end."""
    _notify_slot(context, run, None)


def notify_task_ended(context: StepContext, ti: TaskInstance) -> None:
    """A task instance is over: who waits for this task alone is told, if it was the last of its instances."""
    _notify_slot(context, ti.run, ti.task.task_id)


def _notify_slot(context: StepContext, run: DagRun, task_id: str | None) -> None:
    """Tell who waits for this task of the run; `task_id` None: everybody."""
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
    """The run, or tasks of it, were cleared: who was told, and has not started, waits again. `waited_for`: all who have asked."""
    slot = run.record.slot_at
    if slot is None:
        return
    for message in waited_for:
        if _run_outcome_fact(run, slot, message.task_id).outcome == "open":
            _notify_again(context, run, Subscription(message.down_run, message.edge_no, message.down_group, message.task_id, message.keeps))


def notify_run_deleted(context: StepContext, run: DagRun) -> None:
    """The run is deleted: its slot is absent."""
    for subscription in list((_subscriptions_of(context, run) or {}).values()):
        assert run.record.slot_at is not None
        _notify_or_keep(context, run.dag.record.dag_id, subscription, SlotFact(run.record.slot_at, "absent", note=f"run {run.record.run_id} was deleted"))


def notify_cursor_moved(context: StepContext, dag: Dag, before: Instant | None, upto: Instant, facts: Iterable[SlotFact]) -> None:
    """Slots that were decided on and have no run are absent. `facts`: of those that somebody waits for."""
    known = {fact.at: fact for fact in facts}
    slots_waited_for = context.state.subscriptions.get(dag.record.dag_id, {})
    for at in [at for at in slots_waited_for if at != NO_SLOT and (before is None or before < at) and at <= upto]:
        fact = known.get(at) or SlotFact(at, "absent")
        for subscription in list(slots_waited_for[at].values()):
            _notify_or_keep(context, dag.record.dag_id, subscription, _slot_fact(dag, fact, subscription.task_id))


def notify_dag_changed(context: StepContext, dag: Dag, before: DagRecord | None) -> None:
    """The DAG is new, has another schedule, left its file or came back: slots that are to come are found again, or are bad.

    `before` None: nobody knows what it was; an owner who loaded it has the change in memory before the letter about it.
    """
    record = dag.record
    slots_waited_for = context.state.subscriptions.get(record.dag_id)
    if not slots_waited_for:
        return
    if not record.active:
        if before is None or before.active:
            for at, subscription in _subscriptions_without_run(dag, slots_waited_for):
                _notify_or_keep(context, record.dag_id, subscription, SlotFact(at, "bad", note=missing_dag_note(record.dag_id)))
            _notify_unfinished_runs(context, dag, slots_waited_for)
        return
    if before is None or not before.active or _schedule_of(before) != _schedule_of(record):
        for at, subscription in _subscriptions_without_run(dag, slots_waited_for):
            _notify_or_keep(context, record.dag_id, subscription, SlotFact(at, "changed"))
    if before is None or not before.active:
        _notify_unfinished_runs(context, dag, slots_waited_for)


def _notify_unfinished_runs(context: StepContext, dag: Dag, slots_waited_for: DagSubscriptions) -> None:
    """Runs that are under way can end again, or cannot for now: who waits for their slots is told."""
    for at in [at for at in slots_waited_for if at in dag.by_slot]:
        for subscription in list(slots_waited_for[at].values()):
            if _run_outcome_fact(dag.by_slot[at], at, subscription.task_id).outcome == "open":
                _notify_again(context, dag.by_slot[at], subscription)


def _notify_again(context: StepContext, run: DagRun, subscription: Subscription) -> None:
    """Whoever was told of the slot hears that it is open again, or that it cannot end for now."""
    assert run.record.slot_at is not None
    fact = _run_fact(run, run.record.slot_at, subscription.task_id)
    if fact.outcome == "open":
        _send_update(context, subscription, fact)
    _notify_or_keep(context, run.dag.record.dag_id, subscription, fact)


def notify_dag_deleted(context: StepContext, dag_id: str) -> None:
    """The DAG was deleted: it is unknown to all who wait for it."""
    for at, subscriptions in list(context.state.subscriptions.get(dag_id, {}).items()):
        for subscription in list(subscriptions.values()):
            _notify_or_keep(context, dag_id, subscription, SlotFact(at, "changed"))


def _subscriptions_without_run(dag: Dag, slots_waited_for: DagSubscriptions) -> list[tuple[Instant, Subscription]]:
    """Waits for slots that have no run yet, and for the DAG itself."""
    cursor = dag.record.cursor
    past = None if cursor is None else cursor.run_after
    return [
        (at, subscription)
        for at, subscriptions in slots_waited_for.items()
        if at == NO_SLOT or (at not in dag.by_slot and (past is None or at > past))
        for subscription in subscriptions.values()
    ]


def _schedule_of(record: DagRecord) -> tuple[object, ...]:
    spec = record.spec
    return spec.timetable, spec.start_at, spec.end_at, spec.timezone


def _subscriptions_of(context: StepContext, run: DagRun) -> SlotSubscriptions | None:
    slots_waited_for = context.state.subscriptions.get(run.dag.record.dag_id)
    slot = run.record.slot_at
    return None if slots_waited_for is None or slot is None else slots_waited_for.get(slot)


def _slot_fact(dag: Dag | None, fact: SlotFact, task_id: str | None) -> SlotFact:
    """What is known now: of a run in memory what it is, of any other slot what the store said."""
    if fact.at == NO_SLOT:
        return SlotFact(NO_SLOT, "changed" if dag is not None and dag.record.active else "open")
    run = dag.by_slot.get(fact.at) if dag is not None else None
    return fact if run is None else _run_fact(run, fact.at, task_id)


def _run_fact(run: DagRun, at: Instant, task_id: str | None) -> SlotFact:
    """What is known of the slot of a run in memory; one that has not ended and whose DAG is in no file is bad."""
    fact = _run_outcome_fact(run, at, task_id)
    if fact.outcome == "open" and not run.dag.record.active:
        return SlotFact(at, "bad", fact.clear_number, missing_dag_note(run.dag.record.dag_id))
    return fact


def _run_outcome_fact(run: DagRun, at: Instant, task_id: str | None) -> SlotFact:
    """How the run, or the task of it, ended; open if it has not."""
    record = run.record
    if task_id is not None:
        return _task_fact(run, at, task_id)
    if record.state not in FINISHED_RUN_STATES:
        return SlotFact(at, "open", record.clear_number)
    outcome: SlotOutcome = "ok" if record.state is DagRunState.SUCCESS else "bad"
    return SlotFact(at, outcome, record.clear_number, f"run {record.run_id} {_OUTCOME_WORDS[outcome]}")


def _task_fact(run: DagRun, at: Instant, task_id: str) -> SlotFact:
    """All instances of the task must have ended; a run that ended without it is bad."""
    record = run.record
    index = run.graph.index_of.get(task_id)
    states = [] if index is None else [ti.state for ti in run.task_instances[index].values()]
    ended = record.state in FINISHED_RUN_STATES
    if not ended and (index is None or not states or any(state not in FINISHED_TASK_STATES for state in states)):
        return SlotFact(at, "open", record.clear_number)
    if not states or any(state is None for state in states):
        return SlotFact(at, "bad", record.clear_number, f"run {record.run_id} ended without task {task_id}")
    outcome: SlotOutcome = "ok" if all(state in _GOOD_STATES for state in states) else "bad"
    return SlotFact(at, outcome, record.clear_number, f"task {task_id} of run {record.run_id} {_OUTCOME_WORDS[outcome]}")


def _notify_or_keep(context: StepContext, dag_id: str, subscription: Subscription, fact: SlotFact) -> None:
    """Tell the listener what there is to tell, and keep it if it wants to hear more of this slot."""
    if fact.outcome != "open":
        _send_update(context, subscription, fact)
    slots_waited_for = context.state.subscriptions
    key = (subscription.down_run, subscription.edge_no)
    if fact.outcome == "open" or subscription.keeps & _KEEP_FLAGS.get(fact.outcome, 0):
        slots_waited_for.setdefault(dag_id, {}).setdefault(fact.at, {})[key] = subscription
    else:
        _remove_subscription(context, dag_id, fact.at, key)


def _remove_subscription(context: StepContext, dag_id: str, at: Instant, key: tuple[int, int]) -> None:
    slots = context.state.subscriptions.get(dag_id)
    subscriptions = None if slots is None else slots.get(at)
    if slots is None or subscriptions is None or subscriptions.pop(key, None) is None:
        return
    if not subscriptions:
        del slots[at]
    if not slots:
        del context.state.subscriptions[dag_id]


def _send_update(context: StepContext, subscription: Subscription, fact: SlotFact) -> None:
    """To this owner's own runs within the step, to any other by letter."""
    update = UpstreamUpdate(subscription.down_run, subscription.edge_no, fact)
    if subscription.down_group in context.state.epochs:
        context.updates.append(update)
    else:
        context.outbox.setdefault(subscription.down_group, []).append(update)


_GOOD_STATES = frozenset({S.SUCCESS, S.SKIPPED})
_KEEP_FLAGS: dict[SlotOutcome, int] = {"bad": KEEP_AFTER_BAD, "absent": KEEP_AFTER_ABSENT}
_OUTCOME_WORDS: dict[SlotOutcome, str] = {"ok": "succeeded", "bad": "failed"}
