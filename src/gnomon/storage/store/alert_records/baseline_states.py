"""How baselines stand at their due times, their earlier predictions, and the newest forecast."""

from __future__ import annotations

import json
from dataclasses import dataclass

import msgspec

from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import (
    BaselineForecast,
    BaselineLevel,
    BaselinePrediction,
    BaselineRecord,
    ForecastReport,
    PredictedRun,
)
from gnomon.model.instants import Instant
from gnomon.model.records import RaisedPriority
from gnomon.model.states import RUN_STATES_BY_CODE, DagRunState
from gnomon.rules.baselines.raised_priorities import collect_raised
from gnomon.storage.store.record_codec import decode_spec_without_tasks
from gnomon.storage.store.transaction import Row, Transaction

_decoder = msgspec.json.Decoder(BaselineForecast)
_report_decoder = msgspec.json.Decoder(ForecastReport)


class Promises(msgspec.Struct, frozen=True):
    """The baselines that the newest forecast knew of, and sentences about those that cannot be judged."""

    specs: tuple[BaselineSpec, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForecastHead:
    """What is known of the newest forecast without its runs, of which there may be thousands."""

    at: Instant
    """When the state was read."""
    fresh_until: Instant
    """After this a newer one is missing: what it says is not of now."""
    promises: Promises

    def is_fresh(self, now: Instant) -> bool:
        """Whether it still says how things stand."""
        return now <= self.fresh_until


_promises_decoder = msgspec.json.Decoder(Promises)


@dataclass(frozen=True, slots=True)
class EndedRun:
    """An ended run of a DAG at the end of a baseline."""

    run_pk: int
    run_id: str
    run_after: Instant
    state: DagRunState
    ended_at: Instant


def put_state(tx: Transaction, record: BaselineRecord) -> None:
    """Store how a due time stands."""
    tx.run(
        "baselines.put_state",
        baseline=record.baseline,
        due_at=record.due_at,
        level=record.level.value,
        changed_at=record.changed_at,
        body=msgspec.json.encode(record.forecast).decode(),
    )


def list_states(tx: Transaction, begin: Instant) -> list[BaselineRecord]:
    """The due times from `begin` on, in order, of all baselines."""
    return [_decode(row) for row in tx.all("baselines.states", begin=begin)]


def list_raised(tx: Transaction) -> dict[str, dict[tuple[str, str], RaisedPriority]]:
    """By DAG id, then by run id and task id: the priorities that baselines have raised; of several the greatest."""
    raised = ((baseline, _decoder.decode(body).raised) for baseline, body in tx.all("baselines.raised"))
    return collect_raised(raised)


def list_states_of(tx: Transaction, baseline: str, limit: int) -> list[BaselineRecord]:
    """The newest due times of a baseline, newest first."""
    return [_decode(row) for row in tx.all("baselines.states_of_baseline", baseline=baseline, limit=limit)]


def add_prediction(tx: Transaction, record: BaselineRecord) -> None:
    """Keep the prediction of a record beside the earlier ones."""
    forecast = record.forecast
    tx.run(
        "baselines.add_prediction",
        baseline=record.baseline,
        due_at=record.due_at,
        predicted_at=forecast.at,
        level=record.level.value,
        breach=forecast.breach,
        end_p50=forecast.end_p50,
        end_p90=forecast.end_p90,
    )


def list_predictions(tx: Transaction, baseline: str, due_at: Instant) -> list[BaselinePrediction]:
    """The predictions of a due time, oldest first."""
    return [
        BaselinePrediction(at=at, level=BaselineLevel(level), breach=breach, end_p50=end_p50, end_p90=end_p90)
        for at, level, breach, end_p50, end_p90 in tx.all("baselines.predictions", baseline=baseline, due_at=due_at)
    ]


def remove_old(tx: Transaction, before: Instant) -> None:
    """Delete what is about due times before that instant."""
    tx.run("baselines.remove_old_states", before=before)
    tx.run("baselines.remove_old_predictions", before=before)


def remove_due_time(tx: Transaction, baseline: str, due_at: Instant) -> None:
    """Delete what is known of a due time, and its predictions."""
    tx.run("baselines.remove_state", baseline=baseline, due_at=due_at)
    tx.run("baselines.remove_predictions", baseline=baseline, due_at=due_at)


def put_forecast(tx: Transaction, report: ForecastReport, fresh_until: Instant) -> None:
    """Replace the newest forecast by this one; how baselines stand is kept elsewhere (`put_state`)."""
    body = msgspec.structs.replace(report, baselines=(), specs=(), faults=())
    tx.run(
        "baselines.put_forecast",
        at=report.at,
        fresh_until=fresh_until,
        promises=msgspec.json.encode(Promises(report.specs, report.faults)).decode(),
        body=msgspec.json.encode(body).decode(),
    )


def find_forecast_head(tx: Transaction) -> ForecastHead | None:
    """The newest forecast without its runs."""
    row = tx.one("baselines.forecast_head")
    if row is None:
        return None
    at, fresh_until, promises = row
    return ForecastHead(at, fresh_until, _promises_decoder.decode(promises))


def find_forecast(tx: Transaction) -> ForecastReport | None:
    """The newest forecast, with its runs and without its baselines."""
    row = tx.one("baselines.forecast")
    return None if row is None else _report_decoder.decode(row[0])


def find_predicted_run(tx: Transaction, dag_id: str, run_id: str) -> PredictedRun | None:
    """What the newest forecast says of one run. Of the thousands in its text only this one is decoded."""
    row = tx.one("baselines.forecast")
    text = "" if row is None else row[0]
    begin = text.find(msgspec.json.encode({"dag_id": dag_id, "run_id": run_id}).decode().removesuffix("}") + ",")
    return None if begin < 0 else msgspec.convert(json.JSONDecoder().raw_decode(text, begin)[0], PredictedRun)


def list_newer_promises(tx: Transaction, after: int, limit: int) -> list[tuple[int, int, bool]]:
    """Of the newest versions of DAGs that are newer than `after`: version_pk, dag_pk, and whether the DAG has baselines; oldest first."""
    return [
        (version_pk, dag_pk, bool(decode_spec_without_tasks(spec).baselines))
        for version_pk, dag_pk, spec in tx.all("baselines.newer_specs", after=after, limit=limit)
    ]


def list_ended_runs(tx: Transaction, dag_pk: int, begin: Instant, end: Instant) -> list[EndedRun]:
    """The ended runs of the DAG with a slot from `begin` on and before `end`; no manual ones and no backfills."""
    return [
        EndedRun(run_pk, run_id, run_after, RUN_STATES_BY_CODE[state], ended_at)
        for run_pk, run_id, run_after, state, ended_at in tx.all(
            "baselines.ended_runs", dag_pk=dag_pk, begin=begin, end=end
        )
    ]


def _decode(row: Row) -> BaselineRecord:
    baseline, due_at, level, changed_at, body = row
    return BaselineRecord(baseline, due_at, BaselineLevel(level), changed_at, _decoder.decode(body))
