"""The store: everything that Gnomon remembers, on SQLite or PostgreSQL (OWNERSHIP.md is its specification).

`open_database(url)` gives a `Database`; its `read`, `write` and `owner` give a `Transaction`; the modules of this package
are nouns whose functions take one. SQL stands in `sql/*.sql`, the schema in `schema/`, migrations in `migrations/`.
"""

from gnomon.store.database import Database, open_database
from gnomon.store.encryption.cipher import Cipher
from gnomon.store.encryption.key_file import load_cipher
from gnomon.store.errors import (
    CommitUncertain,
    DatabaseNotInitialised,
    DatabaseReadOnly,
    DatabaseUnavailable,
    DiskFull,
    FencedError,
    ForeignDatabase,
    InvalidAddress,
    InvalidKey,
    NotFound,
    PoolExhausted,
    ResourceInUse,
    RowsMissing,
    RunExists,
    SchemaTooNew,
    SchemaTooOld,
    StoreError,
    UnusableFile,
    WriteLockTimeout,
    WrongKey,
    XComTooLarge,
)
from gnomon.store.transaction import Transaction, notify_on_commit

__all__ = [
    "Cipher",
    "CommitUncertain",
    "Database",
    "DatabaseNotInitialised",
    "DatabaseReadOnly",
    "DatabaseUnavailable",
    "DiskFull",
    "FencedError",
    "ForeignDatabase",
    "InvalidAddress",
    "InvalidKey",
    "NotFound",
    "PoolExhausted",
    "ResourceInUse",
    "RowsMissing",
    "RunExists",
    "SchemaTooNew",
    "SchemaTooOld",
    "StoreError",
    "Transaction",
    "UnusableFile",
    "WriteLockTimeout",
    "WrongKey",
    "XComTooLarge",
    "load_cipher",
    "notify_on_commit",
    "open_database",
]
