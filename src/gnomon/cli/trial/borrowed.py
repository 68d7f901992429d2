"""What a trial takes from the real home: Variables, connections, pools, and where a DAG's file is."""

from __future__ import annotations

from gnomon.config import Config
from gnomon.store import Database, NotInitialised, connections, dags, home_cipher, open_database, pools, variables


def borrow(cfg: Config, into: Database, dag_id: str) -> str | None:
    """`into` has copies of the home's Variables, connections and pools; returns the file of the DAG if the home knows it.

    A home without a database has none of them.
    """
    try:
        home = open_database(cfg.database_url, cipher=home_cipher(cfg))
    except NotInitialised:
        return None
    try:
        with home.read() as tx:
            row = dags.find(tx, dag_id)
            all_variables, all_connections = variables.list_variables(tx), connections.list_connections(tx)
            all_pools = pools.list_pools(tx)
    finally:
        home.close()
    with into.write() as tx:
        for variable in all_variables:
            variables.set(tx, variable.key, variable.value, variable.description)
        for connection in all_connections:
            connections.set(tx, connection)
        for pool in all_pools:
            pools.set_pool(tx, pool.name, pool.slots, description=pool.description, include_deferred=pool.include_deferred)
    return row.file if row is not None and row.active else None
