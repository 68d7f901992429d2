"""The figures of a deployment that `/metrics` shows: counts from the store, and what the processes of all services have written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from gnomon.ground.metrics import definitions
from gnomon.ground.metrics.definitions import MetricDefinition
from gnomon.ground.metrics.figures import OTHER, FigureSample, decode_figures
from gnomon.model.baselines import BaselineRecord
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import PoolRecord
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.queries.report.activity.baseline_list import choose_record
from gnomon.queries.report.listings.service_list import list_services
from gnomon.storage.store import Transaction
from gnomon.storage.store.admin import pools
from gnomon.storage.store.alert_records import baseline_states
from gnomon.storage.store.coordination import deployment_counts, leases, quarantine, service_figures
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.trigger_queue import trigger_claims, triggerer_leases

POOLS_MAX = 200
"""Pools that are shown one by one, by name; the slots of further ones are added under one label."""


BASELINES_MAX = 200
BASELINES_PAST_S = 2 * 86_400
"""Due times of so long ago may still matter: those that are broken and not done."""


@dataclass(frozen=True, slots=True)
class ProcessSamples:
    """What one process has written."""

    service: str
    process_id: str
    samples: tuple[FigureSample, ...]


@dataclass(frozen=True, slots=True)
class DeploymentFigures:
    """All figures at one instant."""

    counts: tuple[FigureSample, ...]
    processes: tuple[ProcessSamples, ...]


def read_deployment_figures(tx: Transaction, now: Instant, triggerer_beat_s: float) -> DeploymentFigures:
    """The figures now. `triggerer_beat_s`: seconds between two heartbeats of a triggerer."""
    counts: list[FigureSample] = []

    def add(metric: MetricDefinition, value: float, *labels: str) -> None:
        counts.append(FigureSample(metric, labels, value))

    overdue, oldest = deployment_counts.find_overdue(tx, now)
    add(definitions.LAG, 0.0 if oldest is None else (now - oldest) / SECOND)
    add(definitions.OVERDUE_DAGS, overdue)
    active, paused, unplanned = deployment_counts.count_dags(tx)
    add(definitions.DAGS, active, "active")
    add(definitions.DAGS, paused, "paused")
    add(definitions.UNPLANNED_DAGS, unplanned)
    add(definitions.IMPORT_ERRORS, deployment_counts.count_import_errors(tx))
    runs = dag_runs.read_total_run_counts(tx)
    for state in DagRunState:
        add(definitions.RUNS, runs.get(state, 0), state.value)
    tasks = deployment_counts.count_task_states(tx)
    for name in (*(state.value for state in TaskInstanceState), deployment_counts.NO_STATE):
        add(definitions.TASK_INSTANCES, tasks.get(name, 0), name)
    counts += _read_pools(tx)
    add(definitions.MAILBOX, deployment_counts.count_messages(tx))
    add(definitions.QUARANTINED, quarantine.count_items(tx))
    for triggerer in triggerer_leases.list_triggerers(tx):
        if not triggerer.fenced:
            add(definitions.TRIGGERS, triggerer.running, triggerer.triggerer_id)
            add(definitions.TRIGGER_CAPACITY, triggerer.capacity, triggerer.triggerer_id)
    add(definitions.UNCLAIMED_TRIGGERS, sum(trigger_claims.count_unclaimed_triggers(tx).values()))
    open_alerts, pending = deployment_counts.count_alerts(tx)
    add(definitions.OPEN_ALERTS, open_alerts)
    add(definitions.PENDING_DELIVERIES, pending)
    counts += _read_baselines(tx, now)
    counts += _read_services(tx, triggerer_beat_s)
    stored = service_figures.list_figures(tx)
    return DeploymentFigures(
        tuple(counts),
        tuple(ProcessSamples(row.service, row.process_id, tuple(decode_figures(row.body))) for row in stored),
    )


def _read_pools(tx: Transaction) -> list[FigureSample]:
    live = pools.read_live_slots(tx)
    slots: dict[str, list[int]] = {}
    for number, pool in enumerate(pools.list_pools(tx)):
        figures = slots.setdefault(pool.name if number < POOLS_MAX else OTHER, [0, 0, 0])
        for position, value in enumerate((pool.slots, pool.used, _count_deferred(pool, live))):
            figures[position] += value
    metrics = (definitions.POOL_SLOTS, definitions.POOL_USED, definitions.POOL_WAITING)
    return [
        FigureSample(metric, (name,), value)
        for name, values in slots.items()
        for metric, value in zip(metrics, values, strict=True)
    ]


def _count_deferred(pool: PoolRecord, live: dict[str, dict[TaskInstanceState, int]]) -> int:
    return live.get(pool.name, {}).get(TaskInstanceState.DEFERRED, 0) if pool.include_deferred else 0


def _read_baselines(tx: Transaction, now: Instant) -> list[FigureSample]:
    """Of the first BASELINES_MAX baselines, by name: an installation with more asks the API."""
    by_name: dict[str, list[BaselineRecord]] = {}
    for record in baseline_states.list_states(tx, now - BASELINES_PAST_S * SECOND):
        by_name.setdefault(record.baseline, []).append(record)
    samples: list[FigureSample] = []
    for name in sorted(by_name)[:BASELINES_MAX]:
        chosen = choose_record(by_name[name], now)
        if chosen is None:
            continue
        forecast = chosen.forecast
        samples.append(FigureSample(definitions.BREACH_PROBABILITY, (name,), forecast.breach))
        ends = (("0.5", forecast.end_p50), ("0.9", forecast.end_p90))
        samples += [
            FigureSample(definitions.FORECAST_END, (name, quantile), end / SECOND)
            for quantile, end in ends
            if end is not None
        ]
    return samples


def _read_services(tx: Transaction, triggerer_beat_s: float) -> list[FigureSample]:
    now = tx.lease_now()
    samples = [
        FigureSample(definitions.WORKER_SLOTS, (worker.worker_id,), worker.slots) for worker in leases.list_workers(tx)
    ]
    for row in list_services(tx, triggerer_beat_s):
        labels = (row.service, row.id, row.host)
        samples.append(FigureSample(definitions.SERVICE_UP, labels, int(row.alive)))
        if row.beat_at is not None:
            age_s = now / SECOND - datetime.fromisoformat(row.beat_at).timestamp()
            samples.append(FigureSample(definitions.HEARTBEAT_AGE, labels, round(max(0.0, age_s), 3)))
    return samples
