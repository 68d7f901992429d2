"""A hook of a database that is never connected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest.mock import MagicMock

from airflow.models import Connection


def mock_db_hook(
    hook_class: Any, hook_params: Mapping[str, Any] | None = None, conn_params: Mapping[str, Any] | None = None
) -> Any:
    """A hook of the class whose connection has these fields, and whose database answers with mocks.

    `connection_invocations` counts how often the connection was looked for.
    """
    fields = {
        "conn_type": "",
        "host": "host",
        "login": "login",
        "password": "password",
        "port": 1234,
        "schema": "schema",
        **(conn_params or {}),
    }

    class MockedHook(hook_class):  # type: ignore[misc]
        conn_name_attr = "test_conn_id"
        connection_invocations = 0

        def get_connection(self, conn_id: str) -> Connection:
            self.connection_invocations += 1
            return Connection(conn_id=conn_id, **fields)

        def get_conn(self) -> Any:
            return MagicMock(name="conn")

    hook = MockedHook(**{MockedHook.conn_name_attr: "default_conn_id", **(hook_params or {})})
    if hook_class.__name__ == "DbApiHook":
        hook._get_pandas_df = MagicMock(side_effect=lambda *_, **__: _import("pandas").DataFrame())
        hook._get_polars_df = MagicMock(side_effect=lambda *_, **__: _import("polars").DataFrame())
    return hook


def _import(name: str) -> Any:
    from importlib import import_module

    return import_module(name)
