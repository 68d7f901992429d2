"""Clouds and containers: moto's server for AWS, and local servers that answer as the APIs of Docker and Kubernetes document."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from fake_http import fake_api
from use_case import connect, run_tasks, use


@use(
    "amazon",
    "S3CreateBucketOperator, S3CreateObjectOperator, S3KeySensor, SqsPublishOperator and SqsSensor, on moto's server",
)
def amazon() -> None:
    from airflow.providers.amazon.aws.hooks.s3 import S3Hook
    from airflow.providers.amazon.aws.hooks.sqs import SqsHook
    from airflow.providers.amazon.aws.operators.s3 import S3CreateBucketOperator, S3CreateObjectOperator
    from airflow.providers.amazon.aws.operators.sqs import SqsPublishOperator
    from airflow.providers.amazon.aws.sensors.s3 import S3KeySensor
    from airflow.providers.amazon.aws.sensors.sqs import SqsSensor
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        connect(
            "aws_use",
            "aws",
            login="a",
            password="b",
            extra={"region_name": "eu-central-1", "endpoint_url": f"http://{host}:{port}"},
        )
        queue = SqsHook(aws_conn_id="aws_use").create_queue("use")["QueueUrl"]

        def make() -> None:
            bucket = S3CreateBucketOperator(task_id="bucket", bucket_name="use", aws_conn_id="aws_use")
            written = S3CreateObjectOperator(
                task_id="written",
                s3_bucket="use",
                s3_key="{{ ds }}/a.txt",
                data="of {{ dag.dag_id }}",
                aws_conn_id="aws_use",
            )
            arrived = S3KeySensor(
                task_id="arrived",
                bucket_name="use",
                bucket_key="{{ ds }}/*.txt",
                wildcard_match=True,
                aws_conn_id="aws_use",
                poke_interval=0.1,
            )
            sent = SqsPublishOperator(
                task_id="sent", sqs_queue=queue, message_content="{{ ds }}", aws_conn_id="aws_use"
            )
            received = SqsSensor(task_id="received", sqs_queue=queue, aws_conn_id="aws_use", poke_interval=0.1)
            bucket >> written >> arrived >> sent >> received

        run_tasks(make)
        hook = S3Hook(aws_conn_id="aws_use")
        (key,) = hook.list_keys("use")
        assert hook.read_key(key, "use") == "of use"
    finally:
        server.stop()


@use("docker", "DockerOperator, on an API of Docker")
def docker() -> None:
    from airflow.providers.docker.operators.docker import DockerOperator

    log = "hello from use\n"
    container = {"Id": "c1", "Config": {"Tty": True}, "State": {"Status": "exited"}}
    prefix = "/v1.44"
    answers: dict[str, Any] = {
        f"GET {prefix}/_ping": "OK",
        "GET /_ping": "OK",
        "GET /version": {"ApiVersion": "1.44"},
        f"GET {prefix}/images/json": [{"Id": "i1", "RepoTags": ["busybox:latest"]}],
        f"POST {prefix}/containers/create": (201, {"Id": "c1", "Warnings": []}),
        f"GET {prefix}/containers/c1/json": container,
        f"POST {prefix}/containers/c1/attach": log,
        f"POST {prefix}/containers/c1/start": (204, ""),
        f"POST {prefix}/containers/c1/wait": {"StatusCode": 0},
        f"GET {prefix}/containers/c1/logs": log,
        f"DELETE {prefix}/containers/c1": (204, ""),
    }
    with fake_api(answers) as api:

        def make() -> None:
            DockerOperator(
                task_id="ran",
                image="busybox:latest",
                command="echo {{ dag.dag_id }}",
                docker_url=f"tcp://127.0.0.1:{api.port}",
                api_version="1.44",
                mount_tmp_dir=False,
                auto_remove="success",
            )

        run_tasks(make)
        assert [request.path.rpartition("/")[2] for request in api.requests if request.method == "POST"] == [
            "create",
            "attach",
            "start",
            "wait",
        ]
        (created,) = (request for request in api.requests if request.path.endswith("/create"))
        assert created.json()["Image"] == "busybox:latest" and created.json()["Cmd"] == ["echo", "use"]


@use("cncf-kubernetes", "KubernetesHook, on an API of Kubernetes")
def kubernetes() -> None:
    from airflow.providers.cncf.kubernetes.hooks.kubernetes import KubernetesHook

    pod = {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"name": "p", "namespace": "default"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
        "status": {"phase": "Succeeded"},
    }
    with fake_api(
        {"GET /api/v1/namespaces/default/pods/p": pod, "GET /api/v1/namespaces/default/pods/p/log": "a line\n"}
    ) as api:
        config = (
            f"apiVersion: v1\nkind: Config\nclusters: [{{name: c, cluster: {{server: '{api.url}'}}}}]\nusers: [{{name: u, user: {{}}}}]\n"
            "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder, "config")
            place.write_text(config)
            connect("kubernetes_use", "kubernetes", extra={"kube_config_path": str(place)})
            hook = KubernetesHook("kubernetes_use")
            assert hook.get_pod("p", "default").status.phase == "Succeeded"
            assert hook.get_pod_logs("p", namespace="default").data == b"a line\n"


@use("apache-kafka", "ProduceToTopicOperator, on the mock cluster of librdkafka")
def kafka() -> None:
    from airflow.providers.apache.kafka.operators.produce import ProduceToTopicOperator

    connect("kafka_use", "kafka", extra={"bootstrap.servers": "mock:9092", "test.mock.num.brokers": 1})
    delivered.clear()

    def make() -> None:
        ProduceToTopicOperator(
            task_id="sent",
            kafka_config_id="kafka_use",
            topic="use",
            producer_function=lambda: [(b"key", b"of use")],
            delivery_callback="clouds.deliver",
        )

    run_tasks(make)
    assert delivered == [b"of use"]


delivered: list[bytes] = []
"""What the cluster has taken."""


def deliver(error: object, message: Any) -> None:
    """Called when a message is delivered, or is not."""
    assert error is None, error
    delivered.append(message.value())
