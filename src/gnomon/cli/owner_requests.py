"""Asking the owner of a DAG to change rows, and waiting for its answer (OWNERSHIP.md line 28)."""

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
    """The owner said no; the message is its reason."""


@dataclass(frozen=True, slots=True)
class OwnerAnswer:
    """A request that was accepted; `answer` is None while it is not done."""

    request_pk: int
    answer: Mapping[str, object] | None
    is_scheduler_alive: bool


@dataclass(frozen=True, slots=True)
class OwnersAnswer:
    """A request to the owners of several DAGs; `answer`: what became of each part, None while it is not done."""

    request_pk: int
    answer: Sequence[Mapping[str, object]] | None
    is_scheduler_alive: bool


def ask_owner(home: Home, db: Database, dag: DagRecord, kind: str, body: Mapping[str, object]) -> OwnerAnswer:
    """The request is stored and, if a scheduler is alive and quick, answered. Refused when the owner refused it."""
    request_pk, answer, alive = _submit_and_wait(home, db, lambda tx: mailbox.submit_request(
        tx, by=home.by, kind=kind, body={**body, "by": home.by}, groups=[dag.group_no], at=home.clock.now()
    ))  # fmt: skip
    return OwnerAnswer(request_pk, answer, alive)


def ask_owners(home: Home, db: Database, kind: str, parts: Sequence[Mapping[str, object]]) -> OwnersAnswer:
    """As `ask_owner`, of the owners of several DAGs in this order."""
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


def print_pending(asked: OwnerAnswer | OwnersAnswer) -> None:
    """Tell, on stderr, what becomes of a request that nobody has answered yet."""
    when = f"not done within {ANSWER_S:g} s; it stands" if asked.is_scheduler_alive else (
        "no scheduler is alive; it will be applied when one starts"
    )
    click.echo(f"accepted as request {asked.request_pk}: {when}", err=True)


def _read_answer(db: Database, request_pk: int) -> Any:
    with db.read() as tx:
        state, answer = mailbox.read_answer(tx, request_pk)
    if state == "pending":
        return None
    body = json.loads(answer) if answer else {}
    if state == "refused":
        raise RequestRefused(f"refused: {body.get('error', answer)}")
    return body
