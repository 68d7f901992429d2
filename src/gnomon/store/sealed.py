"""All that is sealed in a database, wherever it stands: what would be lost with a key."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gnomon.store.errors import WrongKey
from gnomon.store.specs import unpack_spec
from gnomon.store.transaction import Transaction
from gnomon.store.waits import is_clear

SPECS = 100
"""Versions of DAGs that are read at once."""


def unopened(tx: Transaction) -> list[str]:
    """What the key of this host does not open, in words: Variables and connections by name, the rest by number."""
    variables = [f"Variable {key}" for key, value, _, sealed in tx.all("variables.list") if sealed and not _opens(tx, value)]
    connections = [
        f"connection {row[0]}" for row in tx.all("connections.list") if row[9] and not _opens(tx, row[5], row[7])
    ]
    waits = sum(not _opens(tx, text) for (text,) in tx.all("sealed.waits") if text is not None and not is_clear(text))
    letters = sum(not _opens(tx, _of_letter(*row)) for row in tx.all("sealed.letters"))
    specs = sum(not _unpacks(tx, spec) for spec in _specs(tx))
    counted = [
        (waits, "of waiting tasks"), (letters, "on their way to schedulers"), (specs, "in DAGs whose tasks start from triggers")
    ]
    return [*variables, *connections, *(f"{count} {where}" for count, where in counted if count)]


def _opens(tx: Transaction, *texts: str | None) -> bool:
    try:
        for text in texts:
            if text is not None:
                tx.cipher.open(text)
    except WrongKey:
        return False
    return True


def _of_letter(kind: str, body: str) -> str | None:
    """What is sealed of a letter."""
    if kind == "trigger":
        return None if is_clear(body) else body
    try:
        sealed = json.loads(body).get("sealed")
    except (ValueError, AttributeError):
        return None  # nobody can read it: the scheduler says so
    return sealed if isinstance(sealed, str) else None


def _unpacks(tx: Transaction, spec: bytes) -> bool:
    try:
        unpack_spec(tx, spec)
    except WrongKey:
        return False
    return True


def _specs(tx: Transaction) -> Iterator[bytes]:
    after = 0
    while rows := tx.all("sealed.specs", after=after, most=SPECS):
        yield from (spec for _, spec in rows)
        after = rows[-1][0]
