"""The key check: a sealed value that the first start leaves in the database, and that every host opens as it starts.

So a host with another key is told at once, and not by the first value that it cannot open. The value tells nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.store.errors import WrongKey
from gnomon.store.transaction import Transaction

_TEXT = "gnomon"


def verify(tx: Transaction) -> bool:
    """Whether the value stands, sealed by the key that seals here. WrongKey when it, or what else is sealed, does not open."""
    tx.cipher.ready()
    row = tx.one("key_check.standing")
    _open(tx, row or ())
    return row is not None and tx.cipher.has_sealed(row[0])


def bind(tx: Transaction) -> None:
    """The value stands, sealed by the key that seals here. Of hosts that come at once the first one's key counts: WrongKey."""
    row = tx.one("key_check.hold", sealed=tx.cipher.seal(_TEXT))
    assert row is not None
    _open(tx, row)
    if not tx.cipher.has_sealed(row[0]):
        put(tx)


def put(tx: Transaction) -> None:
    """The value stands, sealed by the key that seals here, whatever stood there."""
    tx.run("key_check.put", sealed=tx.cipher.seal(_TEXT))


def _open(tx: Transaction, standing: Iterable[str]) -> None:
    """The value that stands, and a sample of all else that is sealed, can be opened."""
    try:
        for text in (*standing, *(tx.one("key_check.samples") or ())):
            if text is not None:
                tx.cipher.open(text)
    except WrongKey as error:
        raise WrongKey(f"{error}. When no copy of that key is left: `gnomon db adopt-key --help`") from None
