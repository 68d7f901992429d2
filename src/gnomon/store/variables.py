"""Variables: named text that DAG files and tasks read."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.store.transaction import Row, Transaction


@dataclass(frozen=True, slots=True)
class Variable:
    """One Variable; `value` is as it was set, which is ciphertext when `encrypted`."""

    key: str
    value: str
    description: str | None
    encrypted: bool


def get(tx: Transaction, key: str) -> str | None:
    """The value, None when there is no such Variable."""
    found = find(tx, key)
    return None if found is None else found.value


def find(tx: Transaction, key: str) -> Variable | None:
    """The Variable, None when there is none."""
    row = tx.one("variables.get", key=key)
    return None if row is None else _variable(row)


def set(tx: Transaction, key: str, value: str, description: str | None = None, *, encrypted: bool = False) -> None:
    """The Variable has this value; a description of None keeps the one it had."""
    tx.run("variables.put", key=key, value=value, description=description, encrypted=encrypted)


def delete(tx: Transaction, key: str) -> bool:
    """The Variable is gone; False when there was none."""
    return tx.run("variables.remove", key=key) == 1


def keys(tx: Transaction, prefix: str = "") -> list[str]:
    """The keys that begin with `prefix`, in order."""
    return [variable.key for variable in list_variables(tx) if variable.key.startswith(prefix)]


def list_variables(tx: Transaction) -> list[Variable]:
    """All Variables by key."""
    return [_variable(row) for row in tx.all("variables.list")]


def _variable(row: Row) -> Variable:
    return Variable(row[0], row[1], row[2], bool(row[3]))
