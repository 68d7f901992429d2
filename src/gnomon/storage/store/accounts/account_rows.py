"""Accounts and their grants on single DAGs. Names are compared without regard to case."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from gnomon.model.accounts import Account, Grant, GrantKind, Role, parse_role
from gnomon.model.change_entries import LoginsChange
from gnomon.model.instants import Instant
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.transaction import Row, Transaction

_EPOCH_BITS = 62
"""The first epoch of an account is random: no other account of the same name, earlier or later, has one of its epochs."""


def add_account(tx: Transaction, name: str, password_hash: str | None, role: Role, now: Instant) -> int | None:
    """Insert an account; returns its key, which no other account has had, or None when the name is taken."""
    epoch = secrets.randbits(_EPOCH_BITS)
    row = tx.one(
        "accounts.add",
        name=name,
        name_key=make_name_key(name),
        password_hash=password_hash,
        role=str(role),
        epoch=epoch,
        created_at=now,
    )
    return None if row is None else int(row[0])


def make_name_key(name: str) -> str:
    """The form in which names are compared."""
    return name.casefold()


def find_account(tx: Transaction, name: str) -> Account | None:
    """The account of that name with its grants; None when there is none."""
    row = tx.one("accounts.by_name", name_key=make_name_key(name))
    return None if row is None else _decode(row, list_grants(tx, row[0]))


def get_account(tx: Transaction, account_pk: int) -> Account | None:
    """The account with its grants; None when it was deleted."""
    row = tx.one("accounts.by_key", account_pk=account_pk)
    return None if row is None else _decode(row, list_grants(tx, account_pk))


def list_accounts(tx: Transaction) -> list[Account]:
    """All accounts by name, with their grants."""
    grants: dict[int, list[Grant]] = {}
    for row in tx.all("accounts.grants"):
        grants.setdefault(row[0], []).append(_decode_grant(row))
    return [_decode(row, grants.get(row[0], ())) for row in tx.all("accounts.list")]


def lock_accounts(tx: Transaction) -> None:
    """Keep other transactions from changing accounts until this one ends."""
    tx.all("accounts.lock")


def lock_unchanged(tx: Transaction, account_pk: int, epoch: int) -> bool:
    """Whether the account exists, with the password and the role of that epoch; if so they stay until the transaction ends."""
    return tx.one("accounts.lock_unchanged", account_pk=account_pk, epoch=epoch) is not None


def update_role(tx: Transaction, account_pk: int, role: Role) -> None:
    """Change the role and end the validity of signed tokens."""
    tx.run("accounts.update_role", account_pk=account_pk, role=str(role))
    record_change(tx, LoginsChange(account_pk))


def update_password(tx: Transaction, account_pk: int, password_hash: str | None) -> None:
    """Change the password and end the validity of signed tokens."""
    tx.run("accounts.update_password", account_pk=account_pk, password_hash=password_hash)
    record_change(tx, LoginsChange(account_pk))


def refresh_hash(tx: Transaction, account_pk: int, old_hash: str, password_hash: str) -> None:
    """Store another hash of the same password."""
    tx.run("accounts.refresh_hash", account_pk=account_pk, old_hash=old_hash, password_hash=password_hash)


def delete_account(tx: Transaction, account_pk: int) -> None:
    """Delete the account with its grants, tokens and sessions."""
    tx.run("accounts.remove", account_pk=account_pk)
    record_change(tx, LoginsChange(account_pk))


def list_grants(tx: Transaction, account_pk: int) -> tuple[Grant, ...]:
    """The grants of an account."""
    return tuple(_decode_grant(row) for row in tx.all("accounts.grants_of", account_pk=account_pk))


def put_grant(tx: Transaction, account_pk: int, grant: Grant) -> None:
    """Insert a grant, or change the role of the one with the same pattern."""
    tx.run(
        "accounts.put_grant", account_pk=account_pk, kind=str(grant.kind), pattern=grant.pattern, role=str(grant.role)
    )
    record_change(tx, LoginsChange(account_pk))


def delete_grant(tx: Transaction, account_pk: int, kind: GrantKind, pattern: str) -> bool:
    """Delete a grant; False when there is none."""
    record_change(tx, LoginsChange(account_pk))
    return tx.run("accounts.remove_grant", account_pk=account_pk, kind=str(kind), pattern=pattern) == 1


def _decode(row: Row, grants: Sequence[Grant]) -> Account:
    account_pk, name, role, epoch, created_at, password_hash = row
    return Account(account_pk, name, parse_role(role), tuple(grants), epoch, created_at, password_hash)


def _decode_grant(row: Row) -> Grant:
    return Grant(GrantKind(row[1]), row[2], parse_role(row[3]))
