"""The key check: a sealed value that the first start leaves in the database, and that every host opens as it starts.

So a host with another key is told at once, and not by the first value that it cannot open. The value tells nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from gnomon.model.instants import SECOND
from gnomon.store.errors import ResourceInUse, WrongKey
from gnomon.store.record_codec import decode_spec
from gnomon.store.transaction import Transaction
from gnomon.store.trigger_queue.deferrals import is_plaintext

_CHECK_TEXT = "gnomon"


def verify_key(tx: Transaction) -> bool:
    """Whether the value stands, sealed by the key that seals here. WrongKey when it, or what else is sealed, does not open."""
    tx.cipher.check_usable()
    row = tx.one("key_check.standing")
    _decrypt_samples(tx, row or ())
    return row is not None and tx.cipher.uses_primary_key(row[0])


def bind_key(tx: Transaction) -> None:
    """The value stands, sealed by the key that seals here. Of hosts that come at once the first one's key counts: WrongKey."""
    row = tx.one("key_check.hold", sealed=tx.cipher.encrypt(_CHECK_TEXT))
    assert row is not None
    _decrypt_samples(tx, row)
    if not tx.cipher.uses_primary_key(row[0]):
        replace_check_value(tx)


def replace_check_value(tx: Transaction) -> None:
    """The value stands, sealed by the key that seals here, whatever stood there."""
    tx.run("key_check.put", sealed=tx.cipher.encrypt(_CHECK_TEXT))


def _decrypt_samples(tx: Transaction, standing: Iterable[str]) -> None:
    """The value that stands, and a sample of all else that is sealed, can be opened."""
    try:
        for text in (*standing, *(tx.one("key_check.samples") or ())):
            if text is not None:
                tx.cipher.decrypt(text)
    except WrongKey as error:
        raise WrongKey(f"{error}. When no copy of that key is left: `gnomon db adopt-key --help`") from None


SILENCE_S = 20.0
"""A service that has not beaten for so long is gone."""
_SHOWN = 5


def adopt_key(tx: Transaction) -> None:
    """The database has the key of this host from now on.

    InUse while a service beats, which may hold the old key; WrongKey while something stands that only the old key opens.
    """
    running = tx.all("key_check.beating", since=tx.lease_now() - round(SILENCE_S * SECOND))
    if running:
        named = ", ".join(f"{service} on {host}" for service, host in running)
        raise ResourceInUse(
            f"the key is not changed while services run that may hold it ({named}): copy fernet.key from there; or stop them, "
            f"wait {SILENCE_S:g} s if they were killed, and try again"
        )
    lost = list_undecryptable(tx)
    if lost:
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        raise WrongKey(
            f"only the old key opens what this database holds: {', '.join(lost[:_SHOWN])}{more}; nothing was changed. Delete "
            "the Variables (`gnomon variables delete`); for anything else, put the old key back or begin with a new database"
        )
    replace_check_value(tx)


SPECS_PER_READ = 100
"""Versions of DAGs that are read at once."""


def list_undecryptable(tx: Transaction) -> list[str]:
    """What the key of this host does not open, in words: Variables and connections by name, the rest by number."""
    variables = [f"Variable {key}" for key, value, _, sealed in tx.all("variables.list") if sealed and not _can_decrypt(tx, value)]
    connections = [
        f"connection {row[0]}" for row in tx.all("connections.list") if row[9] and not _can_decrypt(tx, row[5], row[7])
    ]
    waits = sum(not _can_decrypt(tx, text) for (text,) in tx.all("sealed.waits") if text is not None and not is_plaintext(text))
    letters = sum(not _can_decrypt(tx, _find_ciphertext(*row)) for row in tx.all("sealed.letters"))
    specs = sum(not _can_unpack(tx, spec) for spec in _iter_specs(tx))
    counted = [
        (waits, "of waiting tasks"), (letters, "on their way to schedulers"), (specs, "in DAGs whose tasks start from triggers")
    ]
    return [*variables, *connections, *(f"{count} {where}" for count, where in counted if count)]


def _can_decrypt(tx: Transaction, *texts: str | None) -> bool:
    try:
        for text in texts:
            if text is not None:
                tx.cipher.decrypt(text)
    except WrongKey:
        return False
    return True


def _find_ciphertext(kind: str, body: str) -> str | None:
    """What is sealed of a letter."""
    if kind == "trigger":
        return None if is_plaintext(body) else body
    try:
        sealed = json.loads(body).get("sealed")
    except (ValueError, AttributeError):
        return None  # nobody can read it: the scheduler says so
    return sealed if isinstance(sealed, str) else None


def _can_unpack(tx: Transaction, spec: bytes) -> bool:
    try:
        decode_spec(tx, spec)
    except WrongKey:
        return False
    return True


def _iter_specs(tx: Transaction) -> Iterator[bytes]:
    after = 0
    while rows := tx.all("sealed.specs", after=after, most=SPECS_PER_READ):
        yield from (spec for _, spec in rows)
        after = rows[-1][0]
