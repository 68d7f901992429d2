"""Services with an HTTP API: local servers that answer as their APIs document, in the place of each."""

from __future__ import annotations

from typing import Any

from fake_http import Request, fake_api
from use_case import connect, run_tasks, use


@use("jenkins", "JenkinsHook, on an API of Jenkins")
def jenkins() -> None:
    from airflow.providers.jenkins.hooks.jenkins import JenkinsHook

    answers = {
        "GET /crumbIssuer/api/json": (404, ""),
        "GET /job/nightly/api/json": {"lastBuild": {"number": 7}},
        "GET /job/nightly/7/api/json": {"result": "SUCCESS", "building": False},
    }
    with fake_api(answers, headers={"X-Jenkins": "2.5"}) as api:
        connect("jenkins_use", "jenkins", host="127.0.0.1", port=api.port, login="u", password="p")
        hook = JenkinsHook("jenkins_use")
        assert hook.get_latest_build_number("nightly") == 7
        assert hook.get_build_result("nightly", 7) == "SUCCESS"


@use("github", "GithubOperator, on an API of GitHub")
def github() -> None:
    from airflow.providers.github.operators.github import GithubOperator

    with fake_api({"GET /user": {"login": "me"}}) as api:
        connect("github_use", "github", host=api.url, password="token")

        def make() -> None:
            GithubOperator(
                task_id="asked",
                github_conn_id="github_use",
                github_method="get_user",
                result_processor=lambda user: user.login,
            )

        assert run_tasks(make)["asked"] == "me"
        assert api.requests[-1].headers["Authorization"].endswith("token")


@use("airbyte", "AirbyteTriggerSyncOperator, on an API of Airbyte")
def airbyte() -> None:
    from airflow.providers.airbyte.operators.airbyte import AirbyteTriggerSyncOperator

    def job(status: str) -> dict[str, Any]:
        return {
            "jobId": 9,
            "status": status,
            "jobType": "sync",
            "startTime": "2026-01-01T00:00:00Z",
            "connectionId": "c",
        }

    with fake_api({"POST /jobs": job("running"), "GET /jobs/9": job("succeeded")}) as api:
        connect("airbyte_use", "airbyte", host=api.url)

        def make() -> None:
            AirbyteTriggerSyncOperator(
                task_id="synced", airbyte_conn_id="airbyte_use", connection_id="c", wait_seconds=0.1
            )

        assert run_tasks(make)["synced"] == 9
        assert api.requests[0].json()["connectionId"] == "c"


@use("apache-livy", "LivyOperator, on an API of Livy")
def livy() -> None:
    from airflow.providers.apache.livy.operators.livy import LivyOperator

    with fake_api(
        {
            "POST /batches": (201, {"id": 3, "state": "starting"}),
            "GET /batches/3/state": {"id": 3, "state": "success"},
            "GET /batches/3": {"id": 3, "state": "success", "appId": "a"},
            "GET /batches/3/log": {"id": 3, "from": 0, "total": 1, "log": ["a line"]},
        }
    ) as api:
        connect("livy_use", "livy", host="127.0.0.1", port=api.port)

        def make() -> None:
            LivyOperator(
                task_id="ran",
                livy_conn_id="livy_use",
                file="local:/a.py",
                args=["{{ dag.dag_id }}"],
                polling_interval=1,
            )

        assert run_tasks(make)["ran"] == 3
        assert api.requests[0].json()["args"] == ["use"]


@use("apache-druid", "DruidOperator and DruidDbApiHook, on APIs of Druid")
def druid() -> None:
    from airflow.providers.apache.druid.hooks.druid import DruidDbApiHook
    from airflow.providers.apache.druid.operators.druid import DruidOperator

    answers = {
        "POST /druid/indexer/v1/task": {"task": "t1"},
        "GET /druid/indexer/v1/task/t1/status": {"status": {"status": "SUCCESS"}},
        "POST /druid/v2/sql": [{"n": 5}],
    }
    with fake_api(answers) as api:
        connect(
            "druid_ingest_use", "http", host="127.0.0.1", port=api.port, extra={"endpoint": "druid/indexer/v1/task"}
        )
        connect("druid_use", "druid", host="127.0.0.1", port=api.port, extra={"endpoint": "/druid/v2/sql"})

        def make() -> None:
            DruidOperator(
                task_id="ingested",
                druid_ingest_conn_id="druid_ingest_use",
                json_index_file='{"type": "index", "of": "{{ dag.dag_id }}"}',
                timeout=1,
            )

        run_tasks(make)
        assert api.requests[0].json()["of"] == "use"
        assert DruidDbApiHook(druid_broker_conn_id="druid_use").get_first("SELECT count(*) AS n FROM t")[0] == 5


@use("elasticsearch", "ElasticsearchPythonHook, on an API of Elasticsearch")
def elasticsearch() -> None:
    from airflow.providers.elasticsearch.hooks.elasticsearch import ElasticsearchPythonHook

    with fake_api(
        {"POST /days/_search": {"hits": {"total": {"value": 1}, "hits": [{"_id": "1"}]}}},
        headers={"X-Elastic-Product": "Elasticsearch"},
    ) as api:
        found = ElasticsearchPythonHook(hosts=[api.url]).search({"query": {"match_all": {}}}, "days")
    assert [hit["_id"] for hit in found["hits"]] == ["1"]


