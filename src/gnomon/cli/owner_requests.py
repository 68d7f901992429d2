"""Requests to the scheduler that owns a DAG, and waiting for its answer (REQUEST in docs/discussions/ownership.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from gnomon.cli.database_access import poll_until
from gnomon.cli.home import Home
from gnomon.errors.product import UserError
from gnomon.model.records import DagRecord
from gnomon.report.listings import process_health
from gnomon.store import Database, Transaction, notify_on_commit
from gnomon.store.ownership import mailbox

ANSWER_S = 5.0
"""How long a command waits for the owner's answer."""


class RequestRefused(UserError):
    """The owner refused a request; the message is the owner's reason."""


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


def ask_owner(home: Home, db: Database, dag: DagRecord, kind: str, body: Mapping[str, object]) -> OwnerAnswer:
    """Store a request to the owner of the DAG, and wait up to ANSWER_S for the answer when a scheduler is alive.

    `kind` and `body` are those of a request (`store.ownership.mailbox`). Raises RequestRefused when the owner refuses it.
    """
    request_pk, answer, alive = _submit_and_wait(home, db, lambda tx: mailbox.submit_request(
        tx, by=home.by, kind=kind, body={**body, "by": home.by}, groups=[dag.group_no], at=home.clock.now()
    ))  # fmt: skip
    return OwnerAnswer(request_pk, answer, alive)


def ask_owners(home: Home, db: Database, kind: str, parts: Sequence[Mapping[str, object]]) -> OwnersAnswer:
    """As `ask_owner`, for the owners of several DAGs; the parts are carried out in this order."""
    request_pk, answer, alive = _submit_and_wait(home, db, lambda tx: mailbox.submit_ordered_request(
        tx, by=home.by, kind=kind, parts=parts, at=home.clock.now()
    ))  # fmt: skip
    return OwnersAnswer(request_pk, answer, alive)


def _submit_and_wait(home: Home, db: Database, ask: Callable[[Transaction], int]) -> tuple[int, Any, bool]:
    with db.write() as tx:
        request_pk = ask(tx)
        notify_on_commit(tx)
    home.wake_services()
    with db.read() as tx:
        alive = process_health.is_scheduler_alive(tx)
    answer = poll_until(lambda: _read_answer(db, request_pk), home.clock, home.sleep, ANSWER_S) if alive else None
    return request_pk, answer, alive


def print_pending(reply: OwnerAnswer | OwnersAnswer) -> None:
    """Write to stderr when a request that is not answered yet will be carried out."""
    when = f"not done within {ANSWER_S:g} s; the scheduler will still apply it" if reply.is_scheduler_alive else (
        "no scheduler is alive; it will be applied when one starts"
    )
    click.echo(f"accepted as request {reply.request_pk}: {when}", err=True)


def _read_answer(db: Database, request_pk: int) -> Any:
    with db.read() as tx:
        state, answer = mailbox.read_answer(tx, request_pk)
    if state == "pending":
        return None
    body = json.loads(answer) if answer else {}
    if state == "refused":
        raise RequestRefused(f"refused: {body.get('error', answer)}")
    return body
