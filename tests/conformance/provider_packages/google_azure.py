"""Google Cloud and Azure: their addresses of the internet, answered on this machine as their APIs document."""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from fake_http import Request, fake_internet
from use_case import connect, make_private_key, run_tasks, use


@use(
    "google",
    "LocalFilesystemToGCSOperator, GCSObjectExistenceSensor, GCSHook and BigQueryInsertJobOperator, on APIs of Google Cloud",
)
def google() -> None:
    from airflow.providers.google.cloud.hooks.gcs import GCSHook
    from airflow.providers.google.cloud.operators.bigquery import BigQueryInsertJobOperator
    from airflow.providers.google.cloud.sensors.gcs import GCSObjectExistenceSensor
    from airflow.providers.google.cloud.transfers.local_to_gcs import LocalFilesystemToGCSOperator
    from airflow.sdk import task

    key = {
        "type": "service_account",
        "project_id": "shop",
        "private_key_id": "k",
        "private_key": make_private_key(),
        "client_id": "1",
        "client_email": "ada@shop.iam.gserviceaccount.com",
        "token_uri": "https://oauth2.googleapis.com/token",
    }
    stored = {
        "kind": "storage#object",
        "name": "use/day.txt",
        "bucket": "days",
        "generation": "1",
        "metageneration": "1",
        "size": "4",
    }
    jobs = "bigquery.googleapis.com/bigquery/v2/projects/shop/jobs"
    submitted: list[dict[str, Any]] = []

    def describe_job(state: str) -> dict[str, Any]:
        (job,) = submitted
        return {
            **job,
            "id": f"shop:EU.{job['jobReference']['jobId']}",
            "kind": "bigquery#job",
            "status": {"state": state},
            "statistics": {
                "creationTime": "1767225600000",
                "query": {"statementType": "INSERT", "numDmlAffectedRows": "3"},
            },
        }

    def take_job(request: Request) -> Any:
        submitted.append(request.json())
        return describe_job("RUNNING")

    class JobPlaces(dict[str, Any]):
        """The operator gives the job its id, which is a part of the addresses."""

        def get(self, place: str, default: Any = None) -> Any:
            if submitted and place.endswith(submitted[0]["jobReference"]["jobId"]):
                return {"GET": describe_job("DONE")}.get(place.partition(" ")[0], default)
            return super().get(place, default)

    answers = {
        "POST oauth2.googleapis.com/token": {"access_token": "t", "expires_in": 3600, "token_type": "Bearer"},
        "POST storage.googleapis.com/upload/storage/v1/b/days/o": stored,
        "GET storage.googleapis.com/storage/v1/b/days/o/use/day.txt": stored,
        "GET storage.googleapis.com/download/storage/v1/b/days/o/use/day.txt": b"text",
        f"POST {jobs}": take_job,
    }
    with fake_internet(JobPlaces(answers)) as api, tempfile.TemporaryDirectory() as folder:
        Path(folder, "day.txt").write_text("text")
        connect("google_use", "google_cloud_platform", extra={"keyfile_dict": json.dumps(key), "project": "shop"})

        def make() -> None:
            uploaded = LocalFilesystemToGCSOperator(
                task_id="uploaded",
                gcp_conn_id="google_use",
                src=f"{folder}/day.txt",
                dst="{{ dag.dag_id }}/day.txt",
                bucket="days",
            )
            arrived = GCSObjectExistenceSensor(
                task_id="arrived",
                google_cloud_conn_id="google_use",
                bucket="days",
                object="{{ dag.dag_id }}/day.txt",
                poke_interval=0.1,
            )

            @task
            def read() -> str:
                return GCSHook("google_use").download("days", "use/day.txt").decode()

            asked = BigQueryInsertJobOperator(
                task_id="asked",
                gcp_conn_id="google_use",
                location="EU",
                poll_interval=0.1,
                configuration={"query": {"query": "INSERT INTO days SELECT '{{ dag.dag_id }}'", "useLegacySql": False}},
            )
            uploaded >> arrived >> read() >> asked

        values = run_tasks(make)
        (upload,) = (request for request in api.requests if request.path.startswith("/upload/"))
        (token, *_) = (request for request in api.requests if request.host == "oauth2.googleapis.com")
    assert (
        values["read"] == "text"
        and upload.body.count(b"\r\n\r\ntext\r\n") == 1
        and b'"name": "use/day.txt"' in upload.body
    )
    assert submitted[0]["configuration"]["query"]["query"] == "INSERT INTO days SELECT 'use'"
    assert submitted[0]["configuration"]["labels"] == {"airflow-dag": "use", "airflow-task": "asked"}
    assert values["asked"] == submitted[0]["jobReference"]["jobId"]
    assert upload.headers["authorization"] == "Bearer t"
    claims = parse_qs(token.body.decode())["assertion"][0].split(".")[1]
    assert json.loads(base64.urlsafe_b64decode(claims + "=="))["iss"] == "ada@shop.iam.gserviceaccount.com"


