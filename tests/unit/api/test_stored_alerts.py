"""Alerts are stored with codes and arguments: each reader gets them in the own language, in the listings and in the audit log."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.stored_alerts import CHINESE, ENGLISH, OLD, store_alerts
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment

from gnomon.model.sentences import RunName, read_sentence, say, store_sentence
from gnomon.queries.report.listings.alert_list import AlertRow


@pytest.fixture
def site(api: Client, deployment: Deployment) -> Client:
    store_alerts(deployment)
    return api


def ask(site: Client, path: str, language: str | None) -> Any:
    reply = site.request("GET", path, headers={} if language is None else {"Gnomon-Language": language})
    assert reply.status == 200, reply
    return reply.json()


@pytest.mark.parametrize(
    ("language", "texts"), [(None, [ENGLISH, OLD]), ("zh", [CHINESE, "DAG a：运行 r0 失败：任务 t 失败"])]
)
def test_the_operations_say_alerts_in_the_language_of_the_reader(
    site: Client, language: str | None, texts: list[str]
) -> None:
    rows = ask(site, "/api/gnomon/v1/operations/alerts.list", language)
    assert [row["sentence"] for row in rows] == texts
    assert rows[0]["message"]["code"] == "run_of_dag_failed"
    assert rows[0]["message"]["arguments"]["run"] == {"dag_id": "a", "run_id": "r1"}
    messages = ask(site, "/api/gnomon/v1/operations/alerts.messages", language)
    assert [row["sentences"] for row in messages] == [[text] for text in texts]


@pytest.mark.parametrize(("language", "text"), [(None, ENGLISH), ("zh", CHINESE)])
def test_the_audit_log_says_alerts_in_the_language_of_the_reader(site: Client, language: str | None, text: str) -> None:
    (newest, _) = ask(site, "/api/v2/eventLogs?event=alert_raised&order_by=-id", language)["event_logs"]
    assert json.loads(newest["extra"]) == {"rule": "r", "sentence": text, "title": text}
    (row, _) = ask(site, "/api/gnomon/v1/dags/a/audit?event=alert_raised", language)["rows"]
    assert json.loads(row["text"]) == {"rule": "r", "sentence": text, "title": text}


def test_a_row_without_hidden_names_has_none_in_its_arguments() -> None:
    sentence = store_sentence(say("run_waits_no_longer", dag="shown", run=RunName("secret", "r"), state="running"))
    item = store_sentence(say("alert_is_resolved", message=read_sentence(sentence)))
    row = AlertRow("t", None, "open", "waiting", "r", "shown", "r", None, item.text, item)
    assert row.hide(lambda text: text) is row
    hidden = row.hide(lambda text: text.replace("shown", "***"))
    assert "secret" not in repr(hidden) and hidden.message.code == "text"
    assert (hidden.sentence, hidden.message.text) == ("resolved: DAG ***: run r waits no longer: it is running",) * 2
