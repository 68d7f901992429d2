"""Tests a connection with the hook of its type, in a process of its own: hooks are code of other packages."""

from __future__ import annotations

from gnomon.author_code.timetable_host import ask_and_wait
from gnomon.authoring.sdk.connections.connection_check import ConnectionCheck
from gnomon.ground.config import Config
from gnomon.queries.report.listings.connection_list import to_connection
from gnomon.storage.store.admin.connections import StoredConnection

_CHECK = "gnomon.authoring.sdk.connections.connection_check:check_connection"


def check_stored_connection(cfg: Config, stored: StoredConnection) -> ConnectionCheck:
    """Whether the system of the connection answers. Raises PlanningError when the hook ends its process or takes too long to import."""
    fields = to_connection(stored).as_json()
    check: ConnectionCheck = ask_and_wait(
        cfg, _CHECK, ConnectionCheck, imports=True, conn_id=stored.conn_id, fields=fields
    )
    return check
