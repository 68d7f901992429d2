"""Translates executor events and mail into events of the engine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import msgspec

from gnomon.ground import log
from gnomon.model.attempts import AttemptResult
from gnomon.model.hitl import HITLAnswerBody, HITLRespondent
from gnomon.model.ids import TaskKey
from gnomon.model.records import MailRecord, QueueDiscard, RaisedPriority, RunRecord
from gnomon.model.run_waits import SubscriptionMessage, UpstreamUpdate
from gnomon.model.sentences import Sentence, render, say
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.rules.decide.rerun_version import takes_newest_version
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_graph import depends_on_previous_run
from gnomon.services.executors import interface as executor_events
from gnomon.services.scheduler.multipart_requests import MultipartRequests
from gnomon.services.scheduler.settings import MAIL_BATCH, MAX_TRIGGER_MESSAGES
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.cross_dag import run_waits
from gnomon.storage.store.dag_records import backfills, run_callbacks, upstream_dags
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.trigger_queue import trigger_claims

_log = log.get_logger("scheduler.event_translation")

UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)
"""What the decoding of a message raises whose text is not JSON, or which has other fields or types than its kind. OverflowError is not among them: it
comes from a statement with an integer of the message, after which a transaction of PostgreSQL cannot go on."""


def translate_worker_events(
    events: Iterable[executor_events.ExecutorEvent], epochs: Mapping[int, int]
) -> tuple[list[e.EngineEvent], list[str]]:
    """Engine events of the owned groups, and the ids of the workers whose inventory has to be requested."""
    translated: list[e.EngineEvent] = []
    to_ask: list[str] = []
    for event in events:
        match event:
            case executor_events.WorkerConnected(worker_id, slots):
                translated.append(e.WorkerJoined(worker_id, slots))
                to_ask.append(worker_id)
            case executor_events.WorkerUnreachable(worker_id):
                translated.append(e.WorkerDisconnected(worker_id))
            case executor_events.WorkerDied(worker_id):
                translated.append(e.WorkerLost(worker_id))
            case executor_events.AttemptEntered(_, attempt_id, group_no, at):
                if group_no in epochs:
                    translated.append(e.AuthorCodeEntered(attempt_id, at))
            case executor_events.AttemptEnded(worker_id, result):
                if result.group_no in epochs:
                    translated.append(e.ResultReceived(result, worker_id))
            case executor_events.InventoryReceived(worker_id, groups, running, results):
                if not epochs.keys() >= set(groups):
                    to_ask.append(worker_id)  # the inventory was requested with groups that are no longer owned
                    continue
                held_ids = frozenset(result.attempt_id for result in results)
                translated.append(e.InventoryRead(worker_id, dict(running), held_ids, groups))
                translated.extend(
                    e.ResultReceived(result, worker_id) for result in results if result.group_no in epochs
                )
            case executor_events.AttemptRefused(worker_id, attempt_ids, reason):
                _log.warning("submission_refused", worker=worker_id, attempts=len(attempt_ids), reason=reason)
    return translated, to_ask


def take_mail_batch(messages: list[MailRecord]) -> tuple[list[MailRecord], bool]:
    """The oldest of these messages, with at most MAX_TRIGGER_MESSAGES trigger messages; and whether more mail waits."""
    trigger_positions = (number for number, message in enumerate(messages) if message.kind == "trigger")
    end = next(islice(trigger_positions, MAX_TRIGGER_MESSAGES, None), None)
    return messages[:end], end is not None or len(messages) == MAIL_BATCH


def translate_mail(
    tx: Transaction,
    messages: Iterable[MailRecord],
    engine_state: EngineState,
    multipart: MultipartRequests,
    unreadable: list[tuple[MailRecord, Exception]],
) -> list[e.EngineEvent]:
    """Engine events of the messages; the runs and DAGs that they name are read from the store.

    An unreadable message is added to `unreadable`, or if it is a request refused. Raises WrongKey for an encrypted message that this host has no key for:
    the message stays in the mailbox for a scheduler that has the key.
    """
    events: list[e.EngineEvent] = []
    dag_pks: dict[int, None] = {}
    subscriptions: list[SubscriptionMessage] = []
    for message in messages:
        try:
            if message.kind == "trigger":
                events.extend(
                    e.DeferralEnded(*event) for event in trigger_claims.decode_trigger_events(tx, message.body)
                )
                continue
            if message.kind == "wait_registered":
                subscriptions.append(msgspec.json.decode(message.body, type=SubscriptionMessage))
                continue
            if message.kind == "upstream_ended":
                events.append(
                    e.UpstreamUpdatesReceived(msgspec.json.decode(message.body, type=tuple[UpstreamUpdate, ...]))
                )
                continue
            body = json.loads(message.body)
            if message.kind == "asset_events":
                events.append(e.AssetEventsQueued(msgspec.convert(body["dag_pks"], tuple[int, ...])))
            elif message.kind == "dag_changed":
                dag_pks[msgspec.convert(body["dag_pk"], int)] = None
            else:
                events.extend(_translate_message(tx, message.kind, body, engine_state, multipart))
        except UNREADABLE as error:  # an unreadable message would otherwise stay for ever
            _log.error(
                "mail_unreadable", kind=message.kind, mail_pk=message.mail_pk, error=f"{type(error).__name__}: {error}"
            )
            rejection = _build_rejection(message)
            events.extend(rejection)
            if not rejection:
                unreadable.append((message, error))
    # Subscriptions come first: their facts are of this moment, and the subscriber gets the changes of the other events.
    waits = (
        [
            e.SubscriptionRequested(message, facts)
            for message, facts in upstream_dags.attach_slot_facts(tx, subscriptions)
        ]
        if subscriptions
        else []
    )
    return [*read_dags(tx, dag_pks, engine_state), *waits, *events]


def find_dag_to_delete(message: MailRecord) -> int | None:
    """The dag_pk that this message deletes with all its runs; None for another or an unreadable message."""
    if message.kind != "action":
        return None
    try:
        body = json.loads(message.body)
        deletes = body["action"] == "delete" and "run_pk" not in body
        return msgspec.convert(body["dag_pk"], int) if deletes else None
    except UNREADABLE:
        return None  # `translate_mail` logs it


def _translate_message(
    tx: Transaction, kind: str, body: dict[str, Any], engine_state: EngineState, multipart: MultipartRequests
) -> list[e.EngineEvent]:
    if kind == "backfill_changed":
        return read_backfill(tx, msgspec.convert(body["backfill_pk"], int))
    if kind == "priorities_raised":
        raised = msgspec.convert(body["tasks"], list[tuple[str, str, int, str]])
        return [
            e.PrioritiesRaised(
                msgspec.convert(body["dag_id"], str),
                {(run_id, task_id): RaisedPriority(weight, name) for run_id, task_id, weight, name in raised},
            )
        ]
    if kind == "run_created":
        return read_run(tx, msgspec.convert(body["run_pk"], int), engine_state)
    if kind == "result":
        sealed = body.get("sealed")
        result = body["result"] if sealed is None else json.loads(tx.cipher.decrypt(sealed))
        return [
            e.ResultReceived(
                msgspec.convert(result, AttemptResult), sender=msgspec.convert(body.get("worker_id"), str | None)
            )
        ]
    if kind == "attempt_entered":
        return [e.AuthorCodeEntered(msgspec.convert(body["attempt_id"], str), msgspec.convert(body["at"], int))]
    if kind == "action" and "parts" in body:
        return _translate_parts(tx, body, engine_state, multipart)
    if kind == "action":
        return _translate_action(tx, body, engine_state)
    raise ValueError(f"messages of the kind {kind!r} are not known to this release")


def _build_rejection(message: MailRecord) -> list[e.EngineEvent]:
    """The error answer to an unreadable request; nothing if its request_pk cannot be read either."""
    try:
        request_pk = msgspec.convert(json.loads(message.body)["request_pk"], int)
    except UNREADABLE:
        return []
    return [_reject(request_pk, say("request_cannot_be_read"))]


def read_dags(tx: Transaction, dag_pks: Iterable[int], engine_state: EngineState) -> list[e.EngineEvent]:
    """A DagRead for each DAG in the store, and a DagDeleted for each that is no longer there.

    If the new version is the first with tasks that depend on the previous run, a PreviousRunsRead for its active runs follows.
    """
    pks = list(dag_pks)
    if not pks:
        return []
    records = group_state.load_dags(tx, pks)
    existing = {record.dag_pk for record in records}
    events: list[e.EngineEvent] = []
    for record in records:
        dag = engine_state.dags.get(record.dag_pk)
        events.append(e.DagRead(record))
        if dag is not None and depends_on_previous_run(record.spec) and not dag.graph.depends_on_previous_run:
            runs = [run.record for run in dag.runs.values()]
            events.append(e.PreviousRunsRead(record.dag_pk, group_state.load_previous_runs(tx, record, runs)))
    return [*events, *(e.DagDeleted(pk) for pk in pks if pk not in existing)]


def read_created_runs(db: Database, created: Iterable[RunRecord], engine_state: EngineState) -> list[e.EngineEvent]:
    """A RunRead for each run that planning created, with the previous run where a task depends on it."""
    events: list[e.EngineEvent] = []
    for run in created:
        dag = engine_state.dags.get(run.dag_pk)
        before = None
        if dag is not None and dag.graph.depends_on_previous_run:
            with db.read() as tx:
                loaded = group_state.load_run_before(tx, run)
            before = None if loaded is None else (loaded[0], tuple(loaded[1]))
        events.append(e.RunRead(run, (), before))
    return events


def read_run(tx: Transaction, run_pk: int, engine_state: EngineState) -> list[e.EngineEvent]:
    """A RunRead, with the previous run where a task depends on it, after the DAG's events if the DAG is not in memory."""
    loaded = group_state.load_run(tx, run_pk)
    if loaded is None:
        return []
    run, tasks = loaded
    events: list[e.EngineEvent] = []
    dag = engine_state.dags.get(run.dag_pk)
    if dag is None:
        events.extend(read_dags(tx, [run.dag_pk], engine_state))
    if run.backfill_pk is not None and (dag is None or run.backfill_pk not in dag.backfills):
        events.extend(read_backfill(tx, run.backfill_pk, is_for_run=True))
    before = group_state.load_run_before(tx, run) if dag is None or dag.graph.depends_on_previous_run else None
    waits = run_waits.load_run_waits(tx, [run_pk]).get(run_pk, ())
    deadlines = run_callbacks.load_deadlines(tx, [run_pk]).get(run_pk, ())
    events.append(
        e.RunRead(
            run,
            tuple(tasks),
            (before[0], tuple(before[1])) if before is not None else None,
            tuple(waits),
            tuple(deadlines),
        )
    )
    return events


