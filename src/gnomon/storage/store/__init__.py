"""The store: all state that survives a process, on SQLite or PostgreSQL. docs/discussions/ownership.md is its specification.

`open_database(url)` returns a `Database`. Its methods `read`, `write`, `scheduler_write` and `triggerer_write` give a
`Transaction`, and the functions of this package take a `Transaction` as their first argument. Open `database.py` and
`transaction.py` first.

- `ownership/`: who owns what: leases of services, what an owner loads and commits, mail to it, the runs that it plans.
- `dag_records/`: files, DAGs, versions, runs, XComs and the audit log, as every process may read them.
- `cross_dag/`: dependencies between DAGs: edges, waits, and the slots of upstream DAGs.
- `trigger_queue/`: deferred task instances, claims of triggers, leases of triggerers.
- `admin/`: pools, Variables, connections.
- `encryption/`: the cipher, its key, and the check that a host has the key of the database.
- `drivers/`: connections to SQLite and PostgreSQL, addresses, SQLite's write lock.
- `migrations/`: creation and upgrade of the schema. `sql/`: the statements, each file named after the module that uses it.
"""

from gnomon.storage.store.database import Database, open_database
from gnomon.storage.store.encryption.cipher import Cipher
from gnomon.storage.store.encryption.key_file import load_cipher
from gnomon.storage.store.errors import (
    BackfillActive,
    CommitUncertain,
    DatabaseNotInitialised,
    DatabaseReadOnly,
    DatabaseUnavailable,
    DataRejected,
    DiskFull,
    FailureKind,
    FencedError,
    ForeignDatabase,
    InvalidAddress,
    InvalidKey,
    NotFound,
    PoolExhausted,
    ResourceInUse,
    RowsMissing,
    RunExists,
    RunIdReserved,
    RunTypeNotAllowed,
    SchemaNotReleased,
    SchemaTooNew,
    SchemaTooOld,
    StoreError,
    UnusableFile,
    WriteLockTimeout,
    WrongKey,
    XComTooLarge,
    classify_failure,
)
from gnomon.storage.store.transaction import Transaction, notify_on_commit

__all__ = [
    "BackfillActive",
    "Cipher",
    "CommitUncertain",
    "DataRejected",
    "Database",
    "DatabaseNotInitialised",
    "DatabaseReadOnly",
    "DatabaseUnavailable",
    "DiskFull",
    "FailureKind",
    "FencedError",
    "ForeignDatabase",
    "InvalidAddress",
    "InvalidKey",
    "NotFound",
    "PoolExhausted",
    "ResourceInUse",
    "RowsMissing",
    "RunExists",
    "RunIdReserved",
    "RunTypeNotAllowed",
    "SchemaNotReleased",
    "SchemaTooNew",
    "SchemaTooOld",
    "StoreError",
    "Transaction",
    "UnusableFile",
    "WriteLockTimeout",
    "WrongKey",
    "XComTooLarge",
    "classify_failure",
    "load_cipher",
    "notify_on_commit",
    "open_database",
]
