"""Reads from the store what the health page shows."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from gnomon.api.health import ComponentHealth, HealthSnapshot, HealthStatus, WorkCounts, status_of_heartbeat
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config, without_password
from gnomon.ground.config.alert_rules import read_alert_settings
from gnomon.model.errors.product import GnomonError
from gnomon.model.executors import WORKER_TTL_S
from gnomon.model.instants import Instant
from gnomon.model.sentences import Command, Sentence, quote, render, say
from gnomon.queries.report.listings.process_health import PROCESSOR_SILENCE_S
from gnomon.queries.report.listings.quarantine_list import describe_count
from gnomon.queries.report.listings.setup_problems import find_setup_sentences
from gnomon.queries.report.listings.watcher_list import find_watcher_problems
from gnomon.storage.store import Database, Transaction, open_database
from gnomon.storage.store.alert_records import alert_events
from gnomon.storage.store.asset_records import asset_watchers
from gnomon.storage.store.coordination import leases, service_leases
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.dag_records.dags import StoredDag
from gnomon.storage.store.parsed_files import dag_files
from gnomon.storage.store.parsed_files.dag_files import StoredImportError
from gnomon.storage.store.transaction import LEASE_TTL_S
from gnomon.storage.store.trigger_queue import trigger_claims, triggerer_leases

CACHE_S = 0.5
"""Requests within this time get the same snapshot, so that many requests cost the database one read."""
ERRORS_SHOWN = 5
"""Maximum number of files with import errors, and of unplanned DAGs, that are listed."""


class HealthReader:
    """Reads the health once for all requests that arrive together. An unavailable database is reported, never raised."""

    def __init__(self, cfg: Config, clock: Clock) -> None:
        self._cfg = cfg
        self._clock = clock
        self._database: Database | None = None
        self._lock = threading.Lock()
        self._last: tuple[float, HealthSnapshot] | None = None

    def read_health(self) -> HealthSnapshot:
        """The current health, at most CACHE_S old."""
        with self._lock:
            now = self._clock.monotonic()
            if self._last is None or now - self._last[0] > CACHE_S:
                self._last = (now, self._read_health())
            return self._last[1]

    def close(self) -> None:
        """Close the database connections."""
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
                problems = (
                    *find_problems(parts, dag_files.list_import_errors(tx)),
                    *find_unclaimed_triggers(trigger_claims.count_unclaimed_triggers(tx), alive),
                    *find_watcher_problems(asset_watchers.list_watchers(tx), has_triggerer=bool(alive)),
                    *find_unplanned_dags(dags.list_dags(tx), dag_edges.list_dependency_errors(tx)),
                    *filter(None, [describe_count(tx)]),
                    *find_setup_sentences(tx, self._cfg.number("triggerer", "job_heartbeat_sec")),
                )
                return HealthSnapshot(at, parts, _counts(tx), problems, tuple(find_silent_services(parts)))
        except GnomonError as error:
            url = without_password(self._cfg.database_url)
            told = (say("database_does_not_answer", url=url, error=str(error)),)
            return HealthSnapshot(
                at, (_database_health(HealthStatus.UNHEALTHY), *_UNKNOWN_COMPONENTS), None, told, silent=told
            )

    def _read_components(self, tx: Transaction) -> tuple[ComponentHealth, ...]:
        now = tx.lease_now()
        threshold = self._cfg.number("scheduler", "scheduler_health_check_threshold")
        schedulers = [(row.beat_at, row.host) for row in leases.list_schedulers(tx) if not row.fenced]
        workers = [(row.beat_at, row.host) for row in leases.list_workers(tx)]
        slots = sum(
            row.slots
            for row in leases.list_workers(tx)
            if status_of_heartbeat(row.beat_at, now, WORKER_TTL_S) is HealthStatus.HEALTHY
        )
        triggerers = [row for row in triggerer_leases.list_triggerers(tx) if not row.fenced]
        beat_s = self._cfg.number("triggerer", "job_heartbeat_sec")
        silence_s = beat_s * triggerer_leases.SILENT_AFTER_BEATS
        alive = [row for row in triggerers if row.is_alive(now, beat_s)]
        note = " · ".join(filter(None, (_describe_capacity(alive), _describe_counters(alive))))
        processors = [(row.beat_at, row.host) for row in leases.list_dag_processors(tx)]
        return (
            _component_health("scheduler", schedulers, now, threshold, alive_s=LEASE_TTL_S),
            _component_health("worker", workers, now, WORKER_TTL_S, render(say("slots_of_workers", total=slots))),
            _component_health("triggerer", [(row.beat_at, row.host) for row in triggerers], now, silence_s, note)
            if triggerers
            else _NO_TRIGGERER,
            _component_health("dag_processor", processors, now, PROCESSOR_SILENCE_S),
            *self._read_monitor(tx, now),
        )

    def _read_monitor(self, tx: Transaction, now: Instant) -> tuple[ComponentHealth, ...]:
        """The monitor, where one is expected: it holds its lease, or rules or a nightly clean need it. Airflow has no such part."""
        lease = service_leases.find_lease(tx, service_leases.MONITOR)
        if lease is not None:
            return (_component_health("monitor", [(lease.beat_at, lease.host)], now, service_leases.MONITOR_TTL_S),)
        is_needed = self._is_monitor_configured() or alert_events.find_oldest_event(tx) is not None
        return (ComponentHealth("monitor", "latest_monitor_heartbeat", HealthStatus.UNHEALTHY),) if is_needed else ()

    def _is_monitor_configured(self) -> bool:
        try:
            return bool(self._cfg.text("housekeeping", "clean_at").strip() or read_alert_settings(self._cfg.home).rules)
        except GnomonError:
            return True  # a rule that is wrong now was meant to be applied


def _describe_capacity(alive: list[triggerer_leases.TriggererLease]) -> str:
    used, total = sum(row.running for row in alive), sum(row.capacity for row in alive)
    return render(say("slots_of_triggerers", used=used, total=total))


def _describe_counters(alive: list[triggerer_leases.TriggererLease]) -> str:
    """The counters of the live triggerers since their start; empty when all are zero."""
    total: Counter[str] = Counter()
    for row in alive:
        total.update(row.counters)
    blocks = total["triggers.blocked_main_thread"]
    sentences = [
        say("triggers_succeeded", total=f"{succeeded:,}") if (succeeded := total["triggers.succeeded"]) else None,
        say("triggers_failed", total=f"{failed:,}") if (failed := total["triggers.failed"]) else None,
        say("events_of_watchers", total=f"{events:,}", count=events)
        if (events := total["asset_watchers.events"])
        else None,
        say("triggers_blocked", total=f"{blocks:,}", count=blocks, more=_find_worst_class(total)) if blocks else None,
    ]
    return ", ".join(render(sentence) for sentence in sentences if sentence is not None)


def _find_worst_class(total: Counter[str]) -> Sentence | None:
    """The trigger class that blocked the event loop most often."""
    begin = "triggers.blocked_main_thread."
    blockers = sorted((-count, name) for name, count in total.items() if name.startswith(begin))
    return say("mostly_by", name=blockers[0][1].removeprefix(begin)) if blockers else None


def find_problems(parts: Iterable[ComponentHealth], errors: Iterable[StoredImportError]) -> tuple[Sentence, ...]:
    """Problems that users must know about: components that are not running, and files that could not be loaded."""
    problems = find_silent_services(parts)
    first = {error.path: error for error in reversed(list(errors))}
    shown = [quote(_first_line(first[path])) for path in sorted(first)[:ERRORS_SHOWN]]
    if len(first) > len(shown):
        shown.append(say("more_files_not_loaded", count=len(first) - len(shown)))
    if shown:
        last = say("file_errors_are_shown", why=shown[-1], command=Command("dags errors"))
        problems += [*shown[:-1], last]
    return tuple(problems)


def find_silent_services(parts: Iterable[ComponentHealth]) -> list[Sentence]:
    """The services that are not alive though work waits for them, each with the command that starts it."""
    dead = {part.name for part in parts if part.status is not HealthStatus.HEALTHY}
    return [_describe_dead(name, code) for name, code in _DEAD_CODES.items() if name in dead]


def find_unclaimed_triggers(
    unclaimed: Mapping[str | None, int], alive: Sequence[triggerer_leases.TriggererLease]
) -> tuple[Sentence, ...]:
    """Why deferred tasks wait without a triggerer: none is alive, none takes their queue, or all are full. `unclaimed`: by queue."""
    if not alive:
        waiting = sum(unclaimed.values())
        command = Command("triggerer")
        return (say("tasks_lack_triggerer", tasks_wait=_count_deferred(waiting), command=command),) if waiting else ()
    sentences, waiting_for_slot = [], 0
    for queue, count in unclaimed.items():
        listening = [row for row in alive if row.takes_queue(queue)]
        if not listening:
            command = Command("triggerer", (), ("--queues", str(queue)))
            waits = _count_deferred(count)
            sentences.append(say("tasks_lack_triggerer_of_queue", queue=repr(queue), tasks_wait=waits, command=command))
        elif all(row.running >= row.capacity for row in listening):
            waiting_for_slot += count
    if waiting_for_slot:
        waits = _count_deferred(waiting_for_slot)
        sentences.append(say("tasks_lack_slot_of_triggerer", tasks_wait=waits, command=Command("triggerer")))
    return tuple(sentences)


def _count_deferred(count: int) -> Sentence:
    return say("deferred_tasks_wait", count=count, number=f"{count:,}")


def _describe_dead(name: str, code: str) -> Sentence:
    command = Command(name.replace("_", "-"))
    if name == "scheduler":
        return say(code, command=command, other_command=Command("standalone"))
    return say(code, command=command)


def find_unplanned_dags(
    stored_dags: Iterable[StoredDag], wrong: Mapping[int, str] = MappingProxyType({})
) -> tuple[Sentence, ...]:
    """The DAGs whose next run cannot be planned, with the reason. `wrong`: dag_pk to the error of its dependencies."""
    planned = [(dag.dag_id, dag.error or wrong.get(dag.dag_pk)) for dag in stored_dags if dag.active and not dag.paused]
    failed = sorted((dag_id, error) for dag_id, error in planned if error is not None)
    shown = [say("dag_is_not_planned", dag=dag_id, error=error) for dag_id, error in failed[:ERRORS_SHOWN]]
    if len(failed) > len(shown):
        shown.append(say("more_dags_are_not_planned", count=len(failed) - len(shown)))
    return tuple(shown)


def _first_line(error: StoredImportError) -> str:
    """The first line of the error, with the file."""
    line = error.message.strip().partition("\n")[0]
    return line if error.path in line else f"{error.path}: {line}"


def _component_health(
    name: str,
    beats: list[tuple[Instant, str]],
    now: Instant,
    silence_s: float,
    note: str = "",
    alive_s: float | None = None,
) -> ComponentHealth:
    """The health of all processes of one kind: healthy if one is. `alive_s`: processes with a younger heartbeat are counted."""
    last = max((beat_at for beat_at, _ in beats), default=None)
    alive = [
        host
        for beat_at, host in beats
        if status_of_heartbeat(beat_at, now, alive_s or silence_s) is HealthStatus.HEALTHY
    ]
    where = render(say("services_on_hosts", total=len(alive), names=", ".join(sorted(set(alive))))) if alive else ""
    return ComponentHealth(
        name,
        f"latest_{name}_heartbeat",
        status_of_heartbeat(last, now, silence_s),
        last,
        " · ".join(filter(None, (note, where))) if alive else "",
    )


_NO_TRIGGERER = ComponentHealth(
    "triggerer",
    "latest_triggerer_heartbeat",
    None,
    note=render(say("no_task_was_deferred")),
)
"""A triggerer that never ran is no fault: only deferred tasks and watchers need one, and these are among the problems."""
_UNKNOWN_COMPONENTS = tuple(
    ComponentHealth(name, f"latest_{name}_heartbeat", None)
    for name in ("scheduler", "worker", "triggerer", "dag_processor")
)
_DEAD_CODES = {
    "scheduler": "scheduler_is_dead",
    "worker": "worker_is_dead",
    "monitor": "monitor_is_dead",
    "dag_processor": "dag_processor_is_dead",
}


def _database_health(status: HealthStatus, dialect: str = "") -> ComponentHealth:
    return ComponentHealth(
        "metadatabase", None, status, note={"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(dialect, "")
    )


def _counts(tx: Transaction) -> WorkCounts:
    active = [dag for dag in dags.list_dags(tx) if dag.active]
    return WorkCounts(
        dags=len(active),
        paused=sum(dag.paused for dag in active),
        import_errors=len({error.path for error in dag_files.list_import_errors(tx)}),
        runs={state.value: count for state, count in dag_runs.read_total_run_counts(tx).items()},
    )