def choose_version(
    events: Iterable[e.EngineEvent], engine_state: EngineState, is_newest_wanted: bool | None, default: bool = False
) -> None:
    """Before a clear: let the finished run that was just read be attached with the tasks of the newest version if it takes that one.

    The arguments are those of `takes_newest_version`.
    """
    specs = {event.dag.dag_pk: event.dag.spec for event in events if isinstance(event, e.DagRead)}
    for event in events:
        if isinstance(event, e.RunRead) and event.run.state in FINISHED_RUN_STATES:
            dag = engine_state.dags.get(event.run.dag_pk)
            spec = specs.get(event.run.dag_pk) or (None if dag is None else dag.graph.spec)
            if spec is not None and takes_newest_version(is_newest_wanted, spec, default):
                event.run.kept_spec = None


def read_backfill(tx: Transaction, backfill_pk: int, *, is_for_run: bool = False) -> list[e.EngineEvent]:
    """A BackfillRead; nothing if the backfill was deleted. `is_for_run`: a RunRead of one of its runs follows."""
    record = backfills.find_backfill(tx, backfill_pk)
    return [] if record is None else [e.BackfillRead(record, is_for_run)]


def _translate_parts(
    tx: Transaction, body: dict[str, Any], engine_state: EngineState, multipart: MultipartRequests
) -> list[e.EngineEvent]:
    """The events of those parts of a multipart request that this owner applies, in their order."""
    common = {
        "action": body["action"],
        "by": body.get("by", "unknown"),
        "address": body.get("address"),
        "request_pk": body["request_pk"],
    }
    if body["action"] != "clear":
        raise ValueError(f"the action {body['action']!r} cannot have parts")
    events = [
        event for part in multipart.own_parts(body) for event in _translate_action(tx, {**part, **common}, engine_state)
    ]
    multipart.start_request(msgspec.convert(body["request_pk"], int), body)
    return events


