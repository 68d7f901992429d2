"""The store of test runs: a database of its own, in memory where the system has a file system for that."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.entry.testing.dag_runs.private_home import copy_settings, load_private_options
from gnomon.ground.config import Config, current_config
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.storage.store import Database, load_cipher, migrations, open_database
from gnomon.storage.store.admin import connections, pools, variables
from gnomon.storage.store.admin.connections import StoredConnection

_MEMORY_FOLDER = "/dev/shm"
_DATABASE = "gnomon.db"


class PrivateStore:
    """Variables, connections, pools, runs and XComs of test runs. The store is deleted when it is closed or no longer used.

    `copies_home`: begin with the Variables, connections and pools of the home, as `dag.test()` does; otherwise the store is empty.
    """

    def __init__(self, *, copies_home: bool = False) -> None:
        home = current_config()
        self.folder = Path(tempfile.mkdtemp(prefix="gnomon-test-", dir=_find_memory_folder()))
        remove = weakref.finalize(self, shutil.rmtree, str(self.folder), ignore_errors=True)
        self.cfg: Config = load_private_options(home, str(self.folder))
        shutil.copyfile(
            _create_empty_database(self.cfg.integer("core", "default_pool_task_slot_count")), self.folder / _DATABASE
        )
        self.db: Database = open_database(self.cfg.database_url, synchronous="OFF", cipher=load_cipher(self.cfg))
        remove.detach()
        self._finalizer = weakref.finalize(self, _delete, self.db, str(self.folder))
        self.db.bind_key()
        if copies_home:
            copy_settings(home, self.db)

    def close(self) -> None:
        """Close the database and delete it."""
        self._finalizer()

    def set_variable(self, key: str, value: object) -> None:
        """Insert or replace a Variable; a value that is not text is stored as JSON."""
        text = value if isinstance(value, str) else json.dumps(value)
        with self.db.write() as tx:
            variables.set_variable(tx, key, text)

    def get_variable(self, key: str) -> str | None:
        """The stored text of a Variable; None when there is none. For what a task has stored."""
        with self.db.read() as tx:
            return variables.get_variable(tx, key)

    def set_connection(self, conn_id: str, connection: str | Mapping[str, Any] | Connection) -> None:
        """Insert or replace a connection: a URI, JSON text, a mapping of fields, or a Connection.

        Raises AirflowException when the text or a field is not valid.
        """
        if isinstance(connection, str):
            connection = Connection.from_text(connection, conn_id)
        elif not isinstance(connection, Connection):
            connection = Connection(
                conn_id=conn_id, **{name: value for name, value in connection.items() if name != "conn_id"}
            )
        c = connection
        port = None if c.port is None else int(c.port)
        row = StoredConnection(
            conn_id, c.conn_type or "", c.host, c.schema, c.login, c.password, port, c.extra, c.description
        )
        with self.db.write() as tx:
            connections.set_connection(tx, row)

    def set_pool(self, name: str, slots: int) -> None:
        """Insert or replace a pool."""
        if slots < -1:
            raise UserError(say("pool_cannot_have_slots", name=name, number=slots))
        with self.db.write() as tx:
            pools.set_pool(tx, name, slots)


def _find_memory_folder() -> str | None:
    return _MEMORY_FOLDER if os.path.isdir(_MEMORY_FOLDER) and os.access(_MEMORY_FOLDER, os.W_OK | os.X_OK) else None


@cache
def _create_empty_database(pool_slots: int) -> str:
    """The path of a database with the schema and nothing else, made once in a process: a copy takes less time than the schema."""
    folder = tempfile.mkdtemp(prefix="gnomon-test-", dir=_find_memory_folder())
    weakref.finalize(_create_empty_database, shutil.rmtree, folder, ignore_errors=True)
    path = os.path.join(folder, _DATABASE)
    migrations.upgrade_schema(f"sqlite:///{path}", default_pool_slots=pool_slots)
    open_database(f"sqlite:///{path}").close()
    return path


def _delete(db: Database, folder: str) -> None:
    db.close()
    shutil.rmtree(folder, ignore_errors=True)
