"""Asks the hook of a connection whether the system answers, and lists the types of connections that have a hook.

Hooks are code of other packages: commands call these functions in a process of their own.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

from gnomon.authoring.sdk.connections import provider_packages
from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.authoring.sdk.connections.secrets_masker import redact
from gnomon.ground.config.environment import environment, replace_environment
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.errors.error_text import error_text

TEST_TIMEOUT_S = 20.0
"""How long a hook may take to test a connection."""


class ConnectionCheck(NamedTuple):
    """Whether the system of a connection answered, and what the hook says."""

    is_ok: bool
    message: str


def check_connection(conn_id: str, fields: str) -> ConnectionCheck:
    """The result of `test_connection` of the connection's hook. `fields`: the connection as JSON, which this process then has under its id.

    Never raises: what the hook raises, and a hook that takes longer than TEST_TIMEOUT_S, are results.
    """
    replace_environment({**environment(), f"GNOMON_CONN_{conn_id.upper()}": fields})
    checks: list[ConnectionCheck] = []
    thread = threading.Thread(target=lambda: checks.append(_call_hook(conn_id)), daemon=True)
    thread.start()
    thread.join(TEST_TIMEOUT_S)
    return checks[0] if checks else ConnectionCheck(False, f"the hook has not answered within {TEST_TIMEOUT_S:.0f} s")


def list_connection_types() -> list[str]:
    """The types that the installed packages have hooks for, sorted."""
    return sorted(
        {
            *provider_packages.BUILTIN_HOOKS,
            *(item["connection-type"] for _, item in provider_packages.iter_provided("connection-types")),
        }
    )


def _call_hook(conn_id: str) -> ConnectionCheck:
    try:
        connection = Connection.get(conn_id)
        kind = provider_packages.load_hook_class(connection.conn_type, conn_id)
        hook = kind(**{kind.conn_name_attr: conn_id})
        if not hasattr(hook, "test_connection"):
            return ConnectionCheck(
                False,
                f"{kind.__name__}, the hook of connections of type {connection.conn_type!r}, cannot test a connection",
            )
        is_ok, message = hook.test_connection()
        return ConnectionCheck(bool(is_ok), str(redact(str(message))))
    except AirflowException as error:
        return ConnectionCheck(False, str(redact(error_text(error))))
    except BaseException as error:  # code of another package
        text = str(redact(error_text(error))).strip()
        return ConnectionCheck(False, f"{type(error).__name__}: {text}" if text else type(error).__name__)
