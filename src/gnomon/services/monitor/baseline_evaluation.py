"""Judges baselines: starts the process of a forecast when it is due, stores what it says, and finds the alerts that follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from gnomon.ground import log
from gnomon.ground.config.alert_rules import AlertRule
from gnomon.model.alerts import BASELINE_KINDS, AlertItem, AlertKind, AlertRecord
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import (
    FRESH_LEAST_S,
    OPEN_LEVELS,
    BaselineForecast,
    BaselineLevel,
    BaselineRecord,
    ForecastReport,
    KeyStep,
)
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import EventRecord
from gnomon.model.sentences import Command, Sentence, say, store_sentence
from gnomon.model.sentences.stored_sentences import pack_details
from gnomon.queries.report.activity.baseline_sentences import (
    describe_baseline,
    describe_costly_step,
    describe_trouble,
    list_acts,
    name_step,
)
from gnomon.rules.baselines.levels import decide_level
from gnomon.rules.baselines.raised_priorities import choose_raised
from gnomon.services.monitor.alert_findings import (
    AlertFindings,
    RaisedAlert,
    ResolvedAlert,
    build_baseline_link,
    build_link,
)
from gnomon.services.monitor.raised_priorities import RaisedPriorities
from gnomon.services.monitor.settings import MonitorSettings
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.alert_records import alerts, baseline_states, run_predictions, stored_baselines
from gnomon.storage.store.dag_records.event_log import log_event

REST_FACTOR = 4.0
"""After a forecast none is made for so many times as long as it took: it may have a fifth of a processor, at idle priority."""
VERSIONS_READ = 200
"""Versions of DAGs that are read in a round to find those with baselines."""
KEPT_S = 90 * 86_400
"""How long due times and their predictions are kept."""
BEFORE_S = 3_600
"""How long before a run begins its prediction is kept."""
FOLLOWED_S = 4 * 86_400
"""So old are the due times that a forecast may still speak of."""
_SAME_SHARE, _SAME_US = 0.02, 60 * SECOND
"""A prediction that differs from the one before by less is not kept beside it, unless that one is old."""
_KEPT_EVERY_US = 600 * SECOND
_log = log.get_logger("monitor")


class RunningForecast(Protocol):
    """The process of a forecast."""

    limit_s: float
    """How long it may take."""

    def poll(self) -> int | None:
        """The exit code; None while it runs."""

    def read(self) -> tuple[bytes, str]:
        """What it has written, and its errors."""

    def close(self) -> None:
        """End it."""


StartForecast = Callable[[], RunningForecast]


class BaselineEvaluation:
    """`look` starts and ends processes and never blocks; `store` is called in a transaction of the monitor."""

    def __init__(self, settings: MonitorSettings, start: StartForecast) -> None:
        self._settings = settings
        self._specs = {spec.name: spec for spec in settings.baselines}
        """All baselines that the newest forecast knew of; before the first one, those of gnomon.toml."""
        self._versions_read = 0
        self._promising: set[int] = set()
        """DAGs whose file has baselines."""
        self._start = start
        self._running: RunningForecast | None = None
        self._started_s = 0.0
        self._took_s = 0.0
        """How long the newest forecast took."""
        self._due_s = self._ended_s = 0.0
        self._stored: tuple[BaselineSpec, ...] | None = None
        """Those of the store when the newest forecast was started."""
        self._faults: tuple[str, ...] = ()
        self._begun: set[tuple[str, str]] = set()
        """DAG and run of the unfinished runs whose prediction was kept."""
        self._kept: dict[tuple[str, Instant], BaselineForecast] = {}
        """The prediction of each due time that was kept last."""

    def look(self, now_s: float, db: Database) -> ForecastReport | None:
        """Start a forecast if it is due and there is a baseline; the report of one that has ended."""
        running = self._running
        if running is None:
            stored = self._read_stored(db)
            if (
                stored != self._stored
            ):  # a changed promise is judged at once, but takes no more than half of a processor
                self._due_s = min(self._due_s, max(now_s, self._ended_s + self._took_s))
            if now_s >= self._due_s and self._has_read_versions(db):
                self._due_s, self._stored = now_s + self._settings.forecast_interval_s, stored
                if self._is_needed():
                    self._running, self._started_s = self._start(), now_s
            return None
        if running.poll() is None:
            if now_s - self._started_s > running.limit_s:
                _log.error("forecast_failed", error=f"it took longer than {running.limit_s:.0f} s")
                self.close()
            return None
        answer, errors = running.read()
        self.close()
        self._took_s, self._ended_s = now_s - self._started_s, now_s
        self._due_s = max(self._due_s, now_s + REST_FACTOR * self._took_s)
        try:
            return msgspec.json.decode(answer, type=ForecastReport)
        except msgspec.DecodeError:
            _log.error("forecast_failed", error=errors[-2000:] or "it has written no answer")
            return None

    def _read_stored(self, db: Database) -> tuple[BaselineSpec, ...]:
        with db.read() as tx:
            return tuple(stored_baselines.list_specs(tx))

    def _has_read_versions(self, db: Database) -> bool:
        """Reads the versions of DAGs that came since the last call, some in each round; True when all are known."""
        with db.read() as tx:
            rows = baseline_states.list_newer_promises(tx, self._versions_read, VERSIONS_READ)
        for version_pk, dag_pk, has_promises in rows:
            self._versions_read = version_pk
            (self._promising.add if has_promises else self._promising.discard)(dag_pk)
        return len(rows) < VERSIONS_READ

    def _is_needed(self) -> bool:
        has_baselines = bool(self._promising or self._settings.baselines or self._stored or self._specs)
        return has_baselines or self._settings.forecasts_always

    def _find_fresh_until(self, report: ForecastReport) -> Instant:
        """After this the next forecast is missing: twice as long as it may take until it is stored."""
        next_s = max(self._settings.forecast_interval_s, REST_FACTOR * self._took_s) + self._took_s
        return report.at + int(max(FRESH_LEAST_S, 2 * next_s) * SECOND)

    def close(self) -> None:
        """End the forecast that runs."""
        if self._running is not None:
            self._running.close()
            self._running = None

    def store(self, tx: Transaction, report: ForecastReport, now: Instant) -> AlertFindings:
        """Store the report; what is to be raised and resolved."""
        self._tell_faults(report.faults)
        stored = stored_baselines.list_specs(tx)
        # What was changed while the forecast was made is judged by the next one.
        self._specs = {spec.name: spec for spec in report.specs if not spec.is_stored or spec in stored}
        known = {
            (record.baseline, record.due_at): record
            for record in baseline_states.list_states(tx, now - FOLLOWED_S * SECOND)
        }
        raised = RaisedPriorities(known.values())
        self._remove_former(tx, report, known)
        for name, forecast in report.baselines:
            spec = self._specs.get(name)
            if spec is not None:
                before = known.get((name, forecast.due_at))
                record = _judge(spec, forecast, before, now)
                self._store_record(tx, record, before, now)
                known[name, forecast.due_at] = record
        raised.store(tx, known, self._specs, now)
        self._kept = {key: forecast for key, forecast in self._kept.items() if not _is_over(known.get(key))}
        baseline_states.put_forecast(tx, report, self._find_fresh_until(report))
        self._keep_predictions(tx, report, now)
        baseline_states.remove_old(tx, now - KEPT_S * SECOND)
        stored_baselines.remove_deleted(tx, now - KEPT_S * SECOND)
        return self._find_alerts(tx, list(known.values()), now)

    def _remove_former(
        self, tx: Transaction, report: ForecastReport, known: dict[tuple[str, Instant], BaselineRecord]
    ) -> None:
        """Coming due times that a baseline no longer has, because its definition was changed."""
        judged = {(name, forecast.due_at) for name, forecast in report.baselines}
        for key, record in list(known.items()):
            is_former = record.baseline in self._specs and key not in judged
            if is_former and not record.is_final and record.due_at > report.at:
                baseline_states.remove_due_time(tx, *key)
                del known[key]

    def _store_record(
        self, tx: Transaction, record: BaselineRecord, before: BaselineRecord | None, now: Instant
    ) -> None:
        has_changed = before is None or before.level is not record.level
        key = (record.baseline, record.due_at)
        last = self._kept.get(key)
        if has_changed or last is None or _differs(last, record.forecast):
            baseline_states.add_prediction(tx, record)
            self._kept[key] = record.forecast
        baseline_states.put_state(tx, record)
        if has_changed:
            details = {
                "baseline": record.baseline,
                "due_at": record.due_at,
                "level": record.level.value,
                "before": None if before is None else before.level.value,
                "sentence": store_sentence(describe_baseline(record)),
            }
            log_event(
                tx,
                EventRecord(now, "baseline_level_changed", by="monitor", body=pack_details(details)),
            )
            _log.info("baseline_level_changed", baseline=record.baseline, stands=record.level.value)

    def _keep_predictions(self, tx: Transaction, report: ForecastReport, now: Instant) -> None:
        """What is compared later with what came: the newest prediction an hour before a run begins, and the first one after that."""
        soon = report.at + BEFORE_S * SECOND
        latest = soon + self._find_fresh_until(report) - report.at  # a newer forecast sees the later ones
        before = [run for run in report.runs if run.start_p50 is not None and soon <= run.start_p50 < latest]
        begun = [run for run in report.runs if run.start_p50 is not None and run.start_p50 < report.at]
        fresh = [run for run in begun if (run.dag_id, run.run_id) not in self._begun]
        self._begun = {(run.dag_id, run.run_id) for run in begun}
        run_predictions.put_predictions(tx, report.at, before, fresh)
        run_predictions.remove_old(tx, now - run_predictions.KEPT_S * SECOND)

    def _tell_faults(self, faults: tuple[str, ...]) -> None:
        if faults != self._faults:
            for fault in faults:
                _log.error("baseline_is_wrong", error=fault)
            self._faults = faults

    # ---- alerts ------------------------------------------------------------------------------------------------------
    def _find_alerts(self, tx: Transaction, records: list[BaselineRecord], now: Instant) -> AlertFindings:
        findings = AlertFindings()
        due_alerts = {subject: each for record in records for subject, each in self._list_due(record, now)}
        open_alerts = [alert for alert in alerts.list_open_alerts(tx) if alert.kind in BASELINE_KINDS]
        open_keys = {(alert.rule, alert.subject) for alert in open_alerts}
        for subject, (record, item) in due_alerts.items():
            for rule in (*self._settings.rules, *self._list_own_rules(record.baseline)):
                if (
                    item.kind in rule.when
                    and rule.matches_baseline(record.baseline)
                    and (rule.name, subject) not in open_keys
                ):
                    findings.raised.append(RaisedAlert(rule, msgspec.structs.replace(item, rule=rule.name), subject))
        own_rules = [rule for name in self._specs for rule in self._list_own_rules(name)]
        by_name = {rule.name: rule for rule in (*self._settings.rules, *own_rules)}
        standing = {(record.baseline, record.due_at): record for record in records if record.baseline in self._specs}
        for alert in open_alerts:
            if alert.subject not in due_alerts:
                of_alert = by_name.get(alert.rule)
                sentence = _describe_resolved(alert, standing)
                # Another level of the same due time tells its own: one message for each change.
                resolved = None if sentence is None else _build_resolved(alert, sentence, now)
                findings.resolved.append(
                    ResolvedAlert(alert, of_alert if of_alert is not None and of_alert.resolved else None, resolved)
                )
        return findings

    def _list_own_rules(self, name: str) -> list[AlertRule]:
        """The rule that the baseline gives itself with its channels."""
        spec = self._specs.get(name)
        channels = () if spec is None else tuple(to for to in spec.to if to in self._settings.channels)
        kinds = tuple(sorted(BASELINE_KINDS))
        return [AlertRule(f"baseline:{name}", kinds, channels, baselines=(name,))] if channels else []

    def _list_due(self, record: BaselineRecord, now: Instant) -> list[tuple[str, tuple[BaselineRecord, AlertItem]]]:
        """The alerts that must be open, by subject."""
        if record.is_final or record.baseline not in self._specs:
            return []
        if record.level not in OPEN_LEVELS:
            return self._list_troubles(record, now)
        is_broken = record.level is BaselineLevel.BROKEN
        kind = AlertKind.BASELINE_BROKEN if is_broken else AlertKind.BASELINE_AT_RISK
        subject = f"{kind}:{record.baseline}:{record.due_at}:{record.level}"
        costly = describe_costly_step(record.forecast)
        acts = list_acts(record.forecast)
        item = AlertItem(
            kind=kind,
            rule="",
            at=now,
            sentence=store_sentence(describe_baseline(record)),
            explanation=() if costly is None else (store_sentence(costly),),
            command=str(acts[0]) if acts else str(Command("baselines show", (record.baseline,))),
            link=build_baseline_link(self._settings.base_url, record.baseline),
        )
        return [(subject, (record, item)), *self._list_troubles(record, now)]

    def _list_troubles(
        self, record: BaselineRecord, now: Instant
    ) -> list[tuple[str, tuple[BaselineRecord, AlertItem]]]:
        return [
            (
                f"{_kind_of(step)}:{record.baseline}:{record.due_at}:{step.dag_id}/{step.run_id}/{step.task}",
                (record, self._build_trouble(record, step, now)),
            )
            for step in record.forecast.key_path
            if step.trouble
        ]

    def _build_trouble(self, record: BaselineRecord, step: KeyStep, now: Instant) -> AlertItem:
        name = name_step(step)
        return AlertItem(
            kind=_kind_of(step),
            rule="",
            at=now,
            sentence=store_sentence(describe_trouble(record.baseline, record.due_at, step)),
            dag_id=step.dag_id,
            run_id=step.run_id,
            task_id=name.task_id,
            map_index=name.map_index,
            command=str(Command("explain", (step.dag_id, step.run_id, step.task))),
            link=build_link(self._settings.base_url, step.dag_id, step.run_id),
        )


def _kind_of(step: KeyStep) -> AlertKind:
    return AlertKind.ON_KEY_PATH_FAILED if step.trouble == "failed" else AlertKind.ON_KEY_PATH_SLOW


def _judge(
    spec: BaselineSpec, forecast: BaselineForecast, before: BaselineRecord | None, now: Instant
) -> BaselineRecord:
    level = decide_level(spec, forecast, None if before is None else before.level, now)
    raised = choose_raised(spec, forecast, level, () if before is None else before.forecast.raised)
    if raised:
        forecast = msgspec.structs.replace(forecast, raised=raised)
    changed_at = now if before is None or before.level is not level else before.changed_at
    return BaselineRecord(spec.name, forecast.due_at, level, changed_at, forecast)


def _is_over(record: BaselineRecord | None) -> bool:
    return record is None or record.is_final


def _differs(before: BaselineForecast, now: BaselineForecast) -> bool:
    if abs(before.breach - now.breach) > _SAME_SHARE or now.at - before.at > _KEPT_EVERY_US:
        return True
    return any(
        (former is None) != (newer is None)
        or (former is not None and newer is not None and abs(former - newer) > _SAME_US)
        for former, newer in ((before.end_p50, now.end_p50), (before.end_p90, now.end_p90))
    )


def _describe_resolved(alert: AlertRecord, standing: dict[tuple[str, Instant], BaselineRecord]) -> Sentence | None:
    """Why the alert is over, None when another alert tells it."""
    kind, name, due_at, *_ = alert.subject.split(":", 3)
    record = standing.get((name, int(due_at)))
    if record is None:
        return say("baseline_is_no_longer_judged", baseline=name)
    if AlertKind(kind) in (AlertKind.ON_KEY_PATH_FAILED, AlertKind.ON_KEY_PATH_SLOW):
        return say("trouble_is_over", message=alert.item.message)
    if record.level in OPEN_LEVELS and not record.is_final:
        return None
    return describe_baseline(record)


def _build_resolved(alert: AlertRecord, sentence: Sentence, now: Instant) -> AlertItem:
    return msgspec.structs.replace(
        alert.item, at=now, sentence=store_sentence(sentence), is_resolved=True, explanation=()
    )
