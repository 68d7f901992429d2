"""Every registered process of the services: where it runs, its version, its last heartbeat, and what it may do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gnomon.ground.metrics import definitions
from gnomon.ground.metrics.figures import FigureSample, decode_figures
from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.records import WorkerRecord
from gnomon.queries.report.listings.process_health import PROCESSOR_SILENCE_S, read_health
from gnomon.storage.store import Transaction
from gnomon.storage.store.coordination import leases, service_figures, service_leases
from gnomon.storage.store.trigger_queue import triggerer_leases


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """A process that is registered: one that ended normally is not."""

    service: str
    """The name of its command: scheduler, worker, triggerer, dag-processor, api-server or monitor."""
    id: str
    host: str
    beat_at: str | None
    alive: bool
    version: str | None = None
    """The version of Gnomon that the process runs; None until it has written figures."""
    groups: int | None = None
    """Of a scheduler: the groups of DAGs, of 64, that it owns."""
    slots: int | None = None
    """Of a worker: how many tasks it runs at a time. Of a triggerer: how many triggers."""
    queues: list[str] | None = None
    """Of a worker of the CeleryExecutor: the queues that it takes tasks from."""
    used_by: list[str] | None = None
    """Of a worker: the hosts of the live schedulers that send tasks to it, which are schedulers of its own host."""


@dataclass(slots=True)
class WrittenFigures:
    """What the processes have written with their heartbeats, by process id."""

    samples: dict[str, Sequence[FigureSample]] = field(default_factory=dict)

    def find_version(self, process_id: str) -> str | None:
        """The version that a process runs; None if it has written nothing."""
        return next(
            (sample.labels[0] for sample in self.samples.get(process_id, ()) if sample.metric is definitions.BUILD),
            None,
        )

    def list_connected_workers(self, process_id: str) -> list[str]:
        """The ids of the workers to which a scheduler can send tasks."""
        return [
            sample.labels[0]
            for sample in self.samples.get(process_id, ())
            if sample.metric is definitions.CONNECTED_WORKERS
        ]


def read_figures(tx: Transaction) -> WrittenFigures:
    """What all processes have written."""
    return WrittenFigures({row.process_id: list(decode_figures(row.body)) for row in service_figures.list_figures(tx)})


def list_services(tx: Transaction, triggerer_beat_s: float, figures: WrittenFigures | None = None) -> list[ServiceRow]:
    """All of them, by service; alive by the database's clock. `triggerer_beat_s`: the time between two heartbeats of a triggerer.

    `figures`: what the processes have written, if the caller has read it.
    """
    now = tx.lease_now()
    figures = read_figures(tx) if figures is None else figures
    processes = read_health(tx).processes
    workers = {worker.worker_id: worker for worker in leases.list_workers(tx)}
    users = _find_users(figures, [(row.id, row.host) for row in processes if row.kind == "scheduler" and row.alive])
    rows = [
        ServiceRow(
            row.kind,
            row.id,
            row.host,
            row.beat_at,
            row.alive,
            figures.find_version(row.id),
            groups=len(leases.list_owned_groups(tx, row.id)),
        )
        if row.kind == "scheduler"
        else ServiceRow(
            row.kind,
            row.id,
            row.host,
            row.beat_at,
            row.alive,
            figures.find_version(row.id),
            used_by=sorted(users[row.id]),
            **_describe_worker(workers.get(row.id)),
        )
        for row in processes
    ]
    rows += [
        ServiceRow(
            "triggerer",
            row.triggerer_id,
            row.host,
            iso(row.beat_at),
            row.is_alive(now, triggerer_beat_s),
            figures.find_version(row.triggerer_id),
            slots=row.capacity,
        )
        for row in triggerer_leases.list_triggerers(tx)
        if not row.fenced
    ]
    rows += [
        ServiceRow(
            "dag-processor",
            row.processor_id,
            row.host,
            iso(row.beat_at),
            _is_recent(row.beat_at, now),
            figures.find_version(row.processor_id),
        )
        for row in leases.list_dag_processors(tx)
    ]
    rows += [
        ServiceRow(
            "api-server",
            row.server_id,
            row.host,
            iso(row.beat_at),
            row.is_alive(now),
            figures.find_version(row.server_id),
        )
        for row in leases.list_api_servers(tx)
    ]
    monitor = service_leases.find_lease(tx, service_leases.MONITOR)
    if monitor is not None:
        rows.append(
            ServiceRow(
                "monitor",
                monitor.holder,
                monitor.host,
                iso(monitor.beat_at),
                monitor.is_alive(now),
                figures.find_version(monitor.holder),
            )
        )
    return rows


def _describe_worker(worker: WorkerRecord | None) -> dict[str, Any]:
    if worker is None:
        return {}
    return {"slots": worker.slots, "queues": None if worker.queues is None else list(worker.queues)}


def _find_users(figures: WrittenFigures, schedulers: Sequence[tuple[str, str]]) -> dict[str, set[str]]:
    """By worker id, the hosts of those schedulers (id and host) that can send tasks to it."""
    hosts_by_worker: dict[str, set[str]] = defaultdict(set)
    for scheduler_id, host in schedulers:
        for worker_id in figures.list_connected_workers(scheduler_id):
            hosts_by_worker[worker_id].add(host)
    return hosts_by_worker


def _is_recent(beat_at: Instant, now: Instant) -> bool:
    return now - beat_at <= PROCESSOR_SILENCE_S * SECOND
