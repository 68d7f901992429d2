"""Which account a subject of an identity provider uses. The pair of issuer and subject is the only identification that OpenID Connect calls stable."""

from __future__ import annotations

from gnomon.storage.store.transaction import Transaction


def find_account_of_subject(tx: Transaction, issuer: str, subject: str) -> int | None:
    """The key of the account; None when the subject was never here, or its account was deleted."""
    row = tx.one("account_identities.find", issuer=issuer, subject=subject)
    return None if row is None else int(row[0])


def add_subject(tx: Transaction, issuer: str, subject: str, account_pk: int) -> None:
    """The subject uses the account from now on."""
    tx.run("account_identities.add", issuer=issuer, subject=subject, account_pk=account_pk)


def has_subject(tx: Transaction, account_pk: int) -> bool:
    """Whether a subject uses the account."""
    row = tx.one("account_identities.count_of", account_pk=account_pk)
    return row is not None and bool(row[0])