@use(
    "microsoft-azure",
    "LocalFilesystemToWasbOperator, WasbBlobSensor, WasbHook and AzureDataFactoryRunPipelineOperator (also deferred), on APIs of Azure",
)
def azure() -> None:
    from airflow.providers.microsoft.azure.hooks.wasb import WasbHook
    from airflow.providers.microsoft.azure.operators.data_factory import AzureDataFactoryRunPipelineOperator
    from airflow.providers.microsoft.azure.sensors.wasb import WasbBlobSensor
    from airflow.providers.microsoft.azure.transfers.local_to_wasb import LocalFilesystemToWasbOperator
    from airflow.sdk import task

    blob, login = "shop.blob.core.windows.net/days/use/day.txt", "login.microsoftonline.com"
    factory = "management.azure.com/subscriptions/s/resourceGroups/g/providers/Microsoft.DataFactory/factories/f"
    tenant = "11111111-1111-1111-1111-111111111111"
    statuses = ["Succeeded", "InProgress", "InProgress", "Succeeded"]
    answers = {
        f"PUT {blob}": (201, ""),
        f"HEAD {blob}": "text",
        f"GET {blob}": (206, "text"),
        f"GET {login}/common/discovery/instance": {
            "tenant_discovery_endpoint": f"https://{login}/{tenant}/v2.0/.well-known/openid-configuration",
            "api-version": "1.1",
            "metadata": [],
        },
        f"GET {login}/{tenant}/v2.0/.well-known/openid-configuration": {
            "token_endpoint": f"https://{login}/{tenant}/oauth2/v2.0/token",
            "authorization_endpoint": f"https://{login}/{tenant}/oauth2/v2.0/authorize",
            "issuer": f"https://{login}/{tenant}/v2.0",
        },
        f"POST {login}/{tenant}/oauth2/v2.0/token": {"token_type": "Bearer", "expires_in": 3600, "access_token": "t"},
        f"POST {factory}/pipelines/close_day/createRun": {"runId": "r1"},
        f"GET {factory}/pipelineruns/r1": lambda _: {
            "runId": "r1",
            "pipelineName": "close_day",
            "status": statuses.pop(0),
        },
    }
    headers = {
        "ETag": '"1"',
        "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT",
        "Content-Range": "bytes 0-3/4",
        "x-ms-blob-type": "BlockBlob",
    }
    with fake_internet(answers, headers) as api, tempfile.TemporaryDirectory() as folder:
        Path(folder, "day.txt").write_text("text")
        connect("wasb_use", "wasb", login="shop", password=base64.b64encode(b"key").decode())
        connect(
            "factory_use",
            "azure_data_factory",
            login="ada",
            password="p",
            extra={"tenantId": tenant, "subscriptionId": "s"},
        )

        def make() -> None:
            uploaded = LocalFilesystemToWasbOperator(
                task_id="uploaded",
                wasb_conn_id="wasb_use",
                file_path=f"{folder}/day.txt",
                container_name="days",
                blob_name="{{ dag.dag_id }}/day.txt",
            )
            arrived = WasbBlobSensor(
                task_id="arrived",
                wasb_conn_id="wasb_use",
                container_name="days",
                blob_name="{{ dag.dag_id }}/day.txt",
                poke_interval=0.1,
            )

            @task
            def read() -> str:
                return WasbHook("wasb_use").read_file("days", "use/day.txt")

            ran = AzureDataFactoryRunPipelineOperator(
                task_id="ran",
                azure_data_factory_conn_id="factory_use",
                pipeline_name="close_day",
                resource_group_name="g",
                factory_name="f",
                parameters={"of": "{{ dag.dag_id }}"},
                check_interval=1,
            )
            ran_deferred = AzureDataFactoryRunPipelineOperator(
                task_id="ran_deferred",
                azure_data_factory_conn_id="factory_use",
                pipeline_name="close_day",
                resource_group_name="g",
                factory_name="f",
                parameters={"of": "deferred"},
                check_interval=1,
                deferrable=True,
            )
            uploaded >> arrived >> read() >> ran >> ran_deferred

        assert run_tasks(make)["read"] == "text"
        (upload,) = (request for request in api.requests if request.method == "PUT")
        (token, *_) = (request for request in api.requests if request.path.endswith("/token"))
        (created, created_deferred) = (request for request in api.requests if request.path.endswith("/createRun"))
    assert upload.body == b"text" and upload.headers["Authorization"].startswith("SharedKey shop:")
    assert b"client_id=ada" in token.body and b"management.azure.com" in token.body
    assert not statuses and created_deferred.json() == {"of": "deferred"}
    assert created.json() == {"of": "use"} and created.headers["Authorization"] == "Bearer t"
