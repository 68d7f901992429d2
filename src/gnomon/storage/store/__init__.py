"""The store: all state that survives a process, on SQLite or PostgreSQL. docs/contributing/ownership.md is its specification.

`open_database(url)` returns a `Database`. Its methods `read`, `write`, `scheduler_write` and `triggerer_write` give a
`Transaction`, and the functions of this package take a `Transaction` as their first argument. Open `database.py` and
`transaction.py` first.

From top to bottom:

- `pages/`: pages of long lists. `housekeeping/`: the nightly clean. `parsed_files/`: what a parse records.
- `ownership/`: what an owner loads and commits, the runs that it plans.
- `migrations/`: creation and upgrade of the schema. `database.py`: the entry.
- `trigger_queue/`: deferred task instances, claims of triggers, leases of triggerers.
- `asset_records/`: assets and their events. `cross_dag/`: dependencies between DAGs. `dag_records/`: DAGs, runs, XComs, the audit log.
- `coordination/`: leases, heartbeats, mail. `accounts/`, `alert_records/`, `state_stores/`, `admin/`: tables of their own.
- `drivers/`: connections to SQLite and PostgreSQL, SQLite's write lock. `encryption/`: the cipher and its key.

`sql/` has the statements, each file named after the module that uses it.
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
