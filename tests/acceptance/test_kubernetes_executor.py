"""The KubernetesExecutor as users run it, against a fake of a cluster (tests/fake_cluster.py) whose pods are processes of this machine.

No real cluster was used: what the fake does not imitate (network policies, admission, real images) is not tested.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from tests.acceptance.product import Product, product
from tests.fake_cluster import MISSING_IMAGE, NAMESPACE, FakeCluster, Object, Refusal, fake_cluster

_WORK = """
import os
from datetime import timedelta
from pathlib import Path

from airflow.sdk import DAG, Variable, get_current_context, task
from kubernetes.client import models as k8s

MARKS = Path(__file__).parent
OVERRIDE = k8s.V1Pod(
    metadata=k8s.V1ObjectMeta(labels={"team": "data"}),
    spec=k8s.V1PodSpec(
        containers=[k8s.V1Container(
            name="base", env=[k8s.V1EnvVar(name="GIVEN", value="by the task")], resources=k8s.V1ResourceRequirements(limits={"memory": "64Mi"}),
        )],
        node_selector={"disk": "fast"},
    ),
)

with DAG("work", schedule=None):

    @task
    def numbers():
        return [1, 2]

    @task(executor_config={"pod_override": OVERRIDE})
    def double(number):
        print("given", os.environ["GIVEN"], "in", os.environ["OF_TEMPLATE"])
        print("the environment has a token:", any("eyJ" in value for value in os.environ.values()))
        return number * 2

    @task(retries=1, retry_delay=timedelta(0))
    def add(found):
        Variable.set("total", sum(found))
        if get_current_context()["ti"].try_number == 1:
            raise RuntimeError("the first try fails")
        return sum(found)

    add(double.expand(number=numbers()))

with DAG("hangs", schedule=None):

    @task(executor_config={"pod_override": OVERRIDE})
    def hang():
        import time

        with (MARKS / "began.txt").open("a") as file:
            file.write("x")
        while not (MARKS / "gate").exists():
            time.sleep(0.05)

    hang()

with DAG("restarts", schedule=None, default_args={"restartable": True}):

    @task
    def hold(number):
        import time

        with (MARKS / "began.txt").open("a") as file:
            file.write("x")
        while not (MARKS / "gate").exists():
            time.sleep(0.05)

    hold.expand(number=[1])

with DAG("once", schedule=None):

    @task
    def count():
        with (MARKS / "count.txt").open("a") as file:
            file.write("x")

    count()

with DAG("no_image", schedule=None):

    @task(executor_config={"pod_override": {"spec": {"containers": [{"name": "base", "image": "registry.example.com/missing:1"}]}}})
    def run():
        pass

    run()

with DAG("refused", schedule=None):

    @task(executor_config={"pod_override": {"spec": {"nodeSelektor": {"a": "b"}}}})
    def run():
        pass

    run()
