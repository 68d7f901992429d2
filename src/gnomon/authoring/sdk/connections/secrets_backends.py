"""Secrets backends: the base class of those that packages and authors write, and the backends for the environment and for local files.

Source: Airflow's documentation, "Secrets Backend".
"""

from __future__ import annotations

import logging
from typing import Any

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.authoring.sdk.connections.exported_files import read_connections, read_variables
from gnomon.ground.config.environment import get_variable


class BaseSecretsBackend:
    """Looks up connections, Variables and options outside the database. Subclasses override `get_conn_value` and `get_variable`."""

    def __init__(self, **_: Any) -> None:
        """Accept all arguments of `backend_kwargs`."""

    @property
    def log(self) -> logging.Logger:
        """The logger of the class."""
        return logging.getLogger(f"{type(self).__module__}.{type(self).__name__}")

    @staticmethod
    def build_path(path_prefix: str, secret_id: str, sep: str = "/") -> str:
        """Return the path of a secret below a prefix."""
        return f"{path_prefix}{sep}{secret_id}"

    def get_conn_value(self, conn_id: str, team_name: str | None = None) -> str | None:
        """Return the connection as a URI or JSON text; None when there is none."""
        raise NotImplementedError(f"{type(self).__name__} has no get_conn_value()")

    def deserialize_connection(self, conn_id: str, value: str) -> Connection:
        """Return the connection that the text describes. Raises AirflowException."""
        return Connection.from_text(value.strip(), conn_id)

    def get_connection(self, conn_id: str, team_name: str | None = None) -> Connection | None:
        """Return the connection; None when there is none."""
        value = self.get_conn_value(conn_id)
        return self.deserialize_connection(conn_id, value) if value else None

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        """Return the value of a Variable; None when there is none."""
        return None

    def get_config(self, key: str) -> str | None:
        """Return the value of an option; None when there is none."""
        return None


class EnvironmentVariablesBackend(BaseSecretsBackend):
    """Connections and Variables in `AIRFLOW_CONN_ID` and `AIRFLOW_VAR_KEY`, or with the prefix `GNOMON_`, which wins."""

    def get_conn_value(self, conn_id: str, team_name: str | None = None) -> str | None:
        return _read("CONN", conn_id)

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        return _read("VAR", key)


class LocalFilesystemBackend(BaseSecretsBackend):
    """Connections and Variables in local files, which are read once in a process."""

    def __init__(
        self, variables_file_path: str | None = None, connections_file_path: str | None = None, **_: Any
    ) -> None:
        """Read the files: .json, .yaml, .yml or .env. Raises ExportedFileError."""
        super().__init__()
        self._connections = read_connections(connections_file_path) if connections_file_path else {}
        self._variables = read_variables(variables_file_path) if variables_file_path else {}

    def get_connection(self, conn_id: str, team_name: str | None = None) -> Connection | None:
        return self._connections.get(conn_id)

    def get_conn_value(self, conn_id: str, team_name: str | None = None) -> str | None:
        connection = self._connections.get(conn_id)
        return None if connection is None else connection.get_uri()

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        variable = self._variables.get(key)
        return None if variable is None else variable.value


def _read(kind: str, name: str) -> str | None:
    first = get_variable(f"GNOMON_{kind}_{name.upper()}")
    return get_variable(f"AIRFLOW_{kind}_{name.upper()}") if first is None else first
