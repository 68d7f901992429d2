"""What the store raises: one class per cause; the docstring is the case, the message names thing, place and remedy."""

from __future__ import annotations

from gnomon.errors import ConfigurationError, GnomonError, ResourceUnavailable, UserError


class StoreError(GnomonError):
    """Base of the store's own refusals."""


class DatabaseUnavailable(ResourceUnavailable):
    """The database did not answer; this call changed nothing, a later one may succeed."""


class CommitUncertain(ResourceUnavailable):
    """The connection ended inside COMMIT: the transaction may or may not be stored. Read again before acting."""


class FencedError(StoreError):
    """This process is no longer in the register of live schedulers: forget everything and start anew."""


class RowsMissing(StoreError):
    """A batch named rows that are not there (deleted, or written by another); nothing of the transaction was stored."""


class PoolExhausted(StoreError):
    """The pool has fewer free slots than the transaction takes; nothing of the transaction was stored."""

    def __init__(self, pool: str) -> None:
        super().__init__(f"pool {pool!r} has not enough free slots (or does not exist)")
        self.pool = pool


class DatabaseNotInitialised(UserError):
    """There is no Gnomon database at the address yet."""


class SchemaTooOld(UserError):
    """The database was made by an older Gnomon."""


class SchemaTooNew(UserError):
    """The database was made by a newer Gnomon."""


class ForeignDatabase(UserError):
    """The database holds tables that Gnomon did not make; nothing was changed in it."""


class InvalidAddress(UserError):
    """The database address cannot be used."""


class NotFound(UserError):
    """Nothing has that name."""


class RunExists(UserError):
    """The DAG has a run with this run id, or one on this slot, already; `holder` is its run id."""

    def __init__(self, message: str, holder: str) -> None:
        super().__init__(message)
        self.holder = holder


class ResourceInUse(UserError):
    """The thing cannot be deleted while something uses it."""


class XComTooLarge(UserError):
    """A value is larger than an XCom may be."""


class DiskFull(ConfigurationError):
    """No room is left where the database lives; what was being written was rolled back."""


class DatabaseReadOnly(ConfigurationError):
    """The database file, or the folder it is in, cannot be written."""


class UnusableFile(ConfigurationError):
    """The file cannot serve as a database: not one, damaged, on a network file system, or SQLite is too old."""


class InvalidKey(ConfigurationError):
    """The key that encrypts values in the database is missing, unreadable or none."""


class WrongKey(ConfigurationError):
    """The database holds values that the key of this host does not open."""


class MissingKey(WrongKey):
    """The database holds values that were encrypted, and this host has no key."""


class WriteLockTimeout(ResourceUnavailable):
    """Another process kept the right to write for too long."""
