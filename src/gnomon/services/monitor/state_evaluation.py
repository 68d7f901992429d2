"""What the monitor finds by looking: late and waiting runs, import errors, silent services, and alerts whose cause is gone."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.ground.config.alert_rules import DEFAULT_SILENCE_S, AlertRule
from gnomon.model.alerts import BASELINE_KINDS, AlertItem, AlertKind, AlertRecord
from gnomon.model.instants import SECOND, Instant
from gnomon.model.quarantine import QuarantinedItem
from gnomon.model.sentences import Command, RunName, Sentence, say, store_sentence
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState
from gnomon.queries.report.listings.process_health import list_silent_services
from gnomon.services.monitor.alert_findings import (
    AlertFindings,
    RaisedAlert,
    ResolvedAlert,
    build_link,
    build_run_command,
)
from gnomon.services.monitor.dag_rules import DagRules, RuledDag
from gnomon.services.monitor.late_runs import DurationPercentiles, describe_lateness, describe_waiting, round_duration
from gnomon.services.monitor.settings import UNFINISHED_RUNS_MAX, MonitorSettings
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import alerts
from gnomon.storage.store.alert_records.alerts import RunOfAlert, UnfinishedRun
from gnomon.storage.store.coordination import quarantine
from gnomon.storage.store.parsed_files import dag_files

QUARANTINED_MAX = 1000
"""Items in quarantine, the oldest, that alerts are about."""
_RUN_KINDS = (AlertKind.LATE, AlertKind.WAITING)


class StateEvaluation:
    """Compares the state of the store with the rules; remembers since when a service has been silent."""

    def __init__(self, settings: MonitorSettings, rules: DagRules) -> None:
        self._settings = settings
        self._rules = rules
        self._percentiles = DurationPercentiles()
        self._silent_since: dict[str, Instant] = {}
        self._by_name = {rule.name: rule for rule in settings.rules}

    def evaluate(self, tx: Transaction, now: Instant, findings: AlertFindings) -> None:
        """Add what is to be raised and resolved to `findings`."""
        open_alerts = alerts.list_open_alerts(tx)
        open_keys = {(alert.rule, alert.subject) for alert in open_alerts}
        self._find_runs(tx, now, open_keys, findings)
        present = self._find_import_errors(tx, now, open_keys, findings) | self._find_silent_services(
            tx, now, open_keys, findings
        )
        present |= self._find_quarantined(tx, now, open_keys, findings)
        states = alerts.list_states_of_runs(tx) if any(alert.run_pk is not None for alert in open_alerts) else {}
        for alert in open_alerts:
            if alert.kind in BASELINE_KINDS:
                continue  # the next forecast resolves it
            if alert.run_pk is None:
                self._resolve_state(alert, present, now, findings)
            else:
                self._resolve_run(tx, alert, states.get(alert.alert_pk), now, findings)

    # ---- runs --------------------------------------------------------------------------------------------------------
    def _find_runs(
        self, tx: Transaction, now: Instant, open_keys: set[tuple[str, str]], findings: AlertFindings
    ) -> None:
        for run in alerts.list_unfinished_runs(tx, now, UNFINISHED_RUNS_MAX):
            dag = self._rules.find_version(tx, run.dag_pk, run.dag_id, run.version_pk)
            for kind in _RUN_KINDS:
                for rule in dag.list_rules(kind):
                    subject = f"{kind}:{run.run_pk}:{run.clear_number}"
                    if (rule.name, subject) not in open_keys:
                        self._compare(tx, kind, rule, run, dag, subject, now, findings)

    def _compare(
        self,
        tx: Transaction,
        kind: AlertKind,
        rule: AlertRule,
        run: UnfinishedRun,
        dag: RuledDag,
        subject: str,
        now: Instant,
        findings: AlertFindings,
    ) -> None:
        if kind is AlertKind.LATE:
            p95_s = self._percentiles.find(tx, run.dag_pk, now) if rule.is_p95 else None
            sentence = describe_lateness(rule, run, dag.timezone, p95_s, now)
        else:
            sentence = describe_waiting(rule, run, now)
        if sentence is None:
            return
        item = AlertItem(
            kind=kind,
            rule=rule.name,
            at=now,
            sentence=store_sentence(sentence),
            dag_id=dag.dag_id,
            run_id=run.run_id,
            command=build_run_command(dag.dag_id, run.run_id),
            link=build_link(self._settings.base_url, dag.dag_id, run.run_id),
        )
        findings.raised.append(RaisedAlert(rule, item, subject, run.dag_pk, run.run_pk))

    def _resolve_run(
        self, tx: Transaction, alert: AlertRecord, run: RunOfAlert | None, now: Instant, findings: AlertFindings
    ) -> None:
        if run is None or run.state is None:
            findings.resolved.append(ResolvedAlert(alert, None, None))  # the run was deleted
            return
        sentence = _describe_end(alert, run)
        if sentence is not None:
            rule = self._find_rule(tx, alert)
            findings.resolved.append(ResolvedAlert(alert, rule, self._build_resolved(alert, sentence, now)))

    def _find_rule(self, tx: Transaction, alert: AlertRecord) -> AlertRule | None:
        rule = self._by_name.get(alert.rule)
        if rule is None and alert.dag_pk is not None:
            dag = self._rules.find(tx, alert.dag_pk)
            rule = None if dag is None else next((rule for rule in dag.rules if rule.name == alert.rule), None)
        return rule if rule is not None and rule.resolved else None

    def _build_resolved(self, alert: AlertRecord, sentence: Sentence, now: Instant) -> AlertItem:
        item = alert.item
        return AlertItem(
            kind=item.kind,
            rule=item.rule,
            at=now,
            sentence=store_sentence(sentence),
            is_resolved=True,
            dag_id=item.dag_id,
            run_id=item.run_id,
            task_id=item.task_id,
            map_index=item.map_index,
            failed_runs=item.failed_runs,
            command=item.command,
            link=item.link,
        )

    # ---- files and services ------------------------------------------------------------------------------------------
    def _find_import_errors(
        self, tx: Transaction, now: Instant, open_keys: set[tuple[str, str]], findings: AlertFindings
    ) -> set[str]:
        """The subjects of all import errors; those without an alert are added to `findings`."""
        rules = self._list_rules(AlertKind.IMPORT_ERROR)
        if not rules and not any(subject.startswith(AlertKind.IMPORT_ERROR) for _, subject in open_keys):
            return set()
        present = set()
        for error in dag_files.list_import_errors(tx):
            subject = f"{AlertKind.IMPORT_ERROR}:{error.path}"
            if subject in present:
                continue
            present.add(subject)
            sentence = say(
                "dag_file_cannot_be_loaded",
                file=error.path,
                where=say("line_of_dag_file", number=error.line) if error.line else None,
                error=error.message,
            )
            self._raise_state(
                AlertKind.IMPORT_ERROR, rules, subject, sentence, "gnomon dags errors", now, open_keys, findings
            )
        return present

    def _find_silent_services(
        self, tx: Transaction, now: Instant, open_keys: set[tuple[str, str]], findings: AlertFindings
    ) -> set[str]:
        rules = self._list_rules(AlertKind.SERVICE_SILENT)
        if not rules and not any(subject.startswith(AlertKind.SERVICE_SILENT) for _, subject in open_keys):
            return set()
        silent = list_silent_services(tx)
        self._silent_since = {service: self._silent_since.get(service, now) for service in silent}
        present = {f"{AlertKind.SERVICE_SILENT}:{service}" for service in silent}
        for service, since in self._silent_since.items():
            silent_s = (now - since) / SECOND
            due = [rule for rule in rules if silent_s >= (rule.longer_than_s or DEFAULT_SILENCE_S)]
            sentence = say(
                "service_is_silent",
                process_kind=service,
                duration=round_duration(max(silent_s, 1)),
                since=since,
                command=Command(service),
                other_command=Command("standalone"),
            )
            self._raise_state(
                AlertKind.SERVICE_SILENT,
                due,
                f"{AlertKind.SERVICE_SILENT}:{service}",
                sentence,
                "gnomon doctor",
                now,
                open_keys,
                findings,
            )
        return present

    def _find_quarantined(
        self, tx: Transaction, now: Instant, open_keys: set[tuple[str, str]], findings: AlertFindings
    ) -> set[str]:
        """The subjects of all that is in quarantine: a DAG each, or a group for what names no DAG."""
        rules = self._list_rules(AlertKind.QUARANTINED)
        if not rules and not any(subject.startswith(AlertKind.QUARANTINED) for _, subject in open_keys):
            return set()
        items: dict[str, list[QuarantinedItem]] = {}
        for item in quarantine.list_items(tx, QUARANTINED_MAX):
            items.setdefault(f"{_GROUP}{item.group_no}" if item.dag_id is None else f"{_DAG}{item.dag_id}", []).append(
                item
            )
        for name, of_name in items.items():
            subject, since, reason = _name_quarantined(name), of_name[0].at, of_name[0].reason
            sentence = (
                say("it_has_messages_in_quarantine", subject=subject, count=len(of_name), since=since, reason=reason)
                if all(item.is_message for item in of_name)
                else say("it_is_set_aside_since", subject=subject, since=since, reason=reason)
            )
            self._raise_state(
                AlertKind.QUARANTINED,
                rules,
                f"{AlertKind.QUARANTINED}:{name}",
                sentence,
                "gnomon quarantine list",
                now,
                open_keys,
                findings,
            )
        return {f"{AlertKind.QUARANTINED}:{name}" for name in items}

    def _list_rules(self, kind: AlertKind) -> list[AlertRule]:
        return [rule for rule in self._settings.rules if kind in rule.when]

    def _raise_state(
        self,
        kind: AlertKind,
        rules: Sequence[AlertRule],
        subject: str,
        sentence: Sentence,
        command: str,
        now: Instant,
        open_keys: set[tuple[str, str]],
        findings: AlertFindings,
    ) -> None:
        for rule in rules:
            if (rule.name, subject) not in open_keys:
                item = AlertItem(
                    kind=kind,
                    rule=rule.name,
                    at=now,
                    sentence=store_sentence(sentence),
                    command=command,
                    link=build_link(self._settings.base_url, None, None),
                )
                findings.raised.append(RaisedAlert(rule, item, subject))

    def _resolve_state(self, alert: AlertRecord, present: set[str], now: Instant, findings: AlertFindings) -> None:
        if alert.subject in present:
            return
        sentence = _describe_resolved(AlertKind(alert.kind), alert.subject.partition(":")[2])
        rule = self._by_name.get(alert.rule)
        findings.resolved.append(
            ResolvedAlert(
                alert, rule if rule is not None and rule.resolved else None, self._build_resolved(alert, sentence, now)
            )
        )


def _describe_resolved(kind: AlertKind, name: str) -> Sentence:
    """What is said when a file, a service, or something in quarantine is in order again. `name`: the subject of the alert without its kind."""
    if kind is AlertKind.IMPORT_ERROR:
        return say("dag_file_can_be_loaded_again", file=name)
    if kind is AlertKind.SERVICE_SILENT:
        return say("service_sends_heartbeats_again", process_kind=name)
    return say("nothing_of_it_is_in_quarantine", subject=_name_quarantined(name))


_GROUP, _DAG = "group ", "DAG "
"""What the names of groups and of DAGs in the subjects of alerts begin with."""


def _name_quarantined(name: str) -> Sentence:
    if name.startswith(_GROUP):
        return say("named_group", group=int(name.removeprefix(_GROUP)))
    return say("named_dag", dag=name.removeprefix(_DAG))


def _describe_end(alert: AlertRecord, run: RunOfAlert) -> Sentence | None:
    """Why the cause of the alert is gone; None while it is not."""
    dag_id, failed_runs = alert.item.dag_id or "", alert.item.failed_runs
    name = RunName(dag_id, alert.item.run_id or "")
    if alert.kind == AlertKind.FAILURE:
        more = say("runs_had_failed", count=failed_runs) if failed_runs > 1 else None
        if run.state is DagRunState.SUCCESS:
            return say("run_succeeded_after_failure", dag=dag_id, run=name, more=more)
        return say("later_run_has_succeeded", dag=dag_id, run=name, more=more) if run.has_later_success else None
    if run.state is None:
        return None
    if alert.kind == AlertKind.WAITING and run.state is not DagRunState.QUEUED:
        return say("run_waits_no_longer", dag=dag_id, run=name, state=run.state.value)
    if run.state in FINISHED_RUN_STATES:
        ended = (
            None
            if run.started_at is None or run.ended_at is None
            else say("ended_after_duration", duration=round_duration((run.ended_at - run.started_at) / SECOND))
        )
        return say("run_of_dag_ended", dag=dag_id, run=name, state=run.state.value, ended=ended)
    return None
