"""`var` and `conn` in templates."""

from __future__ import annotations

from typing import Any

from gnomon.authoring.sdk.arguments.notset import NOTSET, is_given
from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.authoring.sdk.connections.variable import Variable
from gnomon.model.errors.authoring import AirflowNotFoundException

_RENDERING_PROBE = "template_fields"
"""An attribute that rendering reads on every object; it is not the name of a Variable or connection."""


class VariableAccessor:
    """`var.value.name` and `var.json.name`; `get(name, default)` for a Variable that may be missing."""

    def __init__(self, *, deserialize_json: bool) -> None:
        self._deserialize_json = deserialize_json

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__") or key == _RENDERING_PROBE:
            raise AttributeError(key)
        return Variable.get(key, deserialize_json=self._deserialize_json)

    def __getitem__(self, key: str) -> Any:
        return Variable.get(key, deserialize_json=self._deserialize_json)

    def get(self, key: str, default: Any = NOTSET) -> Any:
        """Return the Variable, or `default` when there is none. Raises KeyError without a default."""
        if not is_given(default):
            return Variable.get(key, deserialize_json=self._deserialize_json)
        return Variable.get(key, default, deserialize_json=self._deserialize_json)

    def __repr__(self) -> str:
        return "<Variables as JSON>" if self._deserialize_json else "<Variables>"


class ConnectionAccessor:
    """`conn.conn_id.host` and so on; `get(conn_id, default)` for a connection that may be missing."""

    def __getattr__(self, conn_id: str) -> Any:
        if conn_id.startswith("__") or conn_id == _RENDERING_PROBE:
            raise AttributeError(conn_id)
        return Connection.get(conn_id)

    def __getitem__(self, conn_id: str) -> Any:
        return Connection.get(conn_id)

    def get(self, conn_id: str, default: Any = None) -> Any:
        """Return the connection, or `default` when there is none."""
        try:
            return Connection.get(conn_id)
        except AirflowNotFoundException:
            return default

    def __repr__(self) -> str:
        return "<Connections>"


def make_variable_accessors() -> dict[str, VariableAccessor]:
    """Return the value of `var` in templates."""
    return {
        "value": VariableAccessor(deserialize_json=False),
        "json": VariableAccessor(deserialize_json=True),
    }
