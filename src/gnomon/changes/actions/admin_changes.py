"""Changes of connections, Variables and pools by a user. Each is a line in the audit log with the values before and after, secrets masked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.model.accounts import Author
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.errors.product import UserError
from gnomon.model.records import EventRecord, PoolRecord
from gnomon.model.sentences import say
from gnomon.model.storable_text import POOL_NAME_MAX, escape_unstorable, find_unstorable
from gnomon.queries.report.listings.connection_list import HIDDEN, make_row
from gnomon.queries.report.listings.masked_values import keep_connection_secrets, keep_variable_secrets
from gnomon.storage.store.admin import connections, pools, variables
from gnomon.storage.store.admin.connections import StoredConnection
from gnomon.storage.store.admin.variables import StoredVariable
from gnomon.storage.store.dag_records.event_log import log_event
from gnomon.storage.store.errors import InvalidKey, WrongKey
from gnomon.storage.store.transaction import Transaction

_SHOWN = 40
"""So many characters of a name that is too long are shown."""
_CHANGED = f"{HIDDEN} (changed)"
"""A masked value that differs from the masked value before."""
SLOTS_MAX = 2**31 - 1
"""The largest number of slots of a pool."""
VARIABLE_KEY_MAX = 250
CONNECTION_ID_MAX = 200
"""Characters of a name, as in Airflow: an index of PostgreSQL holds no long text (for pools: `gnomon.model.storable_text`)."""


def _check_texts(kind: str, subject: str, most: int, **texts: str | None) -> None:
    """Raise UserError for a name of more than `most` characters, and, with the name of the field, for a text that no database stores."""
    if len(subject) > most:
        raise UserError(say("name_is_too_long", thing=kind, most=most, length=len(subject), text=subject[:_SHOWN]))
    for name, text in texts.items():
        if text is not None and (fault := find_unstorable(text)) is not None:
            raise UserError(
                say(
                    "text_cannot_be_stored",
                    subject_text=escape_unstorable(f"{kind} {subject!r}"),
                    name=name,
                    fault=escape_unstorable(fault),
                )
            )


class AdminChanges:
    """The changes of one transaction, in the name of its author."""

    def __init__(self, tx: Transaction, author: Author) -> None:
        self.tx = tx
        self._author = author

    def set_connection(self, connection: StoredConnection) -> None:
        """Insert or replace a connection. *** for a secret, as answers show it, is the stored secret.

        Raises InvalidKey, MaskedSecret, and UserError for a field that a connection cannot have.
        """
        texts = {
            field.name: value
            for field in fields(connection)
            if isinstance(value := getattr(connection, field.name), str)
        }
        _check_texts("connection", connection.conn_id, CONNECTION_ID_MAX, **texts)
        before = connections.get_connection(self.tx, connection.conn_id)
        if before is not None:
            connection = keep_connection_secrets(self.tx, before, connection)
        _check_fields(connection)
        connections.set_connection(self.tx, connection)
        after = _describe_connection(connection)
        if before is not None:
            after = {
                name: _CHANGED if _is_masked_change(name, before, connection, value) else value
                for name, value in after.items()
            }
        self._log("connection", connection.conn_id, None if before is None else _describe_connection(before), after)

    def delete_connection(self, conn_id: str) -> bool:
        """Delete a connection, also one that the key of this host does not decrypt; False when it did not exist."""
        try:
            before = connections.get_connection(self.tx, conn_id)
            shown = None if before is None else _describe_connection(before)
        except (InvalidKey, WrongKey) as error:
            shown = {"unreadable": str(error)}
        is_deleted = connections.delete_connection(self.tx, conn_id)
        if is_deleted:
            self._log("connection", conn_id, shown, None)
        return is_deleted

    def set_variable(self, key: str, value: str, description: str | None = None) -> None:
        """Insert or replace a Variable; a description of None keeps the existing one, an empty text deletes it. Raises InvalidKey.

        *** for a secret, as answers show it, is the stored secret; raises MaskedSecret where it cannot be told which.
        """
        _check_texts("Variable", key, VARIABLE_KEY_MAX, key=key, value=value.replace("\0", ""), description=description)
        before = variables.find_variable(self.tx, key)
        if before is not None:
            value = keep_variable_secrets(self.tx, before, value)
        variables.set_variable(self.tx, key, value, description)
        after = _describe_variable(
            StoredVariable(key, value, description if description is not None or before is None else before.description)
        )
        if before is not None and before.value != value:
            after["value"] = _CHANGED
        self._log("variable", key, None if before is None else _describe_variable(before), after)

    def delete_variable(self, key: str) -> bool:
        """Delete a Variable, also one that the key of this host does not decrypt; False when it did not exist."""
        try:
            before = variables.find_variable(self.tx, key)
            shown = None if before is None else _describe_variable(before)
        except (InvalidKey, WrongKey) as error:
            shown = {"unreadable": str(error)}
        is_deleted = variables.delete_variable(self.tx, key)
        if is_deleted:
            self._log("variable", key, shown, None)
        return is_deleted

    def set_pool(self, name: str, slots: int, *, description: str = "", include_deferred: bool = False) -> None:
        """Insert or replace a pool; `slots` of -1 means unlimited. Raises UserError for a text or a number that cannot be stored."""
        _check_texts("pool", name, POOL_NAME_MAX, name=name, description=description)
        if not -1 <= slots <= SLOTS_MAX:
            raise UserError(say("pool_has_too_many_slots", most=SLOTS_MAX))
        before = pools.find_pool(self.tx, name)
        pools.set_pool(self.tx, name, slots, description=description, include_deferred=include_deferred)
        self._log(
            "pool",
            name,
            None if before is None else _describe_pool(before),
            _describe_pool(PoolRecord(name, slots, 0, include_deferred, description)),
        )

    def delete_pool(self, name: str) -> None:
        """Delete a pool. Raises ResourceInUse, NotFound."""
        before = pools.find_pool(self.tx, name)
        pools.delete_pool(self.tx, name)
        self._log("pool", name, None if before is None else _describe_pool(before), None)

    def _log(self, thing: str, name: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
        """Write the line `connection_created`, `pool_changed`, `variable_deleted`, ...; none when nothing changed."""
        if before == after:
            return
        kind = f"{thing}_{'created' if before is None else 'deleted' if after is None else 'changed'}"
        body = {thing: name, "before": before, "after": after, "from": self._author.address or None}
        log_event(
            self.tx,
            EventRecord(
                self._author.now,
                kind,
                by=self._author.by,
                address=self._author.address or None,
                body=json.dumps({key: value for key, value in body.items() if value is not None}),
            ),
        )


def _check_fields(connection: StoredConnection) -> None:
    """As for the object that authors get: what is stored must be usable."""
    try:
        Connection(connection.conn_id, port=connection.port, extra=connection.extra)
    except AirflowException as error:
        raise UserError(say("connection_is_wrong", error=str(error))) from None


def _describe_connection(stored: StoredConnection) -> dict[str, Any]:
    row = make_row(stored, shows_secrets=False)
    fields = ("conn_type", "host", "schema", "login", "password", "port", "extra", "description")
    return {name: value for name in fields if (value := getattr(row, name)) not in (None, "")}


def _is_masked_change(name: str, before: StoredConnection, after: StoredConnection, shown: Any) -> bool:
    """Whether the field has another value than before and its masked text is the same."""
    return bool(getattr(before, name) != getattr(after, name) and _describe_connection(before).get(name) == shown)


def _describe_variable(variable: StoredVariable) -> dict[str, Any]:
    """The value is masked whatever its key: the table of Variables has it encrypted, and the audit log is clear text."""
    shown = {"value": HIDDEN, "description": variable.description}
    return {name: value for name, value in shown.items() if value is not None}


def _describe_pool(pool: PoolRecord) -> dict[str, Any]:
    return {"slots": pool.slots, "include_deferred": pool.include_deferred, "description": pool.description}
