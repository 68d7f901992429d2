"""Mail to the owners of groups (OWNERSHIP.md line 3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from gnomon.model.instants import Instant
from gnomon.model.records import MailRecord, NewMail
from gnomon.store.errors import NotFound
from gnomon.store.transaction import Transaction, notify_on_commit


def read_messages(tx: Transaction, groups: Iterable[int], limit: int) -> list[MailRecord]:
    """The oldest letters to these groups, at most `limit`. They stay until a `Changes` that applied them deletes them."""
    return [MailRecord(*row) for row in tx.all("mail.take", groups=list(groups), most=limit)]


def send_messages(tx: Transaction, letters: Iterable[NewMail]) -> None:
    """The letters are there once this is stored. One whose key is already there is dropped."""
    tx.send_many("mail.send", [(letter.group_no, letter.kind, letter.key, letter.body, letter.at) for letter in letters])


def submit_request(
    tx: Transaction, *, by: str, kind: str, body: Mapping[str, object], groups: Iterable[int], at: Instant | None = None
) -> int:
    """The request stands, and a letter `action` is on its way to each group; returns its number."""
    row = tx.one("requests.add", by=by, kind=kind, body=json.dumps(body), at=at)
    assert row is not None
    request_pk = int(row[0])
    letter = json.dumps({"action": kind, **body, "request_pk": request_pk})
    send_messages(tx, [NewMail(group, "action", letter, at=at) for group in groups])
    notify_on_commit(tx)
    return request_pk


def submit_ordered_request(
    tx: Transaction, *, by: str, kind: str, parts: Sequence[Mapping[str, object]], at: Instant | None = None
) -> int:
    """The request stands, and a letter is on its way to the group of its first part; returns its number.

    A part: group_no, dag_id, run_id (for the answer), run_pk, tasks, only_failed. There is at least one.
    """
    first = parts[0]["group_no"]
    assert isinstance(first, int)
    return submit_request(tx, by=by, kind=kind, body={"by": by, "parts": list(parts)}, groups=[first], at=at)


def read_answer(tx: Transaction, request_pk: int) -> tuple[str, str | None]:
    """(pending | done | refused, the JSON answer or None). NotFound when there is no such request."""
    row = tx.one("requests.answer", request_pk=request_pk)
    if row is None:
        raise NotFound(f"there is no request {request_pk}")
    return row[0], row[1]


def delete_answered_requests(tx: Transaction, before: Instant) -> int:
    """Answered requests from before that instant are gone; returns how many."""
    return tx.run("requests.forget", before=before)
