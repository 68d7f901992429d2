"""What users do with what is in quarantine: put it back, or discard it, with a line in the audit log."""

from __future__ import annotations

import json

import msgspec

from gnomon.changes.actions.actor import Actor
from gnomon.model.attempts import AttemptResult
from gnomon.model.errors.product import UserError
from gnomon.model.quarantine import QuarantinedItem
from gnomon.model.records import EventRecord, NewMail
from gnomon.model.sentences import say
from gnomon.storage.store import Database, Transaction, WrongKey, notify_on_commit
from gnomon.storage.store.coordination import mailbox, quarantine
from gnomon.storage.store.dag_records.event_log import log_event
from gnomon.storage.store.trigger_queue import trigger_claims


def retry_item(actor: Actor, db: Database, quarantine_pk: int) -> str:
    """Put the message back into the mailbox of its group, or let the owner load the DAG again; returns what happens now. Raises NotFound, and UserError for a group."""
    with db.write() as tx:
        item = quarantine.find_item(tx, quarantine_pk)
        if item.is_group:
            raise UserError(say("group_is_loaded_again", group=item.group_no))
        quarantine.put_back(tx, item)
        _log(tx, actor, item, "quarantine_retried")
    actor.wake_services()
    if item.is_message:
        return f"message {quarantine_pk} ({item.kind}) is in the mailbox of group {item.group_no} again; if it fails again, it returns here with the reason"
    return f"DAG {item.dag_id} is loaded again; if that fails again, it returns here with the reason"


def discard_item(actor: Actor, db: Database, quarantine_pk: int) -> str:
    """Delete a message; what waits for it is told, so that nothing waits for ever. Returns what happens now. Raises NotFound, and UserError for a DAG or group."""
    with db.write() as tx:
        item = quarantine.find_item(tx, quarantine_pk)
        if not item.is_message:
            raise UserError(
                say(
                    "item_is_no_message",
                    subject=say("named_dag", dag=item.dag_id)
                    if item.is_dag
                    else say("named_group", group=item.group_no),
                )
            )
        quarantine.discard(tx, item)
        consequence = _tell_waiting(tx, actor, item)
        _log(tx, actor, item, "quarantine_discarded")
        notify_on_commit(tx)
    actor.wake_services()
    return f"message {quarantine_pk} ({item.kind}) is deleted; {consequence}"


def _tell_waiting(tx: Transaction, actor: Actor, item: QuarantinedItem) -> str:
    reason = f"its message was discarded from quarantine by {actor.by}; it was there because: {item.reason}"
    attempt = item.attempt or _find_attempt(item)
    if item.kind == "result" and attempt is not None:
        result = AttemptResult(
            attempt_id=attempt,
            group_no=item.group_no,
            run_pk=item.run_pk or 0,
            task_no=item.task_no or 0,
            map_index=item.map_index,
            outcome="failed",
            reason=reason,
        )
        body = msgspec.json.encode({"worker_id": None, "result": result}).decode()
        mailbox.send_messages(tx, [NewMail(item.group_no, "result", body, f"res:{attempt}", actor.clock.now())])
        return "if its attempt is still waited for, the try fails, and is retried as the task says"
    if item.kind == "trigger":
        try:
            mail = trigger_claims.build_error_mail(tx, item.group_no, item.body.decode("utf-8", "replace"), reason)
        except (ValueError, WrongKey):
            return "which tasks waited for it cannot be read: a task that stays deferred can be cleared or marked"
        mailbox.send_messages(tx, [mail])
        return "tasks that still wait for its events fail, and are retried as they say"
    request_pk = _find_request(item)
    if item.kind == "action" and request_pk is not None:
        tx.send("commit.answer_request", request_pk=request_pk, state="refused", answer=json.dumps({"error": reason}))
        return f"request {request_pk} is refused"
    return "no task waits for a message of this kind"


def _find_attempt(item: QuarantinedItem) -> str | None:
    """The attempt, from the key of a result that could not be read."""
    return item.key.removeprefix("res:") if item.key is not None and item.key.startswith("res:") else None


def _find_request(item: QuarantinedItem) -> int | None:
    try:
        request_pk = json.loads(item.body)["request_pk"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return request_pk if isinstance(request_pk, int) and 0 < request_pk < 2**63 else None


def _log(tx: Transaction, actor: Actor, item: QuarantinedItem, kind: str) -> None:
    body = {"item": item.quarantine_pk, "kind": item.kind, "group": item.group_no, "reason": item.reason}
    log_event(
        tx,
        EventRecord(
            actor.clock.now(),
            kind,
            dag_pk=item.dag_pk,
            run_pk=item.run_pk,
            by=actor.by,
            address=actor.address,
            body=json.dumps(body),
        ),
    )
