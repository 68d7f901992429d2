"""What was predicted of the ends of runs, beside what came."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from gnomon.model.baselines import PredictedRun
from gnomon.model.instants import Instant
from gnomon.model.states import RUN_STATE_CODES, RUN_STATES_BY_CODE, DagRunState
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


def list_judged(tx: Transaction, since: Instant, dag_ids: Collection[str] | None = None) -> list[JudgedPrediction]:
    """The predictions of ended runs that were due from `since` on, by DAG, slot and basis. `dag_ids`: only of these; None: of all."""
    rows = (
        tx.all("run_predictions.judged", since=since)
        if dag_ids is None
        else tx.all("run_predictions.judged_of", since=since, dag_ids=list(dag_ids))
    )
    return [
        JudgedPrediction(
            dag_id, run_id, basis, at, end_p50, end_p90, run_pk, RUN_STATES_BY_CODE[state], started_at, ended_at
        )
        for dag_id, run_id, basis, at, end_p50, end_p90, run_pk, state, started_at, ended_at in rows
    ]


def list_short_histories(tx: Transaction, dag_ids: Collection[str], least: int) -> dict[str, int]:
    """Of these DAGs those with fewer than `least` successful runs, with their number."""
    code = RUN_STATE_CODES[DagRunState.SUCCESS]
    return dict(tx.all("run_predictions.short_histories", dag_ids=list(dag_ids), least=least, success=code))
