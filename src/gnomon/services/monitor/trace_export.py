"""Sends the traces of ended runs to a collector, in a thread of the monitor: a collector that hangs holds this thread alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.errors.product import GnomonError
from gnomon.model.instants import SECOND
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.services.monitor.run_spans import RunSpan, build_run_spans
from gnomon.storage.store import CommitUncertain, Database, FencedError
from gnomon.storage.store.dag_records import dag_runs, trace_cursor
from gnomon.storage.store.dag_records.run_listing import NamedRun
from gnomon.storage.store.dag_records.trace_cursor import TraceCursor
from gnomon.storage.store.transaction import LEASE_TTL_S

POLL_S = 2.0
SETTLED_S = LEASE_TTL_S + 1.0
"""A run is exported so long after its end: a scheduler that commits later than its lease allows is refused, so that no earlier end can appear."""
OLDEST_S = 3600.0
"""While the collector is away, runs that ended longer ago are left out."""
RUNS_MAX = 100
"""Runs of one round."""
SPANS_MAX = 512
"""Spans of one message."""
FIRST_PAUSE_S = 5.0
LONGEST_PAUSE_S = 120.0
CLOSE_S = 1.0
_log = log.get_logger("monitor.traces")

SendSpans = Callable[[Sequence[RunSpan]], bool]
"""Sends spans; True when the collector has taken them."""


class TraceExport:
    """`tick` never blocks; the thread ends after one round."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        monitor_id: str,
        service: str,
        send: SendSpans,
        end_sender: Callable[[], object] = lambda: None,
    ) -> None:
        """`service`: [traces] otel_service. `send`: called in the thread; what it raises counts as refused.

        `end_sender`: called by `close`; ends the tries of a message that is on its way.
        """
        self._db = db
        self._clock = clock
        self._monitor_id = monitor_id
        self._service = service
        self._send = send
        self._end_sender = end_sender
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._failures = 0
        self._next_at = 0.0

    def tick(self) -> None:
        """Begin a round if one is due and none is running."""
        if self._clock.monotonic() >= self._next_at and (self._thread is None or not self._thread.is_alive()):
            self._next_at = self._clock.monotonic() + POLL_S
            self._thread = threading.Thread(target=self._run, name="traces", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End; a message that is on its way is sent again by the next monitor if it does not arrive within CLOSE_S."""
        self._stopped.set()
        self._end_sender()
        if self._thread is not None:
            self._thread.join(CLOSE_S)

    def _run(self) -> None:
        try:
            self.export_round()
        except FencedError:
            _log.debug("traces_left_to_other_monitor")
        except (GnomonError, CommitUncertain) as error:
            if not self._stopped.is_set():
                _log.warning("traces_not_read", error=str(error))

    def export_round(self) -> int:
        """Send the traces of runs that have ended since the last round; returns how many. Raises the errors of the store."""
        now = self._clock.now()
        with self._db.read() as tx:
            stored = trace_cursor.read_cursor(tx)
        if stored is None:  # the first time: no history
            self._store(TraceCursor(now - round(SETTLED_S * SECOND)))
            return 0
        cursor = max(stored, TraceCursor(now - round(OLDEST_S * SECOND)))
        if cursor is not stored and self._failures:
            _log.warning(
                "traces_dropped",
                reason=f"the collector has taken nothing for {OLDEST_S:.0f} s: traces of runs that ended before are left out",
            )
        with self._db.read() as tx:
            runs = trace_cursor.list_ended_after(tx, cursor, now - round(SETTLED_S * SECOND), RUNS_MAX)
        sent = 0
        for named in runs:
            if self._stopped.is_set() or not self._send_run(named):
                break
            assert named.run.ended_at is not None
            cursor = TraceCursor(named.run.ended_at, named.run.run_pk)
            sent += 1
        if sent:
            self._store(cursor)
        if sent == len(runs) == RUNS_MAX:
            self._next_at = 0.0
        return sent

    def _store(self, cursor: TraceCursor) -> None:
        with self._db.monitor_write(self._monitor_id) as tx:
            trace_cursor.put_cursor(tx, cursor)

    def _send_run(self, named: NamedRun) -> bool:
        with self._db.read() as tx:
            attempts = dag_runs.list_attempts(tx, named.run.run_pk)
            task_ids = {number: task_id for task_id, number in find_dag(tx, named.dag_id).task_numbers.items()}
        spans = build_run_spans(self._service, named, attempts, task_ids)
        return all(self._try_send(spans[start : start + SPANS_MAX]) for start in range(0, len(spans), SPANS_MAX))

    def _try_send(self, spans: Sequence[RunSpan]) -> bool:
        problem = "the collector refused the spans"
        try:
            is_taken = self._send(spans)
        except Exception as error:  # the edge of a library: whatever it raises is the collector's trouble
            is_taken, problem = False, f"{type(error).__name__}: {error}"
        if is_taken:
            self._failures = 0
            return True
        pause_s = min(FIRST_PAUSE_S * 2.0 ** min(self._failures, 10), LONGEST_PAUSE_S)
        self._failures += 1
        self._next_at = self._clock.monotonic() + pause_s
        _log.warning(
            "traces_not_sent",
            error=problem,
            again_after_s=round(pause_s),
            remedy="correct [traces] otel_host and otel_port, or start the collector",
        )
        return False
