"""When an unfinished run is expected to end, by the newest forecast of the monitor."""

from __future__ import annotations

import msgspec

from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Sentence, say
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import baseline_states

STALE_S = 900
"""A forecast that is older says nothing of now."""


class _Run(msgspec.Struct):
    dag_id: str
    run_id: str
    end_p50: Instant | None = None
    end_p90: Instant | None = None


class _Runs(msgspec.Struct):
    """What is read of a ForecastReport."""

    runs: list[_Run] = []


_decoder = msgspec.json.Decoder(_Runs)


def describe_predicted_end(tx: Transaction, dag_id: str, run_id: str, now: Instant) -> list[Sentence]:
    """The sentence; empty when no fresh forecast knows the run."""
    at = baseline_states.find_forecast_at(tx)
    body = None if at is None or now - at > STALE_S * SECOND else baseline_states.find_forecast(tx)
    if at is None or body is None:
        return []
    run = next((run for run in _decoder.decode(body).runs if (run.dag_id, run.run_id) == (dag_id, run_id)), None)
    if run is None or run.end_p50 is None:
        return []
    if run.end_p90 is None:
        return [say("run_ends_in_half", at=_to_second(run.end_p50), since=at)]
    return [say("run_ends_probably", at=_to_second(run.end_p50), until=_to_second(run.end_p90), since=at)]


def _to_second(at: Instant) -> Instant:
    return -(-at // SECOND) * SECOND
