"""Requests to the owners of DAGs: clear, mark, kill, release, delete, backfill (OWNERSHIP.md line 28).

Bodies, beside `by`:

    clear    run_pk, tasks (a list of [task_no, map_index], or null: all), only_failed
    mark     run_pk, tasks, state
    release  run_pk, up_dag (null: all that it waits for), reason (null: none)
    delete   run_pk, or dag_pk alone

`clear` over several DAGs (line 30) is one request of `parts`, upstream first (`ask_in_order`). One letter goes from owner
to owner: each does the parts at its head that are its own, and sends what is left on in the transaction that does them.
So nothing downstream is cleared before what it waits for. The last one answers `done`, with a list in the order of the
parts: {"dag_id", "run_id", "cleared": [names]} or {"dag_id", "run_id", "error": why that part was not done}. Until then the
request is pending.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

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


def ask_in_order(
    tx: Transaction, *, by: str, kind: str, parts: Sequence[Mapping[str, object]], at: Instant | None = None
) -> int:
    """The request stands, and a letter is on its way to the group of its first part; returns its number.

    A part: group_no, dag_id, run_id (for the answer), run_pk, tasks, only_failed. There is at least one.
    """
    first = parts[0]["group_no"]
    assert isinstance(first, int)
    return ask(tx, by=by, kind=kind, body={"by": by, "parts": list(parts)}, groups=[first], at=at)


def answer(tx: Transaction, request_pk: int) -> tuple[str, str | None]:
    """(pending | done | refused, the JSON answer or None). NotFound when there is no such request."""
    row = tx.one("requests.answer", request_pk=request_pk)
    if row is None:
        raise NotFound(f"there is no request {request_pk}")
    return row[0], row[1]


def forget(tx: Transaction, before: Instant) -> int:
    """Answered requests from before that instant are gone; returns how many."""
    return tx.run("requests.forget", before=before)
