"""Mail and requests to the owners of groups (REQUEST in docs/contributing/ownership.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from gnomon.model.instants import Instant
from gnomon.model.records import MailRecord, NewMail
from gnomon.model.sentences import Command, say
from gnomon.storage.store.errors import NotFound
from gnomon.storage.store.transaction import Transaction, notify_on_commit


def read_messages(tx: Transaction, groups: Iterable[int], limit: int) -> list[MailRecord]:
    """The oldest messages to these groups, at most `limit`. They stay until the commit of a `Changes` that applied them."""
    return [MailRecord(*row) for row in tx.all("mailbox.read", groups=list(groups), limit=limit)]


def send_messages(tx: Transaction, messages: Iterable[NewMail]) -> None:
    """Insert the messages. A message whose key is stored already is dropped."""
    tx.send_many(
        "mailbox.send",
        [(message.group_no, message.kind, message.key, message.body, message.at) for message in messages],
    )


def submit_request(
    tx: Transaction, *, by: str, kind: str, body: Mapping[str, object], groups: Iterable[int], at: Instant | None = None
) -> int:
    """Insert a request, and a message `action` to each of the groups; returns the key of the request."""
    row = tx.one("mailbox.add_request", by=by, kind=kind, body=json.dumps(body), at=at)
    assert row is not None
    request_pk = int(row[0])
    message = json.dumps({"action": kind, **body, "request_pk": request_pk})
    send_messages(tx, [NewMail(group, "action", message, at=at) for group in groups])
    notify_on_commit(tx)
    return request_pk


def submit_ordered_request(
    tx: Transaction,
    *,
    by: str,
    kind: str,
    parts: Sequence[Mapping[str, object]],
    at: Instant | None = None,
    address: str | None = None,
) -> int:
    """Insert a request about several DAGs, and a message to the group of its first part; returns the key of the request.

    Each owner applies its part and sends the rest on. A part has group_no, dag_id, run_id (for the answer), run_pk, tasks and
    only_failed; there must be at least one part. `address`: from where the user asks, for the audit log.
    """
    first = parts[0]["group_no"]
    assert isinstance(first, int)
    return submit_request(
        tx, by=by, kind=kind, body={"by": by, "address": address, "parts": list(parts)}, groups=[first], at=at
    )


def read_answer(tx: Transaction, request_pk: int) -> tuple[str, str | None]:
    """The state (pending, done or refused) and the JSON answer, None while pending. Raises NotFound for an unknown key."""
    row = tx.one("mailbox.find_answer", request_pk=request_pk)
    if row is None:
        raise NotFound(say("request_does_not_exist", number=request_pk, command=Command("db clean")))
    return row[0], row[1]
