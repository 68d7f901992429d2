"""Alerts that rules have raised, and what rules must know about runs."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from gnomon.model.alerts import AlertItem, AlertRecord
from gnomon.model.instants import Instant
from gnomon.model.states import RUN_STATES_BY_CODE, DagRunState
from gnomon.storage.store.transaction import Row, Transaction

_item_decoder = msgspec.json.Decoder(AlertItem)


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """What rules about unfinished runs need of one."""

    run_pk: int
    dag_pk: int
    dag_id: str
    version_pk: int
    run_id: str
    started_at: Instant | None
    run_after: Instant
    clear_number: int
    state: DagRunState
    queued_at: Instant


@dataclass(frozen=True, slots=True)
class RunOfAlert:
    """The run that an open alert is about."""

    state: DagRunState | None
    """None: the run was deleted."""
    started_at: Instant | None
    ended_at: Instant | None
    has_later_success: bool
    """Of an alert about a failure: a later run of the DAG has succeeded."""


def raise_alert(
    tx: Transaction, item: AlertItem, subject: str, dag_pk: int | None, run_pk: int | None, *, closed: bool = False
) -> bool:
    """Insert an alert; False when the rule of `item` has an open alert about the subject. `closed`: it is never open."""
    return (
        tx.run(
            "alerts.raise",
            rule=item.rule,
            kind=item.kind,
            subject=subject,
            dag_pk=dag_pk,
            run_pk=run_pk,
            raised_at=item.at,
            resolved_at=item.at if closed else None,
            body=msgspec.json.encode(item).decode(),
        )
        == 1
    )


def join_failure(tx: Transaction, item: AlertItem, subject: str, run_pk: int) -> AlertItem | None:
    """Add a failed run to the open alert of the rule about the same DAG; returns the item with the number of runs, None when there is no open alert.

    The alert is then about the failed run that is last in the order of runs: a success after that one is after all of them. A run that was
    cleared and has failed again is counted once if the alert is about it.
    """
    row = tx.one("alerts.open_of_subject", rule=item.rule, subject=subject)
    if row is None:
        return None
    alert_pk, known_pk, known_item = row[0], row[1], _item_decoder.decode(row[2])
    count = known_item.failed_runs + (run_pk != known_pk)
    item = msgspec.structs.replace(item, failed_runs=count)
    newest = tx.one("alerts.last_of_runs", first_pk=known_pk, second_pk=run_pk)
    kept_item = (
        item if newest is None or newest[0] == run_pk else msgspec.structs.replace(known_item, failed_runs=count)
    )
    kept_pk = run_pk if kept_item is item else known_pk
    tx.run("alerts.join_failure", alert_pk=alert_pk, run_pk=kept_pk, body=msgspec.json.encode(kept_item).decode())
    return item


def resolve_alert(tx: Transaction, alert_pk: int, now: Instant) -> bool:
    """Resolve the alert; False when it was resolved before."""
    return tx.run("alerts.resolve", alert_pk=alert_pk, now=now) == 1


def list_open_alerts(tx: Transaction) -> list[AlertRecord]:
    """The alerts that are not resolved, oldest first."""
    return [_decode(row) for row in tx.all("alerts.open")]


def list_newest_alerts(tx: Transaction, limit: int) -> list[AlertRecord]:
    """The newest alerts, newest first."""
    return [_decode(row) for row in tx.all("alerts.newest", limit=limit)]


def list_states_of_runs(tx: Transaction) -> dict[int, RunOfAlert]:
    """The runs that open alerts are about, by alert_pk."""
    return {
        row[0]: RunOfAlert(None if row[1] is None else RUN_STATES_BY_CODE[row[1]], row[2], row[3], bool(row[4]))
        for row in tx.all("alerts.states_of_runs")
    }


def find_dag_version(tx: Transaction, dag_pk: int) -> tuple[str, int] | None:
    """DAG id and newest version of a DAG; None when it was deleted."""
    row = tx.one("alerts.dag", dag_pk=dag_pk)
    return None if row is None else (row[0], row[1])


def find_run_id(tx: Transaction, run_pk: int) -> str | None:
    """The run id; None when the run was deleted."""
    row = tx.one("alerts.run_id", run_pk=run_pk)
    return None if row is None else row[0]


def list_unfinished_runs(tx: Transaction, now: Instant, limit: int) -> list[UnfinishedRun]:
    """At most `limit` unfinished runs of DAGs that are not paused and whose time has come, oldest first."""
    return [
        UnfinishedRun(*(*row[:8], RUN_STATES_BY_CODE[row[8]], row[9]))
        for row in tx.all("alerts.running", now=now, limit=limit)
    ]


def _decode(row: Row) -> AlertRecord:
    return AlertRecord(*(*row[:8], _item_decoder.decode(row[8])))
