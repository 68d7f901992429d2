"""How long the runs of a DAG usually take: the limit above which `gnomon top` and rules of alerts call a run late."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.instants import Instant
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import run_listing

PERCENT = 95
P95_RUNS = 30
"""How many successful runs count."""
P95_RUNS_MIN = 5
"""With fewer of them no run is late by the percentile."""
P95_LOOKED_AT = 300
"""Ended runs that are looked at for successful ones, newest first: a DAG that nearly always fails costs no more than others."""


def compute_p95(durations: Sequence[Instant]) -> Instant | None:
    """The 95th percentile by nearest rank: the smallest duration that 95 % of them do not exceed; None when there are fewer than P95_RUNS_MIN."""
    if len(durations) < P95_RUNS_MIN:
        return None
    return sorted(durations)[-(-PERCENT * len(durations) // 100) - 1]


def find_p95(tx: Transaction, dag_pk: int) -> Instant | None:
    """The percentile of the newest successful runs of the DAG, in microseconds; None when too few are among its newest ended runs."""
    return compute_p95(run_listing.list_success_durations(tx, dag_pk, looked_at=P95_LOOKED_AT, limit=P95_RUNS))


def find_p95_of_dags(tx: Transaction, dag_pks: Sequence[int]) -> dict[int, Instant | None]:
    """As `find_p95`, by DAG, in one statement."""
    durations = run_listing.list_success_durations_of_dags(tx, dag_pks, looked_at=P95_LOOKED_AT, limit=P95_RUNS)
    return {dag_pk: compute_p95(seconds) for dag_pk, seconds in durations.items()}