"""
_TEMPLATE = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "template", "labels": {"app": "gnomon"}},
    "spec": {
        "containers": [
            {
                "name": "base",
                "image": "example.com/gnomon:1",
                "env": [
                    {"name": "GNOMON_HOME", "value": "/home/gnomon"},
                    {"name": "OF_TEMPLATE", "value": "the template"},
                    {"name": "GNOMON__WORKERS__SHUTDOWN_GRACE", "value": "0"},
                    {"name": "GNOMON__CORE__DAGS_FOLDER", "value": "/dags"},
                    {"name": "GNOMON__LOGGING__BASE_LOG_FOLDER", "value": "/logs"},
                ],
                "volumeMounts": [
                    {"name": "home", "mountPath": "/home/gnomon"},
                    {"name": "logs", "mountPath": "/logs"},
                    {"name": "dags", "mountPath": "/dags"},
                ],
            }
        ],
        "volumes": [
            {"name": "home", "emptyDir": {}},
            {"name": "dags", "hostPath": {"path": "/node/dags"}},
            {"name": "logs", "hostPath": {"path": "/node/logs"}},
        ],
    },
}


class Deployment:
    """A cluster, and a standalone whose tasks run in its pods."""

    def __init__(self, cluster: FakeCluster, running: Product) -> None:
        self.cluster = cluster
        self.product = running
        self.follow_address()

    def follow_address(self) -> None:
        """The Service of the api-server leads to the present port."""
        address = self.product.said[self.product.said.index("http://") :].split()[0].rstrip("/")
        self.cluster.services["gnomon-api:8080"] = address.removeprefix("http://")

    def trigger(self, dag_id: str) -> None:
        self.product.do("dags", "trigger", dag_id, "--run-id", "one")

    def begun_pod(self) -> str:
        """The name of the one pod, once its task runs."""
        self.product.until(
            lambda: (self.product.dags / "began.txt").exists() and (self.product.dags / "began.txt").read_text() == "x",
            "the task runs",
        )
        return str(self.cluster.pods()[-1]["metadata"]["name"])

    def why(self, dag_id: str, task_id: str) -> str:
        return self.product.do("explain", dag_id, "one", task_id)


@contextmanager
def deploy(**options: object) -> Iterator[Deployment]:
    with fake_cluster() as cluster:
        path = cluster.folder / "template.yaml"
        environ = {
            "GNOMON__CORE__EXECUTOR": "KubernetesExecutor",
            "GNOMON__CORE__EXECUTION_API_SERVER_URL": "http://gnomon-api:8080/execution",
            "GNOMON__KUBERNETES_EXECUTOR__IN_CLUSTER": "False",
            "GNOMON__KUBERNETES_EXECUTOR__CONFIG_FILE": str(cluster.write_kubeconfig()),
            "GNOMON__KUBERNETES_EXECUTOR__NAMESPACE": NAMESPACE,
            "GNOMON__KUBERNETES_EXECUTOR__POD_TEMPLATE_FILE": str(path),
            "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
            **{f"GNOMON__KUBERNETES_EXECUTOR__{name.upper()}": str(value) for name, value in options.items()},
        }
        path.write_text(yaml.safe_dump(_TEMPLATE))
        with product({}, environ) as running:
            cluster.host_folders.update({"/node/dags": str(running.dags), "/node/logs": str(running.home / "logs")})
            deployment = Deployment(cluster, running)
            running.write("work.py", _WORK)
            running.has_dag("work")
            try:
                yield deployment
            finally:
                print(cluster.logs())


@pytest.fixture
def deployment() -> Iterator[Deployment]:
    with deploy() as running:
        yield running


def _value(pod: Object, name: str) -> str | None:
    return next((one["value"] for one in pod["spec"]["containers"][0]["env"] if one["name"] == name), None)


def test_mapped_tasks_and_retries_run_in_pods_of_their_own(deployment: Deployment) -> None:
    running, cluster = deployment.product, deployment.cluster
    assert running.run("work", "--run-id", "one")["state"] == "success"
    assert running.do("variables", "get", "total").strip() == "6"
    assert len({pod["metadata"]["name"] for pod in cluster.bodies}) == 5  # numbers, double twice, add twice
    mapped = [pod for pod in cluster.bodies if pod["metadata"]["labels"]["task_id"] == "double"]
    assert {pod["metadata"]["labels"]["map_index"] for pod in mapped} == {"0", "1"}
    pod = mapped[0]
    assert (
        pod["metadata"]["labels"]
        | {"app": "gnomon", "team": "data", "dag_id": "work", "run_id": "one", "try_number": "1"}
        == pod["metadata"]["labels"]
    )
    assert pod["spec"]["nodeSelector"] == {"disk": "fast"}
    assert pod["spec"]["containers"][0]["resources"] == {"limits": {"memory": "64Mi"}}
    assert (_value(pod, "GIVEN"), _value(pod, "OF_TEMPLATE")) == ("by the task", "the template")
    assert "eyJ" not in json.dumps(pod)  # the token is in the Secret
    log = running.do("tasks", "logs", "work", "one", "double", "--map-index", "0")
    assert "given by the task in the template" in log
    assert "the environment has a token: False" in log
    running.until(
        lambda: [pod["status"]["phase"] for pod in cluster.pods()] == ["Failed"],
        "the pods that succeeded are deleted, the failed one is kept",
    )
    running.until(lambda: len(cluster.secrets()) == 1, "the Secrets go with their pods")


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("kill_for_memory", "was killed, because it used more memory than its limit of 64Mi (OOMKilled)"),
        ("evict", "was evicted on node node-1 (Evicted): The node was low on resource: memory."),
        ("vanish", "was deleted while it ran, by a person or a controller of the cluster"),
    ],
)
def test_a_pod_that_is_ended_fails_its_task_with_the_reason(deployment: Deployment, what: str, reason: str) -> None:
    deployment.trigger("hangs")
    name = deployment.begun_pod()
    getattr(deployment.cluster, what)(name)
    assert deployment.product.ended("hangs", "one")["state"] == "failed"
    assert reason in deployment.why("hangs", "hang")
    assert reason in deployment.product.task_log("hangs", "one", "hang").splitlines()[-1], "the log ends with it"
    assert (deployment.product.dags / "began.txt").read_text() == "x"


@pytest.mark.parametrize(
    ("what", "state", "begins"),
    [("evict", "success", "xx"), ("vanish", "success", "xx"), ("kill_for_memory", "failed", "x")],
)
def test_a_restartable_task_whose_pod_the_cluster_ends_begins_again_in_its_try(
    deployment: Deployment, what: str, state: str, begins: str
) -> None:
    """What the pod ended itself costs the try."""
    running = deployment.product
    running.do("dags", "trigger", "restarts", "--run-id", "one")
    getattr(deployment.cluster, what)(deployment.begun_pod())
    running.until(lambda: (running.dags / "began.txt").read_text() == begins, "it begins again, or not")
    (running.dags / "gate").touch()
    assert running.ended("restarts", "one")["state"] == state
    assert (running.dags / "began.txt").read_text() == begins
    [row] = running.rows("tasks", "states", "restarts", "one")
    assert (row["state"], row["try_number"]) == (state, 1)


def test_the_pod_mutation_hook_of_the_local_settings_changes_each_pod_or_fails_the_try(deployment: Deployment) -> None:
    running = deployment.product
    (running.home / "config").mkdir(exist_ok=True)
    (running.home / "config" / "airflow_local_settings.py").write_text(
        "def pod_mutation_hook(pod):\n    if pod.metadata.annotations['task_id'] == 'hang':\n        raise ValueError('no team')\n    pod.metadata.annotations['team'] = 'data'\n"
    )
    assert running.run("once", "--run-id", "one")["state"] == "success"
    assert {pod["metadata"]["annotations"]["team"] for pod in deployment.cluster.bodies} == {"data"}
    deployment.trigger("hangs")
    assert running.ended("hangs", "one")["state"] == "failed"
    assert "pod_mutation_hook failed at" in deployment.why(
        "hangs", "hang"
    ) and "line 3: ValueError: no team" in deployment.why("hangs", "hang")
    assert "ValueError: no team" in running.task_log("hangs", "one", "hang"), "a try without a pod has a log too"


def test_a_pod_that_is_deleted_by_hand_says_so(deployment: Deployment) -> None:
    deployment.trigger("hangs")
    deployment.cluster.delete(deployment.begun_pod(), grace_s=60.0)
    assert deployment.product.ended("hangs", "one")["state"] == "failed"
    assert "its pod was told to stop (SIGTERM)" in deployment.why("hangs", "hang")


def test_a_pod_that_no_node_takes_says_why_and_runs_later(deployment: Deployment) -> None:
    deployment.cluster.has_room = False
    deployment.trigger("once")
    deployment.product.until(
        lambda: "(Unschedulable): 0/1 nodes are available: 1 Insufficient memory." in deployment.why("once", "count"),
        "the reason is shown",
    )
    deployment.cluster.has_room = True
    assert deployment.product.ended("once", "one")["state"] == "success"


def test_a_pod_that_is_deleted_before_it_began_costs_no_try(deployment: Deployment) -> None:
    deployment.cluster.has_room = False
    deployment.trigger("once")
    deployment.product.until(lambda: bool(deployment.cluster.pods()), "the pod waits")
    deployment.cluster.delete(deployment.cluster.pods()[0]["metadata"]["name"])
    deployment.product.until(lambda: len(deployment.cluster.bodies) > 1, "another pod is created")
    deployment.cluster.has_room = True
    assert deployment.product.ended("once", "one")["state"] == "success"
    assert deployment.product.tasks("once", "one")["count"]["try_number"] == 1


def test_an_image_that_cannot_be_pulled_fails_the_task(deployment: Deployment) -> None:
    deployment.trigger("no_image")
    assert deployment.product.ended("no_image", "one")["state"] == "failed"
    assert f'cannot start: ErrImagePull: failed to pull image "{MISSING_IMAGE}:1": not found' in deployment.why(
        "no_image", "run"
    )
    deployment.product.until(lambda: not deployment.cluster.pods(), "the pod that would start later is deleted")


def test_an_override_that_the_cluster_refuses_fails_the_task(deployment: Deployment) -> None:
    deployment.trigger("refused")
    assert deployment.product.ended("refused", "one")["state"] == "failed"
    assert "the cluster refuses its pod" in deployment.why("refused", "run")
    assert "nodeSelektor" in deployment.why("refused", "run")


def test_a_quota_delays_a_pod(deployment: Deployment) -> None:
    deployment.cluster.refusals = [Refusal(403, "Forbidden", 'pods "x" is forbidden: exceeded quota: pods=2')]
    deployment.trigger("once")
    assert deployment.product.ended("once", "one")["state"] == "success"
    assert (deployment.product.dags / "count.txt").read_text() == "x"


def test_a_new_scheduler_adopts_pods(deployment: Deployment) -> None:
    running, cluster = deployment.product, deployment.cluster
    cluster.has_room = False
    deployment.trigger("once")
    running.until(lambda: len(cluster.pods()) == 1, "a pod waits")
    names = {pod["metadata"]["name"] for pod in cluster.pods()}
    running.restart()
    deployment.follow_address()
    cluster.has_room = True
    assert running.ended("once", "one")["state"] == "success"
    assert (running.dags / "count.txt").read_text() == "x"
    assert {pod["metadata"]["name"] for pod in cluster.bodies} == names


def test_the_end_of_a_pod_during_which_no_scheduler_watched_is_found(deployment: Deployment) -> None:
    running, cluster = deployment.product, deployment.cluster
    deployment.trigger("hangs")
    name = deployment.begun_pod()
    running.stop()
    cluster.kill_for_memory(name)
    running._start()
    deployment.follow_address()
    assert running.ended("hangs", "one")["state"] == "failed"
    assert "(OOMKilled)" in deployment.why("hangs", "hang")


@pytest.mark.parametrize("as_event", [False, True])
def test_a_watch_whose_version_is_gone_lists_again(deployment: Deployment, as_event: bool) -> None:
    running, cluster = deployment.product, deployment.cluster
    cluster.gone_as_event = as_event
    deployment.trigger("hangs")
    name = deployment.begun_pod()
    before = cluster.requests.count(f"GET /api/v1/namespaces/{NAMESPACE}/pods")
    cluster.compact()
    running.until(lambda: cluster.requests.count(f"GET /api/v1/namespaces/{NAMESPACE}/pods") > before, "a list")
    cluster.cut_watches()
    cluster.evict(name)
    assert running.ended("hangs", "one")["state"] == "failed"
    assert "was evicted" in deployment.why("hangs", "hang")


def test_marking_a_task_that_waits_or_runs_deletes_its_pod(deployment: Deployment) -> None:
    running, cluster = deployment.product, deployment.cluster
    cluster.has_room = False
    deployment.trigger("once")
    running.until(lambda: len(cluster.pods()) == 1, "the pod waits")
    running.do("tasks", "mark", "once", "one", "count", "--state", "failed")
    running.until(lambda: not cluster.pods(), "its pod is deleted")
    cluster.has_room = True
    deployment.trigger("hangs")
    deployment.begun_pod()
    running.do("tasks", "mark", "hangs", "one", "hang", "--state", "failed")
    running.until(
        lambda: [pod["status"]["phase"] for pod in cluster.pods()] == ["Failed"], "the process in its pod has ended"
    )
    assert not Path(running.dags / "count.txt").exists()
