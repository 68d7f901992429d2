"""Counts of the whole deployment for `/metrics`. No statement reads history; the dearest walks the task instances of unfinished runs."""

from __future__ import annotations

from gnomon.model.instants import Instant
from gnomon.model.states import TASK_STATES_BY_CODE
from gnomon.storage.store.transaction import Transaction

NO_STATE = "none"
"""The name of the state of an instance that was cleared."""


def count_task_states(tx: Transaction) -> dict[str, int]:
    """The number of task instances of unfinished runs by state."""
    counts: dict[str, int] = {}
    for code, count in tx.all("service_figures.task_states"):
        state = TASK_STATES_BY_CODE.get(code)
        name = NO_STATE if state is None else state.value
        counts[name] = counts.get(name, 0) + int(count)
    return counts


def find_overdue(tx: Transaction, now: Instant) -> tuple[int, Instant | None]:
    """How many DAGs have a planned run that is due and does not exist, and since when the first of them is due."""
    row = tx.one("service_figures.overdue", now=now)
    assert row is not None
    return int(row[0]), row[1]


def count_dags(tx: Transaction) -> tuple[int, int, int]:
    """The DAGs that a file defines: active ones, paused ones, and how many of the active ones are not planned because of an error."""
    active = paused = unplanned = 0
    for is_paused, has_error, count in tx.all("service_figures.dags"):
        if is_paused:
            paused += count
        else:
            active += count
            unplanned += count if has_error else 0
    return active, paused, unplanned


def count_import_errors(tx: Transaction) -> int:
    """The number of files with import errors."""
    return _read_number(tx, "service_figures.import_errors")


def count_messages(tx: Transaction) -> int:
    """The number of messages in all mailboxes."""
    return _read_number(tx, "service_figures.mailbox")


def count_alerts(tx: Transaction) -> tuple[int, int]:
    """The number of open alerts, and of messages about alerts that are not sent."""
    row = tx.one("service_figures.alerts")
    assert row is not None
    return int(row[0]), int(row[1])


def _read_number(tx: Transaction, statement: str) -> int:
    row = tx.one(statement)
    assert row is not None
    return int(row[0])