def _translate_action(tx: Transaction, body: dict[str, object], engine_state: EngineState) -> list[e.EngineEvent]:
    request_pk = msgspec.convert(body["request_pk"], int)
    by, address = str(body.get("by", "unknown")), msgspec.convert(body.get("address"), str | None)
    if body["action"] == "delete" and "run_pk" not in body:
        return [e.DeleteDag(msgspec.convert(body["dag_pk"], int), by, request_pk, address)]
    if body["action"] == "discard_queued_events":
        return [e.DiscardQueuedEvents(msgspec.convert(body["discard"], QueueDiscard), by, request_pk, address)]
    run_pk = msgspec.convert(body["run_pk"], int)
    events = [] if run_pk in engine_state.runs else read_run(tx, run_pk, engine_state)
    keys = body.get("tasks")
    tasks = None if keys is None else tuple(TaskKey(run_pk, number, index) for number, index in keys)  # type: ignore[attr-defined]
    match body["action"]:
        case "mark" if body.get("state") not in (_RUN_MARKS if tasks is None else _TASK_MARKS):
            events.append(_reject(request_pk, say("no_such_mark", state=repr(body.get("state")))))
        case "clear":
            is_newest_wanted = msgspec.convert(body.get("is_newest_wanted"), bool | None)
            choose_version(events, engine_state, is_newest_wanted)
            subscriptions = read_subscriptions(tx, events, run_pk, engine_state)
            events.append(
                e.ClearTasks(
                    run_pk,
                    tasks,
                    by,
                    bool(body.get("only_failed")),
                    request_pk,
                    subscriptions,
                    address,
                    is_newest_wanted,
                )
            )
        case "mark" if tasks is None:
            events.append(e.MarkRun(run_pk, str(body["state"]), by, request_pk, address))
        case "mark":
            subscriptions = read_subscriptions(tx, events, run_pk, engine_state)
            events.append(e.MarkTasks(run_pk, tasks or (), str(body["state"]), by, request_pk, address, subscriptions))
        case "answer":
            events.append(_translate_answer(run_pk, body, request_pk, by, address))
        case "release":
            up_dag, reason = (msgspec.convert(body.get(name), str | None) for name in ("up_dag", "reason"))
            events.append(e.ReleaseRun(run_pk, up_dag, by, reason, request_pk, address))
        case "delete":
            events.append(e.DeleteRun(run_pk, by, request_pk, address))
        case other:
            events.append(_reject(request_pk, say("action_is_unknown", act=repr(other))))
    return events


