"""The result of an attempt as a message to the mailbox of its group."""

from __future__ import annotations

import msgspec

from gnomon.model.attempts import AttemptResult
from gnomon.model.records import NewMail
from gnomon.storage.store import Transaction


def build_result_mail(tx: Transaction, worker_id: str, result: AttemptResult) -> NewMail:
    """The message. The arguments of a deferral are encrypted in it."""
    if result.wait is None:
        body: dict[str, object] = {"worker_id": worker_id, "result": result}
    else:
        body = {"worker_id": worker_id, "sealed": tx.cipher.encrypt(msgspec.json.encode(result).decode())}
    return NewMail(
        group_no=result.group_no, kind="result", body=msgspec.json.encode(body).decode(), key=f"res:{result.attempt_id}"
    )
