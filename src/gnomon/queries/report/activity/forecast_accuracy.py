"""How good predictions of ends were: by DAG, what was predicted an hour before a run begins and when it has begun, beside what came."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Sentence, say
from gnomon.model.states import DagRunState
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records.run_predictions import (
    KEPT_S,
    JudgedPrediction,
    list_judged,
    list_short_histories,
)

LEAST_RUNS = 3
"""With fewer successful runs the durations of tasks are assumed."""
KEPT_FOR_S = 120
"""So long a server answers with what it has read."""
RUNS_OF_MEAN = 10
"""So many earlier runs make the mean that other products predict with."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The predictions of one DAG, or of all, that were made at the same moment of a run."""

    dag_id: str
    """Empty: of all DAGs."""
    basis: str
    runs: int
    """Runs that succeeded, with a prediction."""
    below_p50: float | None
    """The share that ended by the median: half, if all is well."""
    below_p90: float | None
    error_s: float | None
    """The median of the distance to the median prediction."""
    mean_error_s: float | None
    """The same of the mean of the ten runs before, added to the real start: for comparison."""
    failed: int
    """Runs that failed: no end is compared."""
    unpredicted: int
    """Runs that were not predicted to end in half of the futures."""
    why: Sentence | None = None
    """Why its predictions are bad, or its runs cannot be predicted; None: nothing is known that makes them so."""


def read_accuracy(tx: Transaction, now: Instant, dag_ids: Collection[str] | None = None) -> list[Accuracy]:
    """One for each DAG and moment, the worst error first, and without `dag_ids` before them those of all DAGs; empty: nothing was predicted."""
    judged = list_judged(tx, now - KEPT_S * SECOND, dag_ids)
    means = _Means(judged)
    by_dag: dict[tuple[str, str], list[JudgedPrediction]] = {}
    for each in judged:
        by_dag.setdefault((each.dag_id, each.basis), []).append(each)
    rows = [_compare(dag_id, basis, group, means) for (dag_id, basis), group in by_dag.items()]
    short = list_short_histories(tx, {dag_id for dag_id, _ in by_dag}, LEAST_RUNS) if by_dag else {}
    rows = [replace(row, why=_explain(row, short)) for row in rows]
    rows.sort(key=lambda row: (-(row.error_s or 0.0), row.dag_id, row.basis))
    if dag_ids is not None:
        return rows
    whole = [
        _compare("", basis, [each for each in judged if each.basis == basis], means) for basis in ("before", "start")
    ]
    return [*(row for row in whole if row.runs or row.failed), *rows]


def _explain(row: Accuracy, short: Mapping[str, int]) -> Sentence | None:
    if row.dag_id in short:
        return say("history_is_short", dag=row.dag_id, count=short[row.dag_id], least=LEAST_RUNS)
    if row.unpredicted:
        return say("runs_end_beyond_the_forecast", dag=row.dag_id, count=row.unpredicted)
    if row.failed and not row.runs:
        return say("runs_have_only_failed", dag=row.dag_id, count=row.failed)
    return None


class _Means:
    """The mean duration of the ten runs of the DAG that ended before a run began, as far as predictions are kept of them."""

    def __init__(self, judged: Iterable[JudgedPrediction]) -> None:
        runs: dict[str, dict[int, tuple[Instant, Instant]]] = {}
        for each in judged:
            if each.started_at is not None and each.state is DagRunState.SUCCESS:
                runs.setdefault(each.dag_id, {})[each.run_pk] = (each.ended_at, each.started_at)
        self._runs = {dag_id: sorted(spans.values()) for dag_id, spans in runs.items()}

    def find_s(self, each: JudgedPrediction) -> float | None:
        """Seconds; None: no run ended before this one began."""
        began = each.started_at
        if began is None:
            return None
        earlier = [span for span in self._runs.get(each.dag_id, ()) if span[0] <= began][-RUNS_OF_MEAN:]
        return sum(end - start for end, start in earlier) / len(earlier) / SECOND if earlier else None


def _compare(dag_id: str, basis: str, judged: Sequence[JudgedPrediction], means: _Means) -> Accuracy:
    ended = [each for each in judged if each.state is DagRunState.SUCCESS]
    known = [(each, each.end_p50) for each in ended if each.end_p50 is not None]
    errors = [abs(each.ended_at - p50) / SECOND for each, p50 in known]
    mean_errors = [
        abs((each.ended_at - each.started_at) / SECOND - mean_s)
        for each, _ in known
        if each.started_at is not None and (mean_s := means.find_s(each)) is not None
    ]
    below_p90 = sum(each.end_p90 is None or each.ended_at <= each.end_p90 for each, _ in known)
    return Accuracy(
        dag_id,
        basis,
        len(known),
        sum(each.ended_at <= p50 for each, p50 in known) / len(known) if known else None,
        below_p90 / len(known) if known else None,
        median(errors) if errors else None,
        median(mean_errors) if mean_errors else None,
        len(judged) - len(ended),
        len(ended) - len(known),
    )


class AccuracyCache:
    """The accuracy of all DAGs for a server that is asked again and again: 14 days of predictions are read once in `KEPT_FOR_S`."""

    def __init__(self) -> None:
        self._rows: list[Accuracy] = []
        self._until: Instant = 0

    def read(self, tx: Transaction, now: Instant) -> list[Accuracy]:
        """As `read_accuracy` of all DAGs. Several threads may read at once."""
        if now >= self._until:
            self._rows = read_accuracy(tx, now)
            self._until = now + KEPT_FOR_S * SECOND
        return self._rows