def _reject(request_pk: int, error: Sentence) -> e.RejectRequest:
    return e.RejectRequest(request_pk, json.dumps({"error": render(error)}))


def _translate_answer(
    run_pk: int, body: Mapping[str, object], request_pk: int, by: str, address: str | None
) -> e.HITLAnswered:
    """The event of a person's answer. Raises ValueError for a body of another shape."""
    answer = msgspec.convert(body, HITLAnswerBody)
    respondent = HITLRespondent(answer.user_id, answer.user_name)
    return e.HITLAnswered(
        TaskKey(run_pk, answer.task_no, answer.map_index),
        answer.options,
        answer.params,
        respondent,
        request_pk,
        by,
        address,
    )


def read_subscriptions(
    tx: Transaction, events: Iterable[e.EngineEvent], run_pk: int, engine_state: EngineState
) -> tuple[SubscriptionMessage, ...]:
    """The subscriptions to the slot of this run, which is in memory or was just read."""
    run = (
        engine_state.runs[run_pk].record
        if run_pk in engine_state.runs
        else next((event.run for event in events if isinstance(event, e.RunRead)), None)
    )
    if run is None or run.slot_at is None:
        return ()
    dag = engine_state.dags.get(run.dag_pk)
    read_now = (event.dag.dag_id for event in events if isinstance(event, e.DagRead))
    dag_id = dag.record.dag_id if dag is not None else next(read_now, None)
    return () if dag_id is None else run_waits.list_subscriptions_on_slot(tx, dag_id, run.slot_at)


_RUN_MARKS = ("success", "failed")
_TASK_MARKS = ("success", "failed", "skipped")
