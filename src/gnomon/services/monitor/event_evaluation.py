"""From facts that owners recorded to alerts: a run has failed, a try has failed."""

from __future__ import annotations

from gnomon.model.alerts import AlertEvent, AlertItem, AlertKind
from gnomon.model.sentences import RunName, Sentence, TaskName, quote, say, store_sentence
from gnomon.services.monitor.alert_findings import AlertFindings, RaisedAlert, build_link, build_run_command
from gnomon.services.monitor.dag_rules import DagRules, RuledDag
from gnomon.services.monitor.settings import EVENTS_MAX
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import alert_events, alerts


def evaluate_events(tx: Transaction, rules: DagRules, base_url: str, findings: AlertFindings) -> bool:
    """Add the alerts of the oldest facts to `findings`; True if more facts may be left."""
    pending = alert_events.list_pending_events(tx, EVENTS_MAX)
    for event_pk, event in pending:
        findings.event_pks.append(event_pk)
        dag = rules.find(tx, event.dag_pk)
        matching = [] if dag is None else dag.list_rules(event.kind)
        run_id = alerts.find_run_id(tx, event.run_pk) if matching else None
        if dag is None or run_id is None:
            continue  # no rule asks any more, or the DAG or the run was deleted
        for rule in matching:
            item = _build_item(event, dag, run_id, rule.name, base_url)
            findings.raised.append(
                RaisedAlert(rule, item, _build_subject(event), event.dag_pk, event.run_pk, event.facts.reason)
            )
    return len(pending) == EVENTS_MAX


def _build_subject(event: AlertEvent) -> str:
    """What the alert is about: of failed runs the DAG, because a rule has one open alert about each."""
    if event.kind == AlertKind.FAILURE:
        return f"{event.kind}:dag:{event.dag_pk}"
    subject = f"{event.kind}:{event.run_pk}:{event.facts.clear_number}"
    return subject if event.task_no is None else f"{subject}:{event.task_no}:{event.map_index}:{event.facts.try_number}"


def _build_item(event: AlertEvent, dag: RuledDag, run_id: str, rule: str, base_url: str) -> AlertItem:
    return AlertItem(
        kind=event.kind,
        rule=rule,
        at=event.at,
        sentence=store_sentence(_describe(event, dag.dag_id, run_id)),
        dag_id=dag.dag_id,
        run_id=run_id,
        task_id=event.facts.task_id,
        map_index=event.map_index,
        command=build_run_command(dag.dag_id, run_id),
        link=build_link(base_url, dag.dag_id, run_id),
    )


def _describe(event: AlertEvent, dag_id: str, run_id: str) -> Sentence:
    facts, run = event.facts, RunName(dag_id, run_id)
    why = say("because", why=quote(facts.reason)) if facts.reason else None
    if event.kind == AlertKind.FAILURE:
        return say("run_of_dag_failed", dag=dag_id, run=run, why=why)
    task = TaskName(dag_id, run_id, facts.task_id or "", event.map_index)
    if event.kind == AlertKind.RETRY:
        return say(
            "task_of_dag_is_tried_again",
            dag=dag_id,
            task=task,
            run=run,
            try_number=facts.try_number,
            at=facts.retry_at,
            why=why,
        )
    return say("task_of_dag_failed", dag=dag_id, task=task, run=run, try_number=facts.try_number, why=why)
