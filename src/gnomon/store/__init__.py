"""The store: everything that Gnomon remembers, on SQLite or PostgreSQL (OWNERSHIP.md is its specification).

`open_database(url)` gives a `Database`; its `read`, `write` and `owner` give a `Transaction`; the modules of this package
are nouns whose functions take one. SQL stands in `sql/*.sql`, the schema in `schema/`, migrations in `migrations/`.
"""

from gnomon.store.cipher import Cipher
from gnomon.store.database import Database, open_database
from gnomon.store.errors import (
    BadAddress,
    BadKey,
    CommitUncertain,
    DatabaseAway,
    DiskFull,
    Fenced,
    ForeignDatabase,
    InUse,
    NotFound,
    NotInitialised,
    PoolExhausted,
    ReadOnly,
    RowsMissing,
    RunExists,
    SchemaTooNew,
    SchemaTooOld,
    StoreError,
    UnusableFile,
    WriterStuck,
    WrongKey,
    XComTooLarge,
)
from gnomon.store.keyfile import home_cipher
from gnomon.store.transaction import Transaction, wake

__all__ = [
    "BadAddress",
    "BadKey",
    "Cipher",
    "CommitUncertain",
    "Database",
    "DatabaseAway",
    "DiskFull",
    "Fenced",
    "ForeignDatabase",
    "InUse",
    "NotFound",
    "NotInitialised",
    "PoolExhausted",
    "ReadOnly",
    "RowsMissing",
    "RunExists",
    "SchemaTooNew",
    "SchemaTooOld",
    "StoreError",
    "Transaction",
    "UnusableFile",
    "WriterStuck",
    "WrongKey",
    "XComTooLarge",
    "home_cipher",
    "open_database",
    "wake",
]
