"""Mail to the owners of groups (OWNERSHIP.md line 3)."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.records import MailRecord, NewMail
from gnomon.store.transaction import Transaction


def take(tx: Transaction, groups: Iterable[int], limit: int) -> list[MailRecord]:
    """The oldest letters to these groups, at most `limit`. They stay until a `Changes` that applied them deletes them."""
    return [MailRecord(*row) for row in tx.all("mail.take", groups=list(groups), most=limit)]


def send(tx: Transaction, letters: Iterable[NewMail]) -> None:
    """The letters are there once this is stored. One whose key is already there is dropped."""
    tx.send_many("mail.send", [(letter.group_no, letter.kind, letter.key, letter.body, letter.at) for letter in letters])
