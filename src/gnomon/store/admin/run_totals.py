"""The numbers of runs by DAG and state (`run_tally`), proved against the rows of runs, and counted anew."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.states import RUN_STATES_BY_CODE, DagRunState
from gnomon.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class WrongTotal:
    """A number of runs that differs from the rows. `dag_id` is None when the DAG does not exist."""

    dag_id: str | None
    state: DagRunState
    recorded: int
    counted: int


def list_wrong_totals(tx: Transaction) -> list[WrongTotal]:
    """Every number that differs from the rows; reads all runs."""
    return [WrongTotal(dag_id, RUN_STATES_BY_CODE[state], int(recorded), int(counted)) for dag_id, state, recorded, counted in tx.all("run_totals.wrong")]


def recount_totals(tx: Transaction) -> list[WrongTotal]:
    """Count all runs anew; returns the numbers that were wrong. Other transactions that change runs wait meanwhile."""
    tx.run("run_totals.lock")
    wrong = list_wrong_totals(tx)
    if wrong:
        tx.run("run_totals.remove")
        tx.run("run_totals.count_anew")
    return wrong
