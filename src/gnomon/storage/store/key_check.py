"""The key check: an encrypted value that the first start stores in the database and that every host decrypts at its start.

A host with another key so fails at its start, and not at the first value that it cannot decrypt.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from gnomon.model.instants import SECOND
from gnomon.model.sentences import Command, say
from gnomon.storage.store.errors import InvalidKey, ResourceInUse, WrongKey
from gnomon.storage.store.record_codec import decode_spec
from gnomon.storage.store.transaction import Transaction
from gnomon.storage.store.trigger_queue.deferrals import is_plaintext

_CHECK_TEXT = "gnomon"


def verify_key(tx: Transaction) -> bool:
    """Whether the check value exists and was encrypted with the first key of this host.

    Raises WrongKey when this host does not decrypt it, or a sample of the other encrypted values.
    """
    tx.cipher.check_usable()
    row = tx.one("key_check.find")
    _decrypt_samples(tx, row or ())
    return row is not None and tx.cipher.uses_primary_key(row[0])


def is_key_of_database(tx: Transaction) -> bool:
    """Whether this host has the key of the database, whatever single values do not decrypt: these are damaged then."""
    row = tx.one("key_check.find")
    if row is not None:
        return _can_decrypt(tx, row[0])
    try:
        verify_key(tx)
    except (WrongKey, InvalidKey):
        return False
    return True


def bind_key(tx: Transaction) -> None:
    """Store the check value, encrypted with the first key of this host. The first host wins; another key raises WrongKey."""
    row = tx.one("key_check.add", sealed=tx.cipher.encrypt(_CHECK_TEXT))
    assert row is not None
    _decrypt_samples(tx, row)
    if not tx.cipher.uses_primary_key(row[0]):
        replace_check_value(tx)


def replace_check_value(tx: Transaction) -> None:
    """Store the check value, encrypted with the first key of this host, in place of an existing one."""
    tx.run("key_check.put", sealed=tx.cipher.encrypt(_CHECK_TEXT))


def _decrypt_samples(tx: Transaction, check_values: Iterable[str]) -> None:
    """Decrypt the check value and a sample of the other encrypted values. Raises WrongKey."""
    try:
        for text in (*check_values, *(tx.one("key_check.samples") or ())):
            if text is not None:
                tx.cipher.decrypt(text)
    except WrongKey as error:
        raise WrongKey(say("key_is_lost", error=str(error), command=Command("db adopt-key", (), ("--help",)))) from None


SILENCE_S = 20.0
"""A service without a heartbeat for this time has ended."""
_VALUES_SHOWN = 5


def list_live_services(tx: Transaction) -> list[str]:
    """The services with a heartbeat in the last SILENCE_S seconds, each as `scheduler on HOST`."""
    return [
        f"{service} on {host}"
        for service, host in tx.all("key_check.live_services", since=tx.lease_now() - round(SILENCE_S * SECOND))
    ]


def adopt_key(tx: Transaction) -> None:
    """Make the key of this host the key of the database.

    Raises ResourceInUse while a service runs that may have the old key, WrongKey while the database holds values of the old key.
    """
    running = list_live_services(tx)
    if running:
        names = ", ".join(running)
        raise ResourceInUse(say("key_is_in_use", names=names, duration=SILENCE_S))
    lost = list_undecryptable(tx)
    if lost:
        more = say("and_more", count=len(lost) - _VALUES_SHOWN) if len(lost) > _VALUES_SHOWN else None
        names = ", ".join(lost[:_VALUES_SHOWN])
        raise WrongKey(say("values_need_old_key", names=names, more=more, command=Command("variables delete")))
    replace_check_value(tx)


SPECS_PER_READ = 100
"""Versions of DAGs that one statement reads."""


def list_undecryptable(tx: Transaction) -> list[str]:
    """The values that the key of this host does not decrypt: Variables and connections by name, the others as counts."""
    variables = [
        f"Variable {key}"
        for key, value, _, encrypted in tx.all("variables.list")
        if encrypted and not _can_decrypt(tx, value)
    ]
    connections = [
        f"connection {row[0]}" for row in tx.all("connections.list") if row[9] and not _can_decrypt(tx, row[5], row[7])
    ]
    waits = sum(
        not _can_decrypt(tx, text)
        for (text,) in tx.all("key_check.trigger_values")
        if text is not None and not is_plaintext(text)
    )
    messages = sum(not _can_decrypt(tx, _find_ciphertext(*row)) for row in tx.all("key_check.mail"))
    specs = sum(not _can_unpack(tx, spec) for spec in _iter_specs(tx))
    counted = [
        (waits, "of waiting tasks"),
        (messages, "on their way to schedulers"),
        (specs, "in DAGs whose tasks start from triggers"),
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
    """The encrypted part of a message; None when it has none."""
    if kind == "trigger":
        return None if is_plaintext(body) else body
    try:
        ciphertext = json.loads(body).get("sealed")
    except (ValueError, AttributeError):
        return None  # a malformed message: the scheduler reports it
    return ciphertext if isinstance(ciphertext, str) else None


def _can_unpack(tx: Transaction, spec: bytes) -> bool:
    try:
        decode_spec(tx, spec)
    except WrongKey:
        return False
    return True


def _iter_specs(tx: Transaction) -> Iterator[bytes]:
    after = 0
    while rows := tx.all("key_check.specs", after=after, limit=SPECS_PER_READ):
        yield from (spec for _, spec in rows)
        after = rows[-1][0]
