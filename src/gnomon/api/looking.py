"""What the health page shows, read from the store."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from gnomon.api.health import Counts, Health, Part, Status, judge
from gnomon.clock import Clock
from gnomon.config import Config, without_password
from gnomon.errors.product import GnomonError
from gnomon.executors.interface import WORKER_TTL_S
from gnomon.model.instants import Instant
from gnomon.report.health import PROCESSOR_SILENCE_S
from gnomon.store import (
    Database,
    Transaction,
    dags,
    edges,
    files,
    leases,
    open_database,
    processors,
    runs,
    triggerers,
    triggers,
)
from gnomon.store.dags import DagRow
from gnomon.store.files import ImportErrorRow
from gnomon.store.lifetimes import TTL_S

FRESH_S = 0.5
"""Requests within this time are given the same answer, so that a flood of them costs the database nothing."""
ERRORS_SHOWN = 5
"""So many files that could not be loaded are named, and so many DAGs that are not planned."""


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
                parts = (_database(Status.HEALTHY, self._database.dialect), *self._parts(tx))
                alive = triggerers.alive(tx, self._cfg.number("triggerer", "job_heartbeat_sec"))
                wrongs = (
                    *wrongs_of(parts, files.import_errors(tx)), *homeless(triggers.unclaimed(tx), alive),
                    *not_planned(dags.list_dags(tx), edges.dependency_errors(tx)),
                )
                return Health(at, parts, _counts(tx), wrongs)
        except GnomonError as error:
            url = without_password(self._cfg.database_url)
            return Health(at, (_database(Status.UNHEALTHY), *_UNKNOWN), None, (f"The database at {url} did not answer: {error}",))

    def _parts(self, tx: Transaction) -> tuple[Part, ...]:
        now = tx.lease_now()
        threshold = self._cfg.number("scheduler", "scheduler_health_check_threshold")
        schedulers = [(row.beat_at, row.host) for row in leases.schedulers(tx) if not row.fenced]
        workers = [(row.beat_at, row.host) for row in leases.workers(tx)]
        slots = sum(row.slots for row in leases.workers(tx) if judge(row.beat_at, now, WORKER_TTL_S) is Status.HEALTHY)
        keepers = [row for row in triggerers.known(tx) if not row.fenced]
        beat_s = self._cfg.number("triggerer", "job_heartbeat_sec")
        silence_s = beat_s * triggerers.SILENCE_BEATS
        alive = [row for row in keepers if row.is_alive(now, beat_s)]
        places = " · ".join(filter(None, (_places(alive), _figures(alive))))
        readers = [(row.beat_at, row.host) for row in processors.known(tx)]
        return (
            _part("scheduler", schedulers, now, threshold, alive_s=TTL_S),
            _part("worker", workers, now, WORKER_TTL_S, f"{slots} slots"),
            _part("triggerer", [(row.beat_at, row.host) for row in keepers], now, silence_s, places),
            _part("dag_processor", readers, now, PROCESSOR_SILENCE_S),
        )


def _places(alive: list[triggerers.TriggererRow]) -> str:
    return f"{sum(row.running for row in alive)} of {sum(row.capacity for row in alive)} places taken"


def _figures(alive: list[triggerers.TriggererRow]) -> str:
    """What the triggerers that live have counted since they started, as far as there is something to say."""
    total: Counter[str] = Counter()
    for row in alive:
        total.update(row.counted)
    blocks = total["triggers.blocked_main_thread"]
    said = [(total["triggers.succeeded"], "came"), (total["triggers.failed"], "failed")]
    words = [f"{count:,} {word}" for count, word in said if count]
    if blocks:
        times = "once" if blocks == 1 else f"{blocks:,} times"
        words.append(f"blocked {times}{_by(total)}")
    return ", ".join(words)


def _by(total: Counter[str]) -> str:
    """The class that held up the loop most often."""
    begin = "triggers.blocked_main_thread."
    found = sorted((-count, name) for name, count in total.items() if name.startswith(begin))
    return f" (mostly by {found[0][1].removeprefix(begin)})" if found else ""


def wrongs_of(parts: Iterable[Part], errors: Iterable[ImportErrorRow]) -> tuple[str, ...]:
    """What a person must know: services that do not live, files that could not be loaded."""
    dead = {part.name for part in parts if part.status is not Status.HEALTHY}
    wrongs = [sentence for name, sentence in _DEAD.items() if name in dead]
    first = {error.path: error for error in reversed(list(errors))}
    shown = [_first_line(first[path]) for path in sorted(first)[:ERRORS_SHOWN]]
    if len(first) > len(shown):
        shown.append(f"{len(first) - len(shown)} more files could not be loaded")
    if shown:
        wrongs += [*shown[:-1], f"{shown[-1]} (`gnomon dags errors` shows all, with tracebacks)"]
    return tuple(wrongs)


def homeless(unclaimed: Mapping[str | None, int], alive: Sequence[triggerers.TriggererRow]) -> tuple[str, ...]:
    """Why deferred tasks wait and no triggerer takes them: none lives, none listens, all are full. `unclaimed`: how many, by queue."""
    if not alive:
        waiting = sum(unclaimed.values())
        return (f"No triggerer is alive, and {_deferred(waiting)} for one. `gnomon triggerer` starts one.",) if waiting else ()
    found, without_place = [], 0
    for queue, count in unclaimed.items():
        listening = [row for row in alive if row.listens_to(queue)]
        if not listening:
            found.append(f"No triggerer listens to queue {queue!r}, and {_deferred(count)} on it. `gnomon triggerer --queues {queue}` starts one.")
        elif all(row.running >= row.capacity for row in listening):
            without_place += count
    if without_place:
        found.append(
            f"All places of the triggerers are taken, and {_deferred(without_place)} for one. Give them more with `--capacity`, or start another: "
            "`gnomon triggerer`."
        )
    return tuple(found)


def _deferred(count: int) -> str:
    return f"{count:,} deferred task{'s wait' if count > 1 else ' waits'}"


def not_planned(known: Iterable[DagRow], wrong: Mapping[int, str] = MappingProxyType({})) -> tuple[str, ...]:
    """The DAGs whose timetable does not say their next run, and why. `wrong`: what is wrong with dependencies, by dag_pk."""
    planned = [(dag.dag_id, dag.error or wrong.get(dag.dag_pk)) for dag in known if dag.active and not dag.paused]
    failed = sorted((dag_id, error) for dag_id, error in planned if error is not None)
    shown = [f"DAG {dag_id} is not planned: {error}" for dag_id, error in failed[:ERRORS_SHOWN]]
    if len(failed) > len(shown):
        shown.append(f"{len(failed) - len(shown)} more DAGs are not planned")
    return tuple(shown)


def _first_line(error: ImportErrorRow) -> str:
    """The error in a line that names the file."""
    line = error.message.strip().partition("\n")[0]
    return line if error.path in line else f"{error.path}: {line}"


def _part(
    name: str, beats: list[tuple[Instant, str]], now: Instant, silence_s: float, note: str = "", alive_s: float | None = None
) -> Part:
    """How the processes of one kind are: well if one of them is. `alive_s`: who beat within it is counted."""
    last = max((beat_at for beat_at, _ in beats), default=None)
    alive = [host for beat_at, host in beats if judge(beat_at, now, alive_s or silence_s) is Status.HEALTHY]
    where = f"{len(alive)} on {', '.join(sorted(set(alive)))}" if alive else ""
    return Part(name, f"latest_{name}_heartbeat", judge(last, now, silence_s), last, " · ".join(filter(None, (note, where))) if alive else "")


_UNKNOWN = tuple(Part(name, f"latest_{name}_heartbeat", None) for name in ("scheduler", "worker", "triggerer", "dag_processor"))
_DEAD = {
    "scheduler": "No scheduler is alive: no run is planned and no task starts. `gnomon scheduler` starts one, `gnomon standalone` everything.",
    "worker": "No worker is alive: tasks wait in their queue. `gnomon worker` starts one.",
    "dag_processor": "No dag-processor is alive: new and changed DAG files are not seen. `gnomon dag-processor` starts one.",
}


def _database(status: Status, dialect: str = "") -> Part:
    return Part("metadatabase", None, status, note={"sqlite": "SQLite", "postgresql": "PostgreSQL"}.get(dialect, ""))


def _counts(tx: Transaction) -> Counts:
    active = [dag for dag in dags.list_dags(tx) if dag.active]
    return Counts(
        dags=len(active),
        paused=sum(dag.paused for dag in active),
        import_errors=len({error.path for error in files.import_errors(tx)}),
        runs={state.value: count for state, count in runs.totals(tx).items()},
    )
