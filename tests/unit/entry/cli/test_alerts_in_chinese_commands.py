"""Commands show stored alerts in the language of the reader; programs get the English words, with codes and arguments."""

from __future__ import annotations

import json

import pytest
from tests.stored_alerts import CHINESE, ENGLISH, OLD, store_alerts
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment


@pytest.fixture
def stored(gnomon: Gnomon, deployment: Deployment) -> Gnomon:
    store_alerts(deployment)
    return gnomon


def test_people_read_alerts_in_their_language(stored: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ENGLISH in stored("alerts", "list").out and OLD in stored("alerts", "history").out
    monkeypatch.setenv("GNOMON_LANGUAGE", "zh")
    for words in (("alerts", "list"), ("alerts", "history"), ("audit",)):
        out = stored(*words).out
        assert CHINESE in out and "DAG a：运行 r0 失败：任务 t 失败" in out


def test_programs_read_the_code_and_the_arguments(stored: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_LANGUAGE", "zh")
    (newest, oldest) = json.loads(stored("alerts", "list", "-o", "json").out)
    assert (newest["sentence"], newest["message"]["code"]) == (ENGLISH, "run_of_dag_failed")
    assert oldest["message"] == {"code": "text", "arguments": {"text": OLD}, "text": OLD}
    details = [json.loads(row["details"]) for row in json.loads(stored("audit", "-o", "json").out)]
    assert {fields["sentence"] for fields in details} == {ENGLISH, OLD}
