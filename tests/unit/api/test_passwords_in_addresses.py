"""The password of an address is shown at no door: connections, Variables, conf of runs and backfills, results, the audit log; tasks get it as it is."""

from __future__ import annotations

import json

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.authoring.sdk.connections.secret_masking import mask_secret
from gnomon.entry.cli.main import main
from gnomon.ground.log.secret_masks import forget_secrets, hide
from gnomon.storage.store.admin import connections, variables

S = "s3cr3t-p4ss"
URI = f"https://user:{S}@host/x?a=1"
VALUES = [
    URI,
    [URI],
    {"deep": [{"er": URI}]},
    json.dumps({"in_text": URI}),
    f"https://host/?password={S}",
    f"Server=h;Password={S}",
]


@pytest.mark.parametrize("value", VALUES)
def test_of_a_connection(
    value: object, api: Client, deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = json.dumps({"endpoint": value, "n": 1})
    body = {
        "connection_id": "c",
        "conn_type": "http",
        "host": f"https://user:{S}@host",
        "description": f"see {URI}",
        "schema": f"s?token={S}",
        "extra": extra,
    }
    made = api.request("POST", "/api/v2/connections", body)
    changed = api.request("PATCH", "/api/v2/connections/c", made.json())
    answers = [
        made,
        changed,
        *(api.request("GET", f"/api/v2{path}") for path in ("/connections", "/connections/c", "/eventLogs")),
    ]
    assert all(
        reply.status in (200, 201) and S.encode() not in reply.body and b"***" in reply.body for reply in answers
    ), answers
    for command in (("connections", "list"), ("connections", "get", "c"), ("audit",)):
        assert main(command, obj=deployment.home) == 0
        assert S not in capsys.readouterr().out
    with deployment.db.read() as tx:
        stored = connections.get_connection(tx, "c")
    assert stored is not None and (stored.extra, stored.host, stored.description, stored.schema) == (
        extra,
        body["host"],
        body["description"],
        body["schema"],
    )


@pytest.mark.parametrize("value", VALUES)
def test_of_a_variable(value: object, api: Client, deployment: Deployment) -> None:
    made = api.request("POST", "/api/v2/variables", {"key": "endpoint", "value": value, "description": "d"})
    answers = [
        made,
        *(api.request("GET", f"/api/v2{path}") for path in ("/variables", "/variables/endpoint", "/eventLogs")),
    ]
    assert all(reply.status in (200, 201) and S.encode() not in reply.body for reply in answers), answers
    with deployment.db.read() as tx:
        stored = variables.find_variable(tx, "endpoint")
    assert stored is not None and S in stored.value


@pytest.mark.parametrize("value", VALUES)
def test_of_a_conf(value: object, api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    made = api.request(
        "POST", "/api/v2/dags/a/dagRuns", {"dag_run_id": "r", "logical_date": None, "conf": {"endpoint": value}}
    )
    answers = [
        made,
        *(
            api.request("GET", f"/api/{path}")
            for path in ("v2/dags/a/dagRuns", "v2/dags/a/dagRuns/r", "v2/eventLogs", "gnomon/v1/dags/a/audit")
        ),
    ]
    assert all(reply.status in (200, 201) and S.encode() not in reply.body for reply in answers), answers


def test_what_a_task_prints_of_an_address_that_it_has_read_is_masked() -> None:
    forget_secrets()
    mask_secret({"endpoint": [URI], "n": "short"})
    assert hide(f"trying {S}, and {URI}") == "trying ***, and https://user:***@host/x?a=1"
    assert hide("short host user") == "short host user", "nothing else under a name that is not sensitive"
    forget_secrets()
    mask_secret("postgres://airflow:airflow@db/airflow", "endpoint")
    assert hide("airflow runs") == "airflow runs", "a word that is masked nowhere"
