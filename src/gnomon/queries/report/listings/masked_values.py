"""Values with *** for their secrets, and the way back: a user who changes a value sends back what was shown.

A part that is sent back as it was shown is the stored part. *** that stands for no stored secret any more, because its place or the text around it was
changed, is refused: it would be stored over the secret. Source: `merge` of Airflow's secrets masker, which does so for texts under sensitive names.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from gnomon.authoring.sdk.connections.secrets_masker import redact
from gnomon.model.errors.product import UserError
from gnomon.model.json_text import escape_surrogates
from gnomon.model.sentences import say
from gnomon.queries.report.listings.connection_list import HIDDEN, hide_stored_secrets, make_row
from gnomon.storage.store import StoreError, Transaction
from gnomon.storage.store.admin.connections import StoredConnection
from gnomon.storage.store.admin.variables import StoredVariable


class MaskedSecret(UserError):
    """A value has *** in the place of a stored secret, and which one cannot be told."""

    def __init__(self, subject: str, place: str) -> None:
        super().__init__(say("masked_value_was_changed", subject_text=subject, place=place or "the value", text=HIDDEN))


def mask_variable(variable: StoredVariable, *, recodes_objects: bool = False) -> str:
    """The value of the Variable with *** for what is secret: all of it under a sensitive key, and values under sensitive names in JSON.

    `recodes_objects`: a JSON object is written in one line, also without a secret, as Airflow's API does.
    """
    parsed = _parse_container(variable.value)
    if parsed is None:
        return str(redact(variable.value, variable.key))
    masked = redact(parsed, variable.key)
    is_kept = masked == parsed and not (recodes_objects and isinstance(parsed, dict))
    return variable.value if is_kept else json.dumps(escape_surrogates(masked), ensure_ascii=False)


def keep_variable_secrets(tx: Transaction, before: StoredVariable, value: str) -> str:
    """The new value of the Variable, with the stored secrets in the places of ***. Raises MaskedSecret."""
    if HIDDEN not in value or value == before.value:
        return value
    shown = mask_variable(before)
    if value == shown:
        return before.value
    subject = f"Variable {before.key!r}"
    old, new = _parse_container(before.value), _parse_container(value)
    if old is None or new is None:
        return str(_restore_text(subject, value, before.value, _hide(tx, shown)))
    restored = _restore(subject, "", new, old, _hide(tx, redact(old, before.key)))
    if restored == old:
        return before.value
    return value if restored == new else json.dumps(restored, indent=2 if "\n" in value else None, ensure_ascii=False)


def keep_connection_secrets(
    tx: Transaction, before: StoredConnection, connection: StoredConnection
) -> StoredConnection:
    """The new connection, with the stored secrets in the places of ***. Raises MaskedSecret."""
    row = make_row(before, shows_secrets=False)
    restored: dict[str, str] = {}
    for name in ("password", "host", "schema", "description"):
        new, old = getattr(connection, name), getattr(before, name)
        if new is not None and old is not None and HIDDEN in new and new != old:
            restored[name] = _restore_text(f"connection {before.conn_id!r}", new, old, getattr(row, name), name)
    if connection.extra is not None and before.extra is not None and HIDDEN in connection.extra:
        restored["extra"] = _restore_extra(
            tx, f"connection {before.conn_id!r}", connection.extra, before.extra, row.extra or ""
        )
    return replace(connection, **restored)  # type: ignore[arg-type]  # all of these fields are texts


def keep_json_secrets(tx: Transaction, subject: str, text: str, before: str) -> str:
    """The new JSON text, with the stored secrets in the places of ***. Raises MaskedSecret."""
    if HIDDEN not in text or text == before:
        return text
    new, old = json.loads(text), json.loads(before)
    restored = _restore(subject, "", new, old, hide_stored_secrets(tx, old))
    return text if restored == new else json.dumps(restored, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _restore_extra(tx: Transaction, subject: str, new: str, old: str, shown: str) -> str:
    if new == shown:
        return old
    parsed_new, parsed_old = _parse_container(new), _parse_container(old)
    if parsed_new is None or parsed_old is None:
        return _restore_text(subject, new, old, shown, "extra")
    restored = _restore(subject, "extra", parsed_new, parsed_old, _hide(tx, redact(parsed_old)))
    if restored == parsed_old:
        return old
    return new if restored == parsed_new else json.dumps(restored)


def _hide(tx: Transaction, value: Any) -> Any:
    """With *** for the secrets of all stored connections and Variables too: what was shown came from a process that may know them."""
    try:
        return hide_stored_secrets(tx, value)
    except StoreError:  # one of them cannot be decrypted, so no process shows this value with its secret masked
        return value


def _restore(subject: str, place: str, new: Any, old: Any, shown: Any) -> Any:
    """`shown`: the old value with its secrets masked."""
    if shown == old:
        return new
    if new == shown:
        return old
    if isinstance(new, dict) and isinstance(old, dict):
        return {
            key: _restore(subject, _join(place, key), item, old[key], shown[key])
            if key in old and key in shown
            else _refuse_mask(subject, _join(place, key), item)
            for key, item in new.items()
        }
    if isinstance(new, list) and isinstance(old, list):
        return [_restore_item(subject, f"{place}[{number}]", number, new, old, shown) for number in range(len(new))]
    if isinstance(new, str) and isinstance(old, str):
        return _restore_text(subject, new, old, shown, place)
    return _refuse_mask(subject, place, new)


def _restore_item(subject: str, place: str, number: int, new: list[Any], old: list[Any], shown: list[Any]) -> Any:
    """An item of a list: elements may have been removed, added or moved, so one that is as it was shown is that one, wherever it stands now."""
    item = new[number]
    if not _has_mask(item, is_whole=False):
        return item
    is_long = len(new) == len(old)
    if is_long and item == shown[number]:
        return old[number]
    same = [before for before, masked in zip(old, shown, strict=True) if masked == item]
    if same and all(before == same[0] for before in same):
        return same[0]
    if is_long and shown[number] not in new:
        return _restore(subject, place, item, old[number], shown[number])
    raise MaskedSecret(subject, place)


def _restore_text(subject: str, new: str, old: str, shown: str, place: str = "") -> str:
    if new == shown:
        return old
    if shown not in (old, HIDDEN) and HIDDEN in new:  # a part of the text is a secret
        raise MaskedSecret(subject, place)
    return new


def _refuse_mask(subject: str, place: str, value: Any) -> Any:
    """The value, which stands where nothing was, beside secrets: *** alone must be one of them."""
    if _has_mask(value, is_whole=True):
        raise MaskedSecret(subject, place)
    return value


def _has_mask(value: Any, *, is_whole: bool) -> bool:
    """Whether a text in the value has ***; `is_whole`: is ***."""
    if isinstance(value, str):
        return value == HIDDEN if is_whole else HIDDEN in value
    if isinstance(value, dict):
        return any(
            _has_mask(key, is_whole=is_whole) or _has_mask(item, is_whole=is_whole) for key, item in value.items()
        )
    return isinstance(value, list) and any(_has_mask(item, is_whole=is_whole) for item in value)


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _parse_container(text: str) -> Any:
    """The object or the list of a JSON text; None for any other text."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict | list) else None
