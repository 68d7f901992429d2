"""Variables: named text that DAG files and tasks read. Values are encrypted; values from before encryption are read in clear text."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.storage.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class StoredVariable:
    """One Variable."""

    key: str
    value: str
    description: str | None


def get_variable(tx: Transaction, key: str) -> str | None:
    """The value; None when the Variable does not exist. Raises WrongKey."""
    variable = find_variable(tx, key)
    return None if variable is None else variable.value


def find_variable(tx: Transaction, key: str) -> StoredVariable | None:
    """The Variable; None when it does not exist. Raises WrongKey."""
    row = tx.one("variables.get", key=key)
    return None if row is None else _decode(tx, row)


def set_variable(tx: Transaction, key: str, value: str, description: str | None = None) -> None:
    """Insert or replace a Variable; a description of None keeps the existing one. Raises InvalidKey."""
    tx.run("variables.put", key=key, value=tx.cipher.encrypt(value), description=description, encrypted=True)


def delete_variable(tx: Transaction, key: str) -> bool:
    """Delete a Variable; False when it did not exist."""
    return tx.run("variables.remove", key=key) == 1


def list_variable_keys(tx: Transaction, prefix: str = "") -> list[str]:
    """The keys that begin with `prefix`, in order."""
    return [row[0] for row in tx.all("variables.list") if row[0].startswith(prefix)]


def read_raw_rows(tx: Transaction) -> list[Row]:
    """Every Variable as it is stored, encrypted: to see whether one has changed."""
    return tx.all("variables.list")


def list_variables(tx: Transaction) -> list[StoredVariable]:
    """All Variables by key. Raises WrongKey."""
    return [_decode(tx, row) for row in tx.all("variables.list")]


def _decode(tx: Transaction, row: Row) -> StoredVariable:
    key, value, description, encrypted = row
    return StoredVariable(key, tx.cipher.decrypt(value) if encrypted else value, description)
