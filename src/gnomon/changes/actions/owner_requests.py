"""Requests to the scheduler that owns a DAG, and waiting for its answer (REQUEST in docs/contributing/ownership.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.changes.actions.actor import Actor
from gnomon.changes.actions.polling import poll_until
from gnomon.changes.actions.refusals import RequestRefused
from gnomon.model.records import DagRecord
from gnomon.model.sentences import say
from gnomon.queries.report.listings import process_health
from gnomon.storage.store import Database, Transaction, notify_on_commit
from gnomon.storage.store.coordination import mailbox

ANSWER_S = 5.0
"""How long an action waits for the owner's answer."""


@dataclass(frozen=True, slots=True)
class OwnerAnswer:
    """A stored request; `answer` is None while the owner has not carried it out."""

    request_pk: int
    answer: Mapping[str, object] | None
    is_scheduler_alive: bool


@dataclass(frozen=True, slots=True)
class OwnersAnswer:
    """A stored request to the owners of several DAGs; `answer` has one entry a part, and is None while a part is pending."""

    request_pk: int
    answer: Sequence[Mapping[str, object]] | None
    is_scheduler_alive: bool


def ask_owner(actor: Actor, db: Database, dag: DagRecord, kind: str, body: Mapping[str, object]) -> OwnerAnswer:
    """Store a request to the owner of the DAG, and wait up to ANSWER_S for the answer when a scheduler is alive.

    `kind` and `body` are those of a request (`store.ownership.mailbox`). Raises RequestRefused when the owner refuses it.
    """
    request_pk, answer, alive = _submit_and_wait(
        actor,
        db,
        lambda tx: mailbox.submit_request(
            tx,
            by=actor.by,
            kind=kind,
            body={**body, "by": actor.by, "address": actor.address},
            groups=[dag.group_no],
            at=actor.clock.now(),
        ),
    )
    return OwnerAnswer(request_pk, answer, alive)


def ask_owners(actor: Actor, db: Database, kind: str, parts: Sequence[Mapping[str, object]]) -> OwnersAnswer:
    """As `ask_owner`, for the owners of several DAGs; the parts are carried out in this order."""
    request_pk, answer, alive = _submit_and_wait(
        actor,
        db,
        lambda tx: mailbox.submit_ordered_request(
            tx, by=actor.by, kind=kind, parts=parts, at=actor.clock.now(), address=actor.address
        ),
    )
    return OwnersAnswer(request_pk, answer, alive)


def ask_each_owner(
    actor: Actor, db: Database, kind: str, requests: Sequence[tuple[int, Mapping[str, object]]]
) -> list[OwnerAnswer]:
    """As `ask_owner`, for several requests that do not depend on one another, each as (group_no, body); ANSWER_S is for all together."""
    with db.write() as tx:
        keys = [
            mailbox.submit_request(
                tx,
                by=actor.by,
                kind=kind,
                body={**body, "by": actor.by, "address": actor.address},
                groups=[group_no],
                at=actor.clock.now(),
            )
            for group_no, body in requests
        ]
        notify_on_commit(tx)
    actor.wake_services()
    with db.read() as tx:
        alive = process_health.is_scheduler_alive(tx)
    answers: dict[int, Any] = {}

    def look() -> bool | None:
        for request_pk in keys:
            if request_pk not in answers and (answer := _read_answer(db, request_pk)) is not None:
                answers[request_pk] = answer
        return True if len(answers) == len(keys) else None

    if alive:
        poll_until(look, actor.clock, actor.sleep, ANSWER_S)
    return [OwnerAnswer(request_pk, answers.get(request_pk), alive) for request_pk in keys]


def _submit_and_wait(actor: Actor, db: Database, ask: Callable[[Transaction], int]) -> tuple[int, Any, bool]:
    with db.write() as tx:
        request_pk = ask(tx)
        notify_on_commit(tx)
    actor.wake_services()
    with db.read() as tx:
        alive = process_health.is_scheduler_alive(tx)
    answer = poll_until(lambda: _read_answer(db, request_pk), actor.clock, actor.sleep, ANSWER_S) if alive else None
    return request_pk, answer, alive


def _read_answer(db: Database, request_pk: int) -> Any:
    with db.read() as tx:
        state, answer = mailbox.read_answer(tx, request_pk)
    if state == "pending":
        return None
    body = json.loads(answer) if answer else {}
    if state == "refused":
        raise RequestRefused(say("request_is_refused", reason=str(body.get("error", answer))))
    return body
