"""Variables: named text that DAG files and tasks read. Values are sealed at rest; older ones may stand there in clear text."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class StoredVariable:
    """One Variable."""

    key: str
    value: str
    description: str | None


def get_variable(tx: Transaction, key: str) -> str | None:
    """The value, None when there is no such Variable."""
    found = find_variable(tx, key)
    return None if found is None else found.value


def find_variable(tx: Transaction, key: str) -> StoredVariable | None:
    """The Variable, None when there is none."""
    row = tx.one("variables.get", key=key)
    return None if row is None else _decode(tx, row)


def set_variable(tx: Transaction, key: str, value: str, description: str | None = None) -> None:
    """The Variable has this value; a description of None keeps the one it had."""
    tx.run("variables.put", key=key, value=tx.cipher.encrypt(value), description=description, encrypted=True)


def delete_variable(tx: Transaction, key: str) -> bool:
    """The Variable is gone; False when there was none."""
    return tx.run("variables.remove", key=key) == 1


def list_variable_keys(tx: Transaction, prefix: str = "") -> list[str]:
    """The keys that begin with `prefix`, in order."""
    return [row[0] for row in tx.all("variables.list") if row[0].startswith(prefix)]


def list_variables(tx: Transaction) -> list[StoredVariable]:
    """All Variables by key."""
    return [_decode(tx, row) for row in tx.all("variables.list")]


def _decode(tx: Transaction, row: Row) -> StoredVariable:
    key, value, description, encrypted = row
    return StoredVariable(key, tx.cipher.decrypt(value) if encrypted else value, description)
