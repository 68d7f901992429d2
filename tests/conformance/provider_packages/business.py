"""Tableau and Salesforce: local servers that answer as their APIs document."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from fake_http import Request, fake_api, fake_internet
from use_case import connect, run_tasks, use


@use("tableau", "TableauOperator and TableauJobStatusSensor, on an API of Tableau")
def tableau() -> None:
    from airflow.providers.tableau.operators.tableau import TableauOperator
    from airflow.providers.tableau.sensors.tableau import TableauJobStatusSensor

    def document(content: str) -> str:
        return (
            f'<?xml version="1.0" encoding="UTF-8"?><tsResponse xmlns="http://tableau.com/api">{content}</tsResponse>'
        )

    site = "/api/3.20/sites/s1"
    workbook = (
        '<workbook id="w1" name="Days of use" contentUrl="days" webpageUrl="http://x" showTabs="false" size="1" createdAt="2026-01-01T00:00:00Z" '
        'updatedAt="2026-01-01T00:00:00Z"><project id="p1" name="default"/><owner id="o1"/><tags/></workbook>'
    )
    answers = {
        "GET /api/2.4/serverInfo": document(
            '<serverInfo><productVersion build="1">2026.1</productVersion><restApiVersion>3.20</restApiVersion></serverInfo>'
        ),
        "POST /api/3.20/auth/signin": document(
            '<credentials token="t"><site id="s1" contentUrl="shop"/><user id="u1"/></credentials>'
        ),
        "POST /api/3.20/auth/signout": (204, ""),
        f"GET {site}/workbooks": document(
            f'<pagination pageNumber="1" pageSize="100" totalAvailable="1"/><workbooks>{workbook}</workbooks>'
        ),
        f"POST {site}/workbooks/w1/refresh": (
            202,
            document('<job id="j1" mode="Asynchronous" type="RefreshExtract" createdAt="2026-01-01T00:00:00Z"/>'),
        ),
        f"GET {site}/jobs/j1": document(
            '<job id="j1" mode="Asynchronous" type="RefreshExtract" progress="100" createdAt="2026-01-01T00:00:00Z" '
            'completedAt="2026-01-01T00:01:00Z" finishCode="0"/>'
        ),
    }
    with fake_api(answers) as api:
        connect("tableau_use", "tableau", host=api.url, login="ada", password="p", extra={"site_id": "shop"})

        def make() -> None:
            refreshed = TableauOperator(
                task_id="refreshed",
                tableau_conn_id="tableau_use",
                resource="workbooks",
                method="refresh",
                find="Days of {{ dag.dag_id }}",
                match_with="name",
                site_id="shop",
                check_interval=0.1,
            )
            refreshed >> TableauJobStatusSensor(
                task_id="awaited",
                tableau_conn_id="tableau_use",
                site_id="shop",
                job_id=refreshed.output,
                poke_interval=0.1,
            )

        assert run_tasks(make)["refreshed"] == "j1"
        places = [f"{request.method} {request.path}" for request in api.requests]
        signed = next(request for request in api.requests if request.path.endswith("/signin"))
    assert places.count("POST /api/3.20/auth/signin") == places.count("POST /api/3.20/auth/signout") == 2
    assert b'name="ada"' in signed.body and b'contentUrl="shop"' in signed.body


@use("salesforce", "SalesforceApexRestOperator, SalesforceBulkOperator and SalesforceHook, on APIs of Salesforce")
def salesforce() -> None:
    from airflow.providers.salesforce.hooks.salesforce import SalesforceHook
    from airflow.providers.salesforce.operators.bulk import SalesforceBulkOperator
    from airflow.providers.salesforce.operators.salesforce_apex_rest import SalesforceApexRestOperator
    from airflow.sdk import task

    host = "shop.my.salesforce.com"
    signed = (
        "<soapenv:Envelope xmlns:soapenv='http://schemas.xmlsoap.org/soap/envelope/'><soapenv:Body><loginResponse><result>"
        f"<serverUrl>https://{host}/services/Soap/u/59.0/1</serverUrl><sessionId>t</sessionId></result></loginResponse></soapenv:Body></soapenv:Envelope>"
    )
    batch = {"id": "b1", "jobId": "j1", "state": "Completed", "numberRecordsProcessed": 1, "numberRecordsFailed": 0}

    def answer_query(request: Request) -> object:
        assert "SELECT+Id%2CName+FROM+Account" in request.query, request.query
        return {
            "totalSize": 1,
            "done": True,
            "records": [{"attributes": {"type": "Account"}, "Id": "a1", "Name": "Ada"}],
        }

    answers = {
        "POST login.salesforce.com/services/Soap/u/59.0": signed,
        f"POST {host}/services/apexrest/close/day": {"closed": True},
        f"POST {host}/services/async/59.0/job": (201, {"id": "j1", "state": "Open"}),
        f"POST {host}/services/async/59.0/job/j1": {"id": "j1", "state": "Closed"},
        f"POST {host}/services/async/59.0/job/j1/batch": (201, {**batch, "state": "Queued"}),
        f"GET {host}/services/async/59.0/job/j1/batch/b1": batch,
        f"GET {host}/services/async/59.0/job/j1/batch/b1/result": [
            {"success": True, "created": True, "id": "a2", "errors": []}
        ],
        f"GET {host}/services/data/v59.0/query/": answer_query,
    }
    with fake_internet(answers) as api, tempfile.TemporaryDirectory() as folder:
        connect(
            "salesforce_use", "salesforce", login="ada", password="p", extra={"security_token": "s", "version": "59.0"}
        )
        file = Path(folder, "accounts.csv")

        def make() -> None:
            called = SalesforceApexRestOperator(
                task_id="called",
                salesforce_conn_id="salesforce_use",
                endpoint="close/day",
                method="POST",
                payload={"day": 1},
            )
            loaded = SalesforceBulkOperator(
                task_id="loaded",
                salesforce_conn_id="salesforce_use",
                operation="insert",
                object_name="Account",
                payload=[{"Name": "{{ dag.dag_id }}"}],
            )

            @task
            def read() -> None:
                hook = SalesforceHook("salesforce_use")
                found = hook.get_object_from_salesforce("Account", ["Id", "Name"])
                hook.write_object_to_file(found["records"], str(file), fmt="csv")

            called >> loaded >> read()

        values = run_tasks(make)
        assert file.read_text().split() == ["id,name", "a1,Ada"]
        (login, *_) = (request for request in api.requests if request.host == "login.salesforce.com")
        (apex,) = (request for request in api.requests if request.path == "/services/apexrest/close/day")
        (sent,) = (request for request in api.requests if request.path.endswith("/batch"))
    assert values["called"] == {"closed": True} and values["loaded"][0]["id"] == "a2"
    assert b"<n1:username>ada</n1:username>" in login.body and b"<n1:password>ps</n1:password>" in login.body
    assert json.loads(apex.body) == {"day": 1} and apex.headers["Authorization"] == "Bearer t"
    assert json.loads(sent.body) == [{"Name": "use"}]
