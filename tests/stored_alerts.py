"""Alerts in a store: one of this release, and one of a release that stored texts, each with its message and its line of the audit log."""

from __future__ import annotations

from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.changes.alert_channels.messages import describe_title
from gnomon.model.alerts import AlertItem, DeliveryBody
from gnomon.model.records import EventRecord
from gnomon.model.sentences import RunName, quote, say, store_sentence
from gnomon.model.sentences.stored_sentences import pack_details
from gnomon.storage.store.alert_records import alert_deliveries, alerts
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.dag_records.event_log import log_event

RUN = RunName("a", "r1")
FAILED = say("run_of_dag_failed", dag="a", run=RUN, why=say("because", why=quote("task t failed")))
OLD = "DAG a: run r0 failed: task t failed"
ENGLISH, CHINESE = "DAG a: run r1 failed: task t failed", "DAG a：运行 r1 失败：任务 t 失败"


def store_alerts(deployment: Deployment) -> None:
    """Add them; the newer one is that of this release."""
    deployment.add(spec_of("a", timetable=HOURLY))
    with deployment.db.write() as tx:
        dag = dags.find_dag_row(tx, "a")
        assert dag is not None
        for number, sentence in enumerate((OLD, store_sentence(FAILED))):
            item = AlertItem(kind="failure", rule="r", at=NOW + number, sentence=sentence, dag_id="a", run_id="r1")
            alerts.raise_alert(tx, item, f"failure:dag:{number}", dag.dag_pk, None)
            body = DeliveryBody(items=(item,), count=1)
            alert_deliveries.add_delivery(tx, f"u{number}", "ops", f"g{number}", NOW + number, NOW, body)
            details = {"rule": "r", "sentence": sentence, "title": store_sentence(describe_title(body))}
            event = EventRecord(NOW, "alert_raised", dag_pk=dag.dag_pk, by="monitor", body=pack_details(details))
            log_event(tx, event)
