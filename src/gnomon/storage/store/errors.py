"""What the store raises: one class for each cause. The docstring is the case; the message names the thing, the place and the remedy."""

from __future__ import annotations

from enum import Enum

from gnomon.model.errors import ConfigurationError, GnomonError, ResourceUnavailable, UserError
from gnomon.model.sentences import Sentence, say


class StoreError(GnomonError):
    """Base class of errors that the store itself detects."""


class DatabaseUnavailable(ResourceUnavailable):
    """The database did not answer; this call changed nothing, a later one may succeed."""


class StatementTooSlow(ResourceUnavailable):
    """A statement of a transaction that reads took longer than the process permits, and was cancelled."""


def say_slow_statement(limit_s: float) -> Sentence:
    """The sentence of StatementTooSlow."""
    return say("database_did_not_answer_in_time", duration=limit_s)


class CommitUncertain(ResourceUnavailable):
    """The connection ended inside COMMIT: the transaction may or may not be stored. Read again before acting."""


class FencedError(StoreError):
    """Another process has fenced this scheduler or triggerer: it must drop its memory and start again."""


class RowsMissing(StoreError):
    """A batch named rows that do not exist any more or have changed; nothing of the transaction was stored."""


class PoolExhausted(StoreError):
    """The pool has fewer free slots than the transaction needs; nothing of the transaction was stored."""

    def __init__(self, pool: str) -> None:
        super().__init__(say("pool_is_exhausted", pool=pool))
        self.pool = pool


class UnstorableText(UserError):
    """A text has a character that the database cannot store; nothing of the transaction was stored."""


class DataRejected(StoreError):
    """The database refuses a value or a row: a number without room, a text that it cannot hold, a constraint; nothing of the transaction was stored."""


class DatabaseNotInitialised(UserError):
    """The address has no Gnomon database yet."""


class SchemaTooOld(UserError):
    """The database was made by an older Gnomon."""


class SchemaNotReleased(UserError):
    """The database was made by a development version that was never released, and cannot be upgraded."""


class SchemaTooNew(UserError):
    """The database was made by a newer Gnomon."""


class ForeignDatabase(UserError):
    """The database holds tables that Gnomon did not make; nothing was changed in it."""


class InvalidAddress(UserError):
    """The database address cannot be used."""


class NotFound(UserError):
    """No object has that name."""


class RunExists(UserError):
    """The DAG already has a run with this run id or on this slot; `holder` is the run id of that run."""

    def __init__(self, message: str | Sentence, holder: str) -> None:
        super().__init__(message)
        self.holder = holder


class BackfillActive(UserError):
    """The DAG has a backfill that has not ended."""


class RunIdReserved(UserError):
    """The run id begins as those of runs of another type do."""


class RunTypeNotAllowed(UserError):
    """The DAG does not allow runs of that type (`allowed_run_types`)."""


class ResourceInUse(UserError):
    """An object cannot be deleted or changed while it is used."""


class XComTooLarge(UserError):
    """A value is larger than an XCom may be."""


class DiskFull(ConfigurationError):
    """The disk of the database is full; the transaction was rolled back."""


class DatabaseReadOnly(ConfigurationError):
    """The database file or its folder cannot be written."""


class UnusableFile(ConfigurationError):
    """The file cannot be used as a database: not a database, damaged, on a network file system, or SQLite is too old."""


class InvalidKey(ConfigurationError):
    """The key that encrypts values in the database is missing, unreadable or malformed."""


class WrongKey(ConfigurationError):
    """The database holds values that the key of this host does not decrypt."""


class MissingKey(WrongKey):
    """The database holds encrypted values, and this host has no key."""


class WriteLockTimeout(ResourceUnavailable):
    """Another process held the write lock for too long."""


class FailureKind(Enum):
    """What a failed transaction says about the next one; see `classify_failure`."""

    DATA = "data"
    """The data: the same values fail each time, and others do not."""
    OUTAGE = "outage"
    """The database or this machine: any transaction may fail now, and the same one may succeed later."""
    FENCED = "fenced"
    """Another process has taken over, or the schema is that of another release: this process must stop."""
    INTERNAL = "internal"
    """Anything else: an error of Gnomon, or rows that another process has changed."""


_KINDS: tuple[tuple[FailureKind, tuple[type[Exception], ...]], ...] = (
    (FailureKind.FENCED, (FencedError, SchemaTooNew, SchemaTooOld)),
    (FailureKind.OUTAGE, (ResourceUnavailable, ConfigurationError)),
    (FailureKind.DATA, (DataRejected, UnstorableText, XComTooLarge, OverflowError, UnicodeError, ValueError)),
)
"""The first row that has the class of the error decides. Drivers raise the classes above; OverflowError and UnicodeError come from the binding of a
value (an integer of more than 64 bits on SQLite, a lone surrogate), ValueError from an encoder (msgspec, json, an instant outside of the calendar)."""


def classify_failure(error: BaseException) -> FailureKind:
    """Which kind of failure this is, on either database."""
    return next((kind for kind, classes in _KINDS if isinstance(error, classes)), FailureKind.INTERNAL)
