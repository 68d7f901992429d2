"""What the health page shows, read from the store and the run folder."""

from __future__ import annotations

import threading

from gnomon.api.health import Counts, Health, Part, Status, judge
from gnomon.clock import Clock
from gnomon.config import Config, run_folder, without_password
from gnomon.errors.product import GnomonError
from gnomon.model.instants import Instant
from gnomon.report.health import WORKER_SILENCE_S
from gnomon.store import Database, Transaction, dags, files, leases, open_database, runs
from gnomon.wakeups import DAG_PROCESSOR, is_present

FRESH_S = 0.5
"""Requests within this time are given the same answer, so that a flood of them costs the database nothing."""


class Looker:
    """Looks at everything once for all requests that come together. Never raises for a database that is away."""

    def __init__(self, cfg: Config, clock: Clock) -> None:
        self._cfg = cfg
        self._clock = clock
        self._database: Database | None = None
        self._guard = threading.Lock()
        self._last: tuple[float, Health] | None = None

    def look(self) -> Health:
        """The health of this moment."""
        with self._guard:
            now = self._clock.monotonic()
            if self._last is None or now - self._last[0] > FRESH_S:
                self._last = (now, self._look())
            return self._last[1]

    def close(self) -> None:
        """The connections are closed."""
        if self._database is not None:
            self._database.close()

    def _look(self) -> Health:
        at = self._clock.now()
        try:
            if self._database is None:
                self._database = open_database(self._cfg.database_url, role="api-server")
            with self._database.read() as tx:
                return Health(at, (_database(Status.HEALTHY, self._database.dialect), *self._parts(tx, at)), _counts(tx))
        except GnomonError as error:
            url = without_password(self._cfg.database_url)
            parts = (_database(Status.UNHEALTHY), Part("scheduler", "latest_scheduler_heartbeat", None),
                     Part("worker", "latest_worker_heartbeat", None), _triggerer(), self._dag_processor(at))
            return Health(at, parts, None, f"The database at {url} did not answer: {error}")

    def _parts(self, tx: Transaction, at: Instant) -> tuple[Part, ...]:
        now = tx.lease_now()
        beats = [row.beat_at for row in leases.schedulers(tx) if not row.fenced]
        workers = leases.workers(tx)
        alive = [worker for worker in workers if judge(worker.beat_at, now, WORKER_SILENCE_S) is Status.HEALTHY]
        slots = sum(worker.slots for worker in alive)
        last_scheduler = max(beats, default=None)
        last_worker = max((worker.beat_at for worker in workers), default=None)
        threshold = self._cfg.number("scheduler", "scheduler_health_check_threshold")
        return (
            Part("scheduler", "latest_scheduler_heartbeat", judge(last_scheduler, now, threshold), last_scheduler),
            Part("worker", "latest_worker_heartbeat", judge(last_worker, now, WORKER_SILENCE_S), last_worker,
                 f"{slots} slots on {len(alive)} worker{'' if len(alive) == 1 else 's'}" if alive else ""),
            _triggerer(),
            self._dag_processor(at),
        )

    def _dag_processor(self, at: Instant) -> Part:
        """It leaves no beat in the database; its lock says whether it lives on this host."""
        present = is_present(run_folder(self._cfg.home), DAG_PROCESSOR)
        return Part("dag_processor", "latest_dag_processor_heartbeat", Status.HEALTHY if present else None, at if present else None)


def _database(status: Status, dialect: str = "") -> Part:
    return Part("metadatabase", None, status, note={"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(dialect, ""))


def _triggerer() -> Part:
    """Part of Airflow's answer; Gnomon has none yet."""
    return Part("triggerer", "latest_triggerer_heartbeat", None)


def _counts(tx: Transaction) -> Counts:
    active = [dag for dag in dags.list_dags(tx) if dag.active]
    return Counts(
        dags=len(active),
        paused=sum(dag.paused for dag in active),
        import_errors=len({error.path for error in files.import_errors(tx)}),
        runs={state.value: count for state, count in runs.totals(tx).items()},
    )
