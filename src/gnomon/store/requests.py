"""Requests to the owners of DAGs: clear, mark, kill, release, delete, backfill (OWNERSHIP.md line 28)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from gnomon.model.instants import Instant
from gnomon.model.records import NewMail
from gnomon.store import mail
from gnomon.store.errors import NotFound
from gnomon.store.transaction import Transaction, wake


def ask(
    tx: Transaction, *, by: str, kind: str, body: Mapping[str, object], groups: Iterable[int], at: Instant | None = None
) -> int:
    """The request stands, and a letter `action` is on its way to each group; returns its number."""
    row = tx.one("requests.add", by=by, kind=kind, body=json.dumps(body), at=at)
    assert row is not None
    request_pk = int(row[0])
    letter = json.dumps({"action": kind, **body, "request_pk": request_pk})
    mail.send(tx, [NewMail(group, "action", letter, at=at) for group in groups])
    wake(tx)
    return request_pk


def answer(tx: Transaction, request_pk: int) -> tuple[str, str | None]:
    """(pending | done | refused, the JSON answer or None). NotFound when there is no such request."""
    row = tx.one("requests.answer", request_pk=request_pk)
    if row is None:
        raise NotFound(f"there is no request {request_pk}")
    return row[0], row[1]


def forget(tx: Transaction, before: Instant) -> int:
    """Answered requests from before that instant are gone; returns how many."""
    return tx.run("requests.forget", before=before)
