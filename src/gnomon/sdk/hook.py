"""Hooks: the way a task speaks to an outside system."""

from __future__ import annotations

from typing import Any, ClassVar

from gnomon.sdk.connection import Connection


class BaseHook:
    """Base of hooks: finds connections, has a logger."""

    conn_name_attr: ClassVar[str]
    default_conn_name: ClassVar[str]
    conn_type: ClassVar[str]
    hook_name: ClassVar[str]

    def __init__(self, logger_name: str | None = None) -> None:
        self._logger_name = logger_name

    @property
    def log(self) -> Any:
        """The logger of its class."""
        import logging  # not needed to write a DAG

        name = getattr(self, "_logger_name", None) or f"{type(self).__module__}.{type(self).__qualname__}"
        return logging.getLogger(f"airflow.task.hooks.{name}")

    @classmethod
    def get_connection(cls, conn_id: str) -> Connection:
        """The connection of that id; AirflowNotFoundException when there is none."""
        return Connection.get(conn_id)

    @classmethod
    async def aget_connection(cls, conn_id: str) -> Connection:
        """The connection of that id, from a coroutine."""
        return await Connection.async_get(conn_id)

    @classmethod
    def get_connections(cls, conn_id: str) -> list[Connection]:
        """The connection of that id, in a list."""
        return [cls.get_connection(conn_id)]

    @classmethod
    def get_hook(cls, conn_id: str, hook_params: dict[str, Any] | None = None) -> Any:
        """The hook for the type of that connection."""
        return cls.get_connection(conn_id).get_hook(hook_params=hook_params)

    @classmethod
    async def aget_hook(cls, conn_id: str, hook_params: dict[str, Any] | None = None) -> Any:
        """The hook for the type of that connection, from a coroutine."""
        return (await cls.aget_connection(conn_id)).get_hook(hook_params=hook_params)

    def get_conn(self) -> Any:
        """The open client. Subclasses write it."""
        raise NotImplementedError(f"{type(self).__name__} has no get_conn().")

    @classmethod
    def get_connection_form_widgets(cls) -> dict[str, Any]:
        """Further fields of the connection form."""
        return {}

    @classmethod
    def get_ui_field_behaviour(cls) -> dict[str, Any]:
        """How the connection form shows its fields."""
        return {}
