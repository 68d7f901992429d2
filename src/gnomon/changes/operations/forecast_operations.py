"""How good predictions were."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Role
from gnomon.model.sentences import render
from gnomon.queries.report.activity.forecast_accuracy import Accuracy, read_accuracy
from gnomon.queries.report.listings.not_found import dag_not_found
from gnomon.storage.store.dag_records import dags


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """The predictions of one DAG that were made at the same moment of a run."""

    dag_id: str
    """Empty: of all DAGs."""
    basis: str
    """`before`: an hour before the probable start; `start`: when the run had begun."""
    runs: int
    below_p50: float | None
    below_p90: float | None
    error_s: float | None
    mean_error_s: float | None
    failed: int
    unpredicted: int
    why: str | None


@dataclass(frozen=True, slots=True)
class AccuracyTable:
    """The rows, and how often the monitor predicts: for the sentence about an empty table."""

    rows: list[AccuracyRow]
    interval_s: float


@operation("forecast.accuracy", "read", "DAG")
def list_accuracy(scope: OperationScope, dag_ids: list[str] | None = None) -> AccuracyTable:
    """What was predicted of the runs of the last 14 days, and what came: of these DAGs, or of all that the account may read."""
    with scope.db.read() as tx:
        visible = scope.dags.find_dag_ids(tx, Role.VIEWER)
        for dag_id in dag_ids or ():
            if dags.find_dag_row(tx, dag_id) is None or (visible is not None and dag_id not in visible):
                known = [dag.dag_id for dag in dags.list_dags(tx)] if visible is None else visible
                raise dag_not_found(dag_id, known)
        chosen = dag_ids or (None if visible is None else sorted(visible))
        rows = read_accuracy(tx, scope.actor.clock.now(), chosen)
    return AccuracyTable([_build(row) for row in rows], scope.actor.cfg.number("forecast", "interval"))


def _build(row: Accuracy) -> AccuracyRow:
    return AccuracyRow(
        row.dag_id,
        row.basis,
        row.runs,
        row.below_p50,
        row.below_p90,
        row.error_s,
        row.mean_error_s,
        row.failed,
        row.unpredicted,
        None if row.why is None else render(row.why),
    )
