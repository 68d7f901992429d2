"""What was predicted of the ends of runs, beside what came."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gnomon.model.baselines import PredictedRun
from gnomon.model.instants import Instant
from gnomon.model.states import RUN_STATES_BY_CODE, DagRunState
from gnomon.storage.store.transaction import Transaction

KEPT_S = 14 * 86_400
"""How long predictions of runs are kept."""


class JudgedPrediction(NamedTuple):
    """A prediction of a run that has ended and was not cleared."""

    dag_id: str
    run_id: str
    basis: str
    """`before`: made an hour before its probable start; `start`: made when it had begun."""
    predicted_at: Instant
    end_p50: Instant | None
    end_p90: Instant | None
    run_pk: int
    state: DagRunState
    started_at: Instant | None
    ended_at: Instant


def put_predictions(
    tx: Transaction, at: Instant, before: Iterable[PredictedRun], begun: Iterable[PredictedRun]
) -> None:
    """Keep predictions of runs that have not begun, instead of earlier ones, and of runs that have, unless there is one."""
    for basis, runs in (("before", before), ("start", begun)):
        for run in runs:
            tx.run(
                f"run_predictions.put_{basis}",
                dag_id=run.dag_id,
                run_id=run.run_id,
                run_after=run.run_after,
                predicted_at=at,
                end_p50=run.end_p50,
                end_p90=run.end_p90,
            )


def remove_old(tx: Transaction, before: Instant) -> None:
    """Delete the predictions of runs that were due before that instant."""
    tx.run("run_predictions.remove_old", before=before)


def list_judged(tx: Transaction, since: Instant) -> list[JudgedPrediction]:
    """The predictions of ended runs that were due from `since` on, by DAG, slot and basis."""
    return [
        JudgedPrediction(
            dag_id, run_id, basis, at, end_p50, end_p90, run_pk, RUN_STATES_BY_CODE[state], started_at, ended_at
        )
        for dag_id, run_id, basis, at, end_p50, end_p90, run_pk, state, started_at, ended_at in tx.all(
            "run_predictions.judged", since=since
        )
    ]
