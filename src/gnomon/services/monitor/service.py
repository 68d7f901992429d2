"""The monitor: one round after another, while it holds the lease."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable

from msgspec.structs import replace as replace_item

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.metrics import ProcessFigures
from gnomon.ground.wakeups import StopFlag
from gnomon.model.errors import ConfigurationError, ResourceUnavailable
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.sentences import StoredSentence, quote, store_sentence, store_sentences
from gnomon.queries.report.explanations.run_explanation import explain_run
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import find_run
from gnomon.services.monitor.alert_findings import AlertFindings, RaisedAlert, store_findings
from gnomon.services.monitor.baseline_evaluation import BaselineEvaluation, StartForecast
from gnomon.services.monitor.dag_rules import DagRules
from gnomon.services.monitor.delivery_dispatch import DeliveryDispatch, SendCall
from gnomon.services.monitor.delivery_queue import DeliveryQueue
from gnomon.services.monitor.event_evaluation import evaluate_events
from gnomon.services.monitor.settings import EXPLAINED_MAX, POLL_S, SCAN_S, MonitorSettings
from gnomon.services.monitor.state_evaluation import StateEvaluation
from gnomon.storage.store import CommitUncertain, Database, FencedError, Transaction
from gnomon.storage.store.alert_records import alert_deliveries
from gnomon.storage.store.coordination import service_leases
from gnomon.storage.store.coordination.service_figures import FiguresWriter
from gnomon.storage.store.coordination.service_leases import MONITOR, MONITOR_BEAT_S

_log = log.get_logger("monitor")


class MonitorService:
    """Evaluates rules and sends messages. `tick` is one round; every dependency is a constructor argument."""

    def __init__(
        self,
        *,
        settings: MonitorSettings,
        db: Database,
        clock: Clock,
        monitor_id: str,
        host: str,
        new_id: Callable[[], str],
        send: SendCall,
        on_round: Callable[[], object] = lambda: None,
        start_forecast: StartForecast | None = None,
    ) -> None:
        """`new_id` gives idempotency keys; `send` sends a message over a channel, in a thread; `on_round` is called in each round of the holder.

        `start_forecast` starts the process of a forecast; None: there are none.
        """
        self._on_round = on_round
        self._settings = settings
        self._db = db
        self._clock = clock
        self._monitor_id = monitor_id
        self._host = host
        self._figures = FiguresWriter(ProcessFigures(), MONITOR, monitor_id, host, clock)
        self._rules = DagRules(settings.rules, settings.channels)
        self._states = StateEvaluation(settings, self._rules)
        self._queue = DeliveryQueue(settings, new_id)
        self._baselines = None if start_forecast is None else BaselineEvaluation(settings, start_forecast)
        self._waking, self._wake = os.pipe()
        os.set_blocking(self._waking, False)
        os.set_blocking(self._wake, False)
        self._pipe_lock = threading.Lock()
        self._is_closed = False
        self._dispatch = DeliveryDispatch(send, settings.channels, clock, self._on_try_ended)
        self._is_holder = False
        self._beat_at = self._scan_at = self._poll_at = 0.0

    def tick(self) -> float:
        """Do one round if this process holds the lease; returns the seconds until the next one."""
        now_s = self._clock.monotonic()
        try:
            if now_s >= self._beat_at:
                self._hold_lease()
                self._beat_at = now_s + MONITOR_BEAT_S
            if not self._is_holder:
                return self._beat_at - now_s
            self._on_round()
            self._store_ended_tries()
            has_more = self._evaluate(now_s)
            if self._baselines is not None:
                self._evaluate_baselines(self._baselines, now_s)
            self._send_due()
        except FencedError:
            _log.warning("monitor_lost_lease", next="another monitor works; this one stands by")
            self._is_holder = False
            return 0.0
        except (ResourceUnavailable, ConfigurationError, CommitUncertain) as error:
            _log.warning("database_unavailable", error=str(error), again_after_s=POLL_S)
            return POLL_S
        return 0.0 if has_more else max(0.0, min(self._beat_at, self._poll_at) - self._clock.monotonic())

    def _hold_lease(self) -> None:
        with self._db.write() as tx:
            holds = service_leases.claim_lease(tx, MONITOR, self._monitor_id, self._host)
            if holds:
                self._figures.write_if_due(tx)
            released = alert_deliveries.release_deliveries(tx) if holds and not self._is_holder else 0
        if holds and not self._is_holder:
            _log.info(
                "monitor_started",
                rules=len(self._settings.rules),
                channels=len(self._settings.channels),
                unsent=released,
            )
        elif not holds and self._is_holder:
            _log.warning("monitor_lost_lease", next="another monitor works; this one stands by")
        self._is_holder = holds

    def _evaluate(self, now_s: float) -> bool:
        """Read what has happened and store what follows; True if more facts may be left."""
        if now_s < self._poll_at:
            return False
        self._poll_at = now_s + POLL_S
        now = self._clock.now()
        findings = AlertFindings()
        with self._db.read() as tx:
            has_more = evaluate_events(tx, self._rules, self._settings.base_url, findings)
            if now_s >= self._scan_at:
                self._scan_at = now_s + SCAN_S
                self._states.evaluate(tx, now, findings)
            findings.raised = self._explain(tx, findings.raised, now)
        if findings:
            with self._db.monitor_write(self._monitor_id) as tx:
                store_findings(tx, findings, self._queue, now)
        if has_more:
            self._poll_at = now_s
        return has_more

    def _evaluate_baselines(self, baselines: BaselineEvaluation, now_s: float) -> None:
        """Start a forecast that is due; store one that has ended."""
        try:
            report = baselines.look(now_s, self._db)
            if report is None:
                return
            now = self._clock.now()
            with self._db.monitor_write(self._monitor_id) as tx:
                findings = baselines.store(tx, report, now)
                store_findings(tx, findings, self._queue, now)
        except (FencedError, ResourceUnavailable, ConfigurationError, CommitUncertain):
            raise
        except Exception as error:  # alerts about everything else go on
            baselines.close()
            _log.exception("baselines_failed", error=str(error), next="the next forecast is another try")

    def _explain(self, tx: Transaction, raised: list[RaisedAlert], now: Instant) -> list[RaisedAlert]:
        """The alerts, the first ones with the sentences of `explain`."""
        explained: dict[int, tuple[StoredSentence, ...]] = {}
        result = []
        for alert in raised:
            run_pk = alert.run_pk
            if run_pk is not None and run_pk not in explained and len(explained) < EXPLAINED_MAX:
                explained[run_pk] = self._explain_run(tx, alert, now)
            sentences = explained.get(run_pk, ()) if run_pk is not None else ()
            result.append(
                RaisedAlert(
                    alert.rule,
                    replace_item(alert.item, explanation=sentences),
                    alert.subject,
                    alert.dag_pk,
                    run_pk,
                    alert.reason,
                )
            )
        return result

    def _explain_run(self, tx: Transaction, alert: RaisedAlert, now: Instant) -> tuple[StoredSentence, ...]:
        try:
            dag = find_dag(tx, alert.item.dag_id or "")
            run = find_run(tx, dag, alert.item.run_id or "")
            return store_sentences(
                entry.sentence for entry in explain_run(tx, dag, run, self._settings.limits, now).told
            )
        except UserError as error:
            return (store_sentence(error.sentence or quote(str(error))),)

    # ---- messages ----------------------------------------------------------------------------------------------------
    def _send_due(self) -> None:
        now = self._clock.now()
        if self._dispatch.free_slots <= 0:
            return
        with self._db.read() as tx:
            next_at = alert_deliveries.find_next_due(tx)
        if next_at is None or next_at > now:
            return
        with self._db.monitor_write(self._monitor_id) as tx:
            taken = self._queue.take_due(
                tx, self._settings.channels.values(), self._dispatch.busy, now, _DUE_MAX, self._dispatch.free_slots
            )
        for delivery in taken:
            self._dispatch.start(delivery)

    def _store_ended_tries(self) -> None:
        ended = self._dispatch.list_ended()
        if not ended:
            return
        now = self._clock.now()
        with self._db.monitor_write(self._monitor_id) as tx:
            for delivery, error in ended:
                self._dispatch.record(tx, delivery, error, now)
        for delivery, _ in ended:
            self._dispatch.forget(delivery)

    def _on_try_ended(self) -> None:
        with self._pipe_lock:
            if self._is_closed:
                return  # the descriptor may belong to another file by now
            try:
                os.write(self._wake, b"!")
            except BlockingIOError:
                pass  # the pipe is full, so that the loop is awake

    # ---- the loop ----------------------------------------------------------------------------------------------------
    def run(self, stop: StopFlag) -> None:
        """Call `tick` until `stop` is set, then give up the lease."""
        try:
            while not stop():
                seconds = self.tick()
                ready, _, _ = select.select([stop.fileno(), self._waking], [], [], seconds)
                if self._waking in ready:
                    os.read(self._waking, 4096)
        finally:
            self.close()

    def close(self) -> None:
        """Give up the lease; messages that are being sent are sent again by the next monitor."""
        self._dispatch.close()
        if self._baselines is not None:
            self._baselines.close()
        try:
            if self._is_holder:
                with self._db.write() as tx:
                    service_leases.release_lease(tx, MONITOR, self._monitor_id)
                    self._figures.remove(tx)
        except (ResourceUnavailable, ConfigurationError, CommitUncertain) as error:
            _log.warning("retire_failed", error=str(error))
        with self._pipe_lock:
            self._is_closed = True
            os.close(self._waking)
            os.close(self._wake)


_DUE_MAX = 50
"""Most due messages of each channel that one round reads."""
