"""From what workers say and what the mail brings to events of the engine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import msgspec

from gnomon import log
from gnomon.engine import events as e
from gnomon.engine.state.engine_state import EngineState
from gnomon.engine.state.task_graph import depends_on_previous_run
from gnomon.executors import interface as said
from gnomon.model.attempts import AttemptResult
from gnomon.model.ids import TaskKey
from gnomon.model.records import MailRecord, RunRecord
from gnomon.model.run_waits import SubscriptionMessage, UpstreamUpdate
from gnomon.scheduler.multipart_requests import MultipartRequests
from gnomon.scheduler.settings import MAIL_BATCH, MAX_TRIGGER_LETTERS
from gnomon.store import Database, Transaction
from gnomon.store.cross_dag import run_waits, upstream_dags
from gnomon.store.ownership import group_state
from gnomon.store.trigger_queue import trigger_claims

_log = log.get_logger("scheduler.intake")


def translate_worker_events(events: Iterable[said.ExecutorEvent], epochs: Mapping[int, int]) -> tuple[list[e.EngineEvent], list[str]]:
    """Engine events of the owned groups, and the workers that have to be asked for their inventory."""
    found: list[e.EngineEvent] = []
    to_ask: list[str] = []
    for event in events:
        match event:
            case said.WorkerConnected(worker_id, slots):
                found.append(e.WorkerJoined(worker_id, slots))
                to_ask.append(worker_id)
            case said.WorkerUnreachable(worker_id):
                found.append(e.WorkerDisconnected(worker_id))
            case said.WorkerDied(worker_id):
                found.append(e.WorkerLost(worker_id))
            case said.AttemptEntered(_, attempt_id, group_no, at):
                if group_no in epochs:
                    found.append(e.AuthorCodeEntered(attempt_id, at))
            case said.AttemptEnded(worker_id, result):
                if result.group_no in epochs:
                    found.append(e.ResultReceived(result, worker_id))
            case said.InventoryReceived(worker_id, groups, running, results):
                if not epochs.keys() >= set(groups):
                    to_ask.append(worker_id)  # it speaks of groups that are no longer here
                    continue
                held = frozenset(result.attempt_id for result in results)
                found.append(e.InventoryRead(worker_id, dict(running), held, groups))
                found.extend(e.ResultReceived(result, worker_id) for result in results if result.group_no in epochs)
            case said.AttemptRefused(worker_id, attempt_ids, reason):
                _log.warning("submission_refused", worker=worker_id, attempts=len(attempt_ids), reason=reason)
    return found, to_ask


def take_mail_batch(letters: list[MailRecord]) -> tuple[list[MailRecord], bool]:
    """The oldest of these letters, so many that a step of what they bring stays short; whether more wait."""
    shared = (number for number, letter in enumerate(letters) if letter.kind == "trigger")
    end = next(islice(shared, MAX_TRIGGER_LETTERS, None), None)
    return letters[:end], end is not None or len(letters) == MAIL_BATCH


def translate_mail(tx: Transaction, letters: Iterable[MailRecord], memory: EngineState, chains: MultipartRequests) -> list[e.EngineEvent]:
    """Engine events of the letters, with what the store has to add: runs and DAGs are read here.

    WrongKey for a sealed letter that this host cannot open: it stays where it is, for a scheduler that can.
    """
    found: list[e.EngineEvent] = []
    dag_pks: dict[int, None] = {}
    asks: list[SubscriptionMessage] = []
    for letter in letters:
        try:
            if letter.kind == "trigger":
                found.extend(e.DeferralEnded(*event) for event in trigger_claims.decode_trigger_events(tx, letter.body))
                continue
            if letter.kind == "wait_registered":
                asks.append(msgspec.json.decode(letter.body, type=SubscriptionMessage))
                continue
            if letter.kind == "upstream_ended":
                found.append(e.UpstreamUpdatesReceived(msgspec.json.decode(letter.body, type=tuple[UpstreamUpdate, ...])))
                continue
            body = json.loads(letter.body)
            if letter.kind == "dag_changed":
                dag_pks[msgspec.convert(body["dag_pk"], int)] = None
            else:
                found.extend(_translate_letter(tx, letter.kind, body, memory, chains))
        except (ValueError, KeyError, TypeError) as error:  # a letter that nobody can read is not kept for ever
            _log.error("mail_unreadable", kind=letter.kind, mail_pk=letter.mail_pk, error=f"{type(error).__name__}: {error}")
            found.extend(_build_rejection(letter))
    # Asked before anything is done: the facts are of now, and whoever asks hears of what is done to his slots after it.
    waits = [e.SubscriptionRequested(ask, facts) for ask, facts in upstream_dags.attach_slot_facts(tx, asks)] if asks else []
    return [*read_dags(tx, dag_pks, memory), *waits, *found]


def find_dag_to_delete(letter: MailRecord) -> int | None:
    """The DAG that this letter wants deleted with everything; None for any other letter, and one that cannot be read."""
    if letter.kind != "action":
        return None
    try:
        body = json.loads(letter.body)
        deletes = body["action"] == "delete" and "run_pk" not in body
        return msgspec.convert(body["dag_pk"], int) if deletes else None
    except (ValueError, KeyError, TypeError):
        return None  # `translate_mail` says so


def _translate_letter(tx: Transaction, kind: str, body: dict[str, Any], memory: EngineState, chains: MultipartRequests) -> list[e.EngineEvent]:
    if kind == "run_created":
        return read_run(tx, msgspec.convert(body["run_pk"], int), memory)
    if kind == "result":
        sealed = body.get("sealed")
        result = body["result"] if sealed is None else json.loads(tx.cipher.decrypt(sealed))
        return [e.ResultReceived(msgspec.convert(result, AttemptResult))]
    if kind == "action" and "parts" in body:
        return _translate_parts(tx, body, memory, chains)
    if kind == "action":
        return _translate_action(tx, body, memory)
    _log.warning("mail_unknown", kind=kind)
    return []


def _build_rejection(letter: MailRecord) -> list[e.EngineEvent]:
    """The answer to a request that cannot be read, if it says at least which it is."""
    try:
        request_pk = msgspec.convert(json.loads(letter.body)["request_pk"], int)
    except (ValueError, KeyError, TypeError):
        return []
    return [e.RejectRequest(request_pk, json.dumps({"error": "the request cannot be read; was it made by another release?"}))]


def read_dags(tx: Transaction, dag_pks: Iterable[int], memory: EngineState) -> list[e.EngineEvent]:
    """DAGs as the store has them now; DagGone for those that it no longer has.

    With a version whose tasks begin to depend on the past comes the past of the runs that are under way.
    """
    wanted = list(dag_pks)
    if not wanted:
        return []
    records = group_state.load_dags(tx, wanted)
    there = {record.dag_pk for record in records}
    found: list[e.EngineEvent] = []
    for record in records:
        dag = memory.dags.get(record.dag_pk)
        found.append(e.DagRead(record))
        if dag is not None and depends_on_previous_run(record.spec) and not dag.graph.depends_on_previous_run:
            runs = [run.record for run in dag.runs.values()]
            found.append(e.PreviousRunsRead(record.dag_pk, group_state.load_previous_runs(tx, record, runs)))
    return [*found, *(e.DagDeleted(pk) for pk in wanted if pk not in there)]


def read_created_runs(db: Database, created: Iterable[RunRecord], memory: EngineState) -> list[e.EngineEvent]:
    """The runs that planning has made, each with the run before where a task depends on it."""
    found: list[e.EngineEvent] = []
    for run in created:
        dag = memory.dags.get(run.dag_pk)
        before = None
        if dag is not None and dag.graph.depends_on_previous_run:
            with db.read() as tx:
                loaded = group_state.load_run_before(tx, run)
            before = None if loaded is None else (loaded[0], tuple(loaded[1]))
        found.append(e.RunRead(run, (), before))
    return found


def read_run(tx: Transaction, run_pk: int, memory: EngineState) -> list[e.EngineEvent]:
    """The run, its DAG when memory does not have it, and the run before where a task depends on it."""
    loaded = group_state.load_run(tx, run_pk)
    if loaded is None:
        return []
    run, tasks = loaded
    found: list[e.EngineEvent] = []
    dag = memory.dags.get(run.dag_pk)
    if dag is None:
        found.extend(read_dags(tx, [run.dag_pk], memory))
    before = group_state.load_run_before(tx, run) if dag is None or dag.graph.depends_on_previous_run else None
    waits = run_waits.load_run_waits(tx, [run_pk]).get(run_pk, ())
    found.append(e.RunRead(run, tuple(tasks), (before[0], tuple(before[1])) if before is not None else None, tuple(waits)))
    return found


def _translate_parts(tx: Transaction, body: dict[str, Any], memory: EngineState, chains: MultipartRequests) -> list[e.EngineEvent]:
    """What this owner does of a request of several parts, in their order."""
    common = {"action": body["action"], "by": body.get("by", "unknown"), "request_pk": body["request_pk"]}
    if body["action"] != "clear":
        raise ValueError(f"{body['action']!r} is not done in parts")
    found = [event for part in chains.own_parts(body) for event in _translate_action(tx, {**part, **common}, memory)]
    chains.start_request(msgspec.convert(body["request_pk"], int), body)
    return found


def _translate_action(tx: Transaction, body: dict[str, object], memory: EngineState) -> list[e.EngineEvent]:
    request_pk = msgspec.convert(body["request_pk"], int)
    by = str(body.get("by", "unknown"))
    if body["action"] == "delete" and "run_pk" not in body:
        return [e.DeleteDag(msgspec.convert(body["dag_pk"], int), by, request_pk)]
    run_pk = msgspec.convert(body["run_pk"], int)
    found = [] if run_pk in memory.runs else read_run(tx, run_pk, memory)
    keys = body.get("tasks")
    tasks = None if keys is None else tuple(TaskKey(run_pk, number, index) for number, index in keys)  # type: ignore[attr-defined]
    match body["action"]:
        case "mark" if body.get("state") not in (_RUN_MARKS if tasks is None else _TASK_MARKS):
            found.append(e.RejectRequest(request_pk, json.dumps({"error": f"nothing can be marked {body.get('state')!r}"})))
        case "clear":
            asks = _read_subscriptions(tx, found, run_pk, memory)
            found.append(e.ClearTasks(run_pk, tasks, by, bool(body.get("only_failed")), request_pk, asks))
        case "mark" if tasks is None:
            found.append(e.MarkRun(run_pk, str(body["state"]), by, request_pk))
        case "mark":
            found.append(e.MarkTasks(run_pk, tasks or (), str(body["state"]), by, request_pk))
        case "release":
            up_dag, reason = (msgspec.convert(body.get(name), str | None) for name in ("up_dag", "reason"))
            found.append(e.ReleaseRun(run_pk, up_dag, by, reason, request_pk))
        case "delete":
            found.append(e.DeleteRun(run_pk, by, request_pk))
        case other:
            found.append(e.RejectRequest(request_pk, json.dumps({"error": f"unknown action {other!r}"})))
    return found


def _read_subscriptions(tx: Transaction, read: Iterable[e.EngineEvent], run_pk: int, memory: EngineState) -> tuple[SubscriptionMessage, ...]:
    """Who waits for the slot of this run, which is in memory or was just read."""
    run = memory.runs[run_pk].record if run_pk in memory.runs else next((one.run for one in read if isinstance(one, e.RunRead)), None)
    if run is None or run.slot_at is None:
        return ()
    dag = memory.dags.get(run.dag_pk)
    read_now = (one.dag.dag_id for one in read if isinstance(one, e.DagRead))
    dag_id = dag.record.dag_id if dag is not None else next(read_now, None)
    return () if dag_id is None else run_waits.list_subscriptions_on_slot(tx, dag_id, run.slot_at)


_RUN_MARKS = ("success", "failed")
_TASK_MARKS = ("success", "failed", "skipped")
