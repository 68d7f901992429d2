"""The temporary home of a test run: the options of the real home, with a database and logs of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gnomon.ground.config import Config, load_config
from gnomon.ground.config.environment import environment
from gnomon.storage.store import Database, DatabaseNotInitialised, load_cipher, open_database
from gnomon.storage.store.admin import connections, pools, variables
from gnomon.storage.store.dag_records import dags


@contextmanager
def private_home(cfg: Config) -> Iterator[Config]:
    """The options of a test run in the home of `cfg`; its folder is deleted at the end."""
    with tempfile.TemporaryDirectory(prefix="gnomon-test-", ignore_cleanup_errors=True) as folder:
        yield load_private_options(cfg, folder)


def load_private_options(cfg: Config, folder: str) -> Config:
    """The options of the home of `cfg`, with the database and the logs in `folder`."""
    return load_config({**environment(), **to_environment(cfg), **_private_options(cfg, folder)}, Path(folder))


def to_environment(cfg: Config) -> dict[str, str]:
    """Every option that differs from its default, as environment variables."""
    return {
        f"GNOMON__{setting.option.key.variable}": cfg.text(*setting.option.key)
        for setting in cfg.settings()
        if setting.source != "default"
    }


def _private_options(cfg: Config, folder: str) -> dict[str, str]:
    return {
        "GNOMON__CORE__DAGS_FOLDER": str(cfg.dags_folder),
        "GNOMON__CORE__PLUGINS_FOLDER": str(cfg.plugins_folder),
        "GNOMON__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{folder}/gnomon.db",
        "GNOMON__DATABASE__SYNCHRONOUS": "NORMAL",
        "GNOMON__LOGGING__BASE_LOG_FOLDER": f"{folder}/logs",
        "GNOMON__WORKERS__SHUTDOWN_GRACE": "0",
    }


def copy_settings(cfg: Config, into: Database, dag_id: str = "") -> str | None:
    """Copy the home's Variables, connections and pools into another database.

    Returns the file of the DAG, or None when the home has no such DAG or no database.
    """
    try:
        home = open_database(cfg.database_url, cipher=load_cipher(cfg))
    except DatabaseNotInitialised:
        return None
    try:
        with home.read() as tx:
            row = dags.find_dag_row(tx, dag_id)
            all_variables, all_connections = variables.list_variables(tx), connections.list_connections(tx)
            all_pools = pools.list_pools(tx)
    finally:
        home.close()
    with into.write() as tx:
        for variable in all_variables:
            variables.set_variable(tx, variable.key, variable.value, variable.description)
        for connection in all_connections:
            connections.set_connection(tx, connection)
        for pool in all_pools:
            pools.set_pool(
                tx, pool.name, pool.slots, description=pool.description, include_deferred=pool.include_deferred
            )
    return row.file if row is not None and row.active else None
