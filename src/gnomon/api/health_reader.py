"""What the health page shows, read from the store."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from gnomon.api.health import ComponentHealth, HealthSnapshot, HealthStatus, WorkCounts, status_of_heartbeat
from gnomon.clock import Clock
from gnomon.config import Config, without_password
from gnomon.errors.product import GnomonError
from gnomon.executors.interface import WORKER_TTL_S
from gnomon.model.instants import Instant
from gnomon.report.listings.process_health import PROCESSOR_SILENCE_S
from gnomon.store import Database, Transaction, open_database
from gnomon.store.cross_dag import dag_edges
from gnomon.store.dag_records import dag_files, dag_runs, dags
from gnomon.store.dag_records.dag_files import StoredImportError
from gnomon.store.dag_records.dags import StoredDag
from gnomon.store.ownership import leases
from gnomon.store.transaction import LEASE_TTL_S
from gnomon.store.trigger_queue import trigger_claims, triggerer_leases

CACHE_S = 0.5
"""Requests within this time are given the same answer, so that a flood of them costs the database nothing."""
ERRORS_SHOWN = 5
"""So many files that could not be loaded are named, and so many DAGs that are not planned."""


class HealthReader:
    """Looks at everything once for all requests that come together. Never raises for a database that is away."""

    def __init__(self, cfg: Config, clock: Clock) -> None:
        self._cfg = cfg
        self._clock = clock
        self._database: Database | None = None
        self._lock = threading.Lock()
        self._last: tuple[float, HealthSnapshot] | None = None

    def read_health(self) -> HealthSnapshot:
        """The health of this moment."""
        with self._lock:
            now = self._clock.monotonic()
            if self._last is None or now - self._last[0] > CACHE_S:
                self._last = (now, self._read_health())
            return self._last[1]

    def close(self) -> None:
        """The connections are closed."""
        if self._database is not None:
            self._database.close()

    def _read_health(self) -> HealthSnapshot:
        at = self._clock.now()
        try:
            if self._database is None:
                self._database = open_database(self._cfg.database_url, role="api-server")
            with self._database.read() as tx:
                parts = (_database_health(HealthStatus.HEALTHY, self._database.dialect), *self._read_components(tx))
                alive = triggerer_leases.list_live_triggerers(tx, self._cfg.number("triggerer", "job_heartbeat_sec"))
                wrongs = (
                    *find_problems(parts, dag_files.list_import_errors(tx)), *find_unclaimed_triggers(trigger_claims.count_unclaimed_triggers(tx), alive),
                    *find_unplanned_dags(dags.list_dags(tx), dag_edges.list_dependency_errors(tx)),
                )
                return HealthSnapshot(at, parts, _counts(tx), wrongs)
        except GnomonError as error:
            url = without_password(self._cfg.database_url)
            return HealthSnapshot(at, (_database_health(HealthStatus.UNHEALTHY), *_UNKNOWN_COMPONENTS), None, (f"The database at {url} did not answer: {error}",))

    def _read_components(self, tx: Transaction) -> tuple[ComponentHealth, ...]:
        now = tx.lease_now()
        threshold = self._cfg.number("scheduler", "scheduler_health_check_threshold")
        schedulers = [(row.beat_at, row.host) for row in leases.list_schedulers(tx) if not row.fenced]
        workers = [(row.beat_at, row.host) for row in leases.list_workers(tx)]
        slots = sum(row.slots for row in leases.list_workers(tx) if status_of_heartbeat(row.beat_at, now, WORKER_TTL_S) is HealthStatus.HEALTHY)
        keepers = [row for row in triggerer_leases.list_triggerers(tx) if not row.fenced]
        beat_s = self._cfg.number("triggerer", "job_heartbeat_sec")
        silence_s = beat_s * triggerer_leases.SILENT_AFTER_BEATS
        alive = [row for row in keepers if row.is_alive(now, beat_s)]
        places = " · ".join(filter(None, (_describe_capacity(alive), _describe_counters(alive))))
        readers = [(row.beat_at, row.host) for row in leases.list_dag_processors(tx)]
        return (
            _component_health("scheduler", schedulers, now, threshold, alive_s=LEASE_TTL_S),
            _component_health("worker", workers, now, WORKER_TTL_S, f"{slots} slots"),
            _component_health("triggerer", [(row.beat_at, row.host) for row in keepers], now, silence_s, places),
            _component_health("dag_processor", readers, now, PROCESSOR_SILENCE_S),
        )


def _describe_capacity(alive: list[triggerer_leases.TriggererLease]) -> str:
    return f"{sum(row.running for row in alive)} of {sum(row.capacity for row in alive)} places taken"


def _describe_counters(alive: list[triggerer_leases.TriggererLease]) -> str:
    """What the triggerers that live have counted since they started, as far as there is something to say."""
    total: Counter[str] = Counter()
    for row in alive:
        total.update(row.counters)
    blocks = total["triggers.blocked_main_thread"]
    said = [(total["triggers.succeeded"], "came"), (total["triggers.failed"], "failed")]
    words = [f"{count:,} {word}" for count, word in said if count]
    if blocks:
        times = "once" if blocks == 1 else f"{blocks:,} times"
        words.append(f"blocked {times}{_worst_class(total)}")
    return ", ".join(words)


def _worst_class(total: Counter[str]) -> str:
    """The class that held up the loop most often."""
    begin = "triggers.blocked_main_thread."
    found = sorted((-count, name) for name, count in total.items() if name.startswith(begin))
    return f" (mostly by {found[0][1].removeprefix(begin)})" if found else ""


def find_problems(parts: Iterable[ComponentHealth], errors: Iterable[StoredImportError]) -> tuple[str, ...]:
    """What a person must know: services that do not live, files that could not be loaded."""
    dead = {part.name for part in parts if part.status is not HealthStatus.HEALTHY}
    wrongs = [sentence for name, sentence in _DEAD_PROBLEMS.items() if name in dead]
    first = {error.path: error for error in reversed(list(errors))}
    shown = [_first_line(first[path]) for path in sorted(first)[:ERRORS_SHOWN]]
    if len(first) > len(shown):
        shown.append(f"{len(first) - len(shown)} more files could not be loaded")
    if shown:
        wrongs += [*shown[:-1], f"{shown[-1]} (`gnomon dags errors` shows all, with tracebacks)"]
    return tuple(wrongs)


def find_unclaimed_triggers(unclaimed: Mapping[str | None, int], alive: Sequence[triggerer_leases.TriggererLease]) -> tuple[str, ...]:
    """Why deferred tasks wait and no triggerer takes them: none lives, none listens, all are full. `unclaimed`: how many, by queue."""
    if not alive:
        waiting = sum(unclaimed.values())
        return (f"No triggerer is alive, and {_count_deferred(waiting)} for one. `gnomon triggerer` starts one.",) if waiting else ()
    found, without_place = [], 0
    for queue, count in unclaimed.items():
        listening = [row for row in alive if row.takes_queue(queue)]
        if not listening:
            found.append(f"No triggerer listens to queue {queue!r}, and {_count_deferred(count)} on it. `gnomon triggerer --queues {queue}` starts one.")
        elif all(row.running >= row.capacity for row in listening):
            without_place += count
    if without_place:
        found.append(
            f"All places of the triggerers are taken, and {_count_deferred(without_place)} for one. Give them more with `--capacity`, or start another: "
            "`gnomon triggerer`."
        )
    return tuple(found)


def _count_deferred(count: int) -> str:
    return f"{count:,} deferred task{'s wait' if count > 1 else ' waits'}"


def find_unplanned_dags(known: Iterable[StoredDag], wrong: Mapping[int, str] = MappingProxyType({})) -> tuple[str, ...]:
    """The DAGs whose timetable does not say their next run, and why. `wrong`: what is wrong with dependencies, by dag_pk."""
    planned = [(dag.dag_id, dag.error or wrong.get(dag.dag_pk)) for dag in known if dag.active and not dag.paused]
    failed = sorted((dag_id, error) for dag_id, error in planned if error is not None)
    shown = [f"DAG {dag_id} is not planned: {error}" for dag_id, error in failed[:ERRORS_SHOWN]]
    if len(failed) > len(shown):
        shown.append(f"{len(failed) - len(shown)} more DAGs are not planned")
    return tuple(shown)


def _first_line(error: StoredImportError) -> str:
    """The error in a line that names the file."""
    line = error.message.strip().partition("\n")[0]
    return line if error.path in line else f"{error.path}: {line}"


def _component_health(
    name: str, beats: list[tuple[Instant, str]], now: Instant, silence_s: float, note: str = "", alive_s: float | None = None
) -> ComponentHealth:
    """How the processes of one kind are: well if one of them is. `alive_s`: who beat within it is counted."""
    last = max((beat_at for beat_at, _ in beats), default=None)
    alive = [host for beat_at, host in beats if status_of_heartbeat(beat_at, now, alive_s or silence_s) is HealthStatus.HEALTHY]
    where = f"{len(alive)} on {', '.join(sorted(set(alive)))}" if alive else ""
    return ComponentHealth(name, f"latest_{name}_heartbeat", status_of_heartbeat(last, now, silence_s), last, " · ".join(filter(None, (note, where))) if alive else "")


_UNKNOWN_COMPONENTS = tuple(ComponentHealth(name, f"latest_{name}_heartbeat", None) for name in ("scheduler", "worker", "triggerer", "dag_processor"))
_DEAD_PROBLEMS = {
    "scheduler": "No scheduler is alive: no run is planned and no task starts. `gnomon scheduler` starts one, `gnomon standalone` everything.",
    "worker": "No worker is alive: tasks wait in their queue. `gnomon worker` starts one.",
    "dag_processor": "No dag-processor is alive: new and changed DAG files are not seen. `gnomon dag-processor` starts one.",
}


def _database_health(status: HealthStatus, dialect: str = "") -> ComponentHealth:
    return ComponentHealth("metadatabase", None, status, note={"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(dialect, ""))


def _counts(tx: Transaction) -> WorkCounts:
    active = [dag for dag in dags.list_dags(tx) if dag.active]
    return WorkCounts(
        dags=len(active),
        paused=sum(dag.paused for dag in active),
        import_errors=len({error.path for error in dag_files.list_import_errors(tx)}),
        runs={state.value: count for state, count in dag_runs.read_total_run_counts(tx).items()},
    )