@use("opensearch", "OpenSearchQueryOperator, on an API of OpenSearch")
def opensearch() -> None:
    from airflow.providers.opensearch.operators.opensearch import OpenSearchQueryOperator

    def search(request: Request) -> Any:
        return {"hits": {"total": {"value": 1}, "hits": [{"_id": str(request.json()["query"])}]}}

    with fake_api({"POST /days/_search": search}) as api:
        connect("opensearch_use", "opensearch", host="127.0.0.1", port=api.port)

        def make() -> None:
            OpenSearchQueryOperator(
                task_id="found",
                opensearch_conn_id="opensearch_use",
                index_name="days",
                query={"query": {"match": {"dag": "{{ dag.dag_id }}"}}},
            )

        (hit,) = run_tasks(make)["found"]["hits"]["hits"]
    assert hit["_id"] == "{'match': {'dag': 'use'}}"


@use("influxdb", "InfluxDBHook, on an API of InfluxDB")
def influxdb() -> None:
    from airflow.providers.influxdb.hooks.influxdb import InfluxDBHook

    with fake_api({"POST /api/v2/write": (204, "")}) as api:
        connect(
            "influxdb_use", "influxdb", host="127.0.0.1", port=api.port, schema="http", extra={"token": "t", "org": "o"}
        )
        hook = InfluxDBHook("influxdb_use")
        hook.get_conn()
        hook.write("bucket", "days", "place", "here", "n", 5, synchronous=True)
        (request,) = api.requests
    assert request.body.decode().startswith("days,place=here n=5i") and "bucket=bucket" in request.query


@use("hashicorp", "VaultHook and VaultBackend, on an API of Vault")
def hashicorp() -> None:
    from airflow.providers.hashicorp.hooks.vault import VaultHook
    from airflow.providers.hashicorp.secrets.vault import VaultBackend

    secret = {"data": {"data": {"value": "of vault"}, "metadata": {"version": 1}}}
    with fake_api({"GET /v1/secret/data/use": secret, "GET /v1/airflow/data/variables/use": secret}) as api:
        connect("vault_use", "vault", host="127.0.0.1", port=api.port, password="token")
        assert VaultHook("vault_use").get_secret("use") == {"value": "of vault"}
        backend = VaultBackend(url=api.url, token="token", mount_point="airflow", variables_path="variables")
        assert backend.get_variable("use") == "of vault"
        assert api.requests[0].headers["X-Vault-Token"] == "token"


@use("trino", "SQLExecuteQueryOperator with TrinoHook, on an API of Trino")
def trino() -> None:
    from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

    def start(request: Request) -> Any:
        host = request.headers["Host"]
        return {
            "id": "q",
            "infoUri": f"http://{host}/ui",
            "nextUri": f"http://{host}/v1/statement/q/1",
            "stats": {"state": "QUEUED"},
        }

    column = {"name": "n", "type": "integer", "typeSignature": {"rawType": "integer", "arguments": []}}
    result = {
        "id": "q",
        "infoUri": "http://127.0.0.1/ui",
        "columns": [column],
        "data": [[42]],
        "stats": {"state": "FINISHED"},
    }
    with fake_api({"POST /v1/statement": start, "GET /v1/statement/q/1": result}) as api:
        connect("trino_use", "trino", host="127.0.0.1", port=api.port, login="me", schema="s")

        def make() -> None:
            SQLExecuteQueryOperator(task_id="asked", conn_id="trino_use", sql="SELECT 42 AS n -- {{ dag.dag_id }}")

        (row,) = run_tasks(make)["asked"]
        assert row[0] == 42
        posted = next(request for request in api.requests if request.method == "POST")
        headers = {name.lower(): text for name, text in posted.headers.items()}
    assert '"dag_id": "use"' in headers["x-trino-client-info"], "the hook says to which run its query belongs"


@use("databricks", "DatabricksRunNowOperator, on an API of Databricks")
def databricks() -> None:
    from airflow.providers.databricks.operators.databricks import DatabricksRunNowOperator

    state = {"life_cycle_state": "TERMINATED", "result_state": "SUCCESS", "state_message": ""}
    with fake_api(
        {
            "POST /api/2.2/jobs/run-now": {"run_id": 4},
            "GET /api/2.2/jobs/runs/get": {"run_id": 4, "job_id": 1, "state": state, "run_page_url": "http://x"},
        }
    ) as api:
        connect("databricks_use", "databricks", host="127.0.0.1", port=api.port, schema="http", password="token")

        def make() -> None:
            DatabricksRunNowOperator(
                task_id="ran",
                databricks_conn_id="databricks_use",
                job_id=1,
                notebook_params={"of": "{{ dag.dag_id }}"},
                polling_period_seconds=1,
            )

        run_tasks(make)
        posted = next(request for request in api.requests if request.method == "POST")
    assert posted.json()["notebook_params"] == {"of": "use"}


@use("mongo", "MongoHook: the client of a connection, without a server")
def mongo() -> None:
    from airflow.providers.mongo.hooks.mongo import MongoHook

    connect("mongo_use", "mongo", host="mongo.example.org", port=27018, login="u", password="p", schema="db")
    with MongoHook("mongo_use") as hook:
        client = hook.get_conn()
        assert client.get_default_database().name == "db"
        assert hook.get_collection("days", "db").full_name == "db.days"
