"""The numbers of runs by DAG and state (`run_tally`), proved against the rows of runs, and counted anew."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.states import RUN_STATE_CODES, RUN_STATES_BY_CODE, DagRunState
from gnomon.storage.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class WrongTotal:
    """A number of runs that differs from the rows."""

    dag_pk: int
    dag_id: str
    state: DagRunState
    recorded: int
    counted: int


def list_wrong_totals(tx: Transaction) -> list[WrongTotal]:
    """Every number that differs from the rows; reads all runs."""
    return [
        WrongTotal(dag_pk, dag_id, RUN_STATES_BY_CODE[state], int(recorded), int(counted))
        for dag_pk, dag_id, state, recorded, counted in tx.all("run_totals.wrong")
    ]


def recount_totals(tx: Transaction) -> list[WrongTotal]:
    """Count all runs anew; returns the numbers that were wrong. The differences are added, so that other transactions may change runs meanwhile."""
    wrong = list_wrong_totals(tx)
    tx.send_many(
        "commit.tallies",
        [(total.dag_pk, RUN_STATE_CODES[total.state], total.counted - total.recorded) for total in wrong],
    )
    return wrong
