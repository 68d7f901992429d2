"""Options of the KubernetesExecutor, each seen in what a fake of a cluster (tests/fake_cluster.py) gets."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.acceptance.effects import effect_of, options
from tests.conformance.storeworld import AT, World, raw, task
from tests.databases import create_schema
from tests.fake_cluster import MISSING_IMAGE, NAMESPACE, FakeCluster, Object, fake_cluster
from tests.patience import PATIENCE_S

from gnomon.entry.app.executor_wiring import create_executor
from gnomon.entry.app.kubernetes_settings import read_cluster_settings
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.errors import ConfigurationError
from gnomon.model.records import Changes
from gnomon.services.executors.interface import AttemptEnded, Executor
from gnomon.services.executors.kubernetes.cluster import Cluster
from gnomon.services.executors.kubernetes.executor import KubernetesExecutor
from gnomon.storage.store import Database, load_cipher, open_database

NAME = "KubernetesExecutor"


class Submission:
    """A scheduler's executor with a cluster, and attempts to submit."""

    def __init__(self, cluster: FakeCluster, home: Path, **values: object) -> None:
        self.cluster = cluster
        given: dict[str, object] = {
            "core__executor": NAME,
            "core__execution_api_server_url": "http://gnomon-api:8080/execution",
            "kubernetes_executor__in_cluster": False,
            "kubernetes_executor__config_file": cluster.write_kubeconfig(),
            "kubernetes_executor__namespace": NAMESPACE,
            "kubernetes_executor__worker_container_repository": "example.com/gnomon",
            "kubernetes_executor__worker_container_tag": "7",
            **values,
        }
        self.cfg: Config = options(home, **given)
        create_schema(self.cfg.database_url)
        self.db: Database = open_database(self.cfg.database_url, cipher=load_cipher(self.cfg))
        self.executor: Executor = create_executor(self.cfg, "s", "h", self.db, SystemClock())
        self.events: list[AttemptEnded] = []

    def submit(self, count: int = 1) -> None:
        world = World(self.db)
        world.dag()
        run = world.run()
        world.apply(Changes(tasks=[task(run, number, attempt=f"a{number}", worker=NAME) for number in range(count)]))
        facts = RunFacts(run_pk=run.run_pk, dag_id="d", run_id="m", run_type="manual", run_after=AT)
        self.executor.submit(
            NAME,
            [
                Attempt(
                    attempt_id=f"a{number}",
                    group_no=3,
                    epoch=1,
                    run=facts,
                    task_id="ab"[number],
                    task_no=number,
                    file="/d.py",
                )
                for number in range(count)
            ],
        )

    def until(self, holds: Callable[[], bool]) -> None:
        """Rounds of the scheduler until the condition holds."""
        pause = threading.Event()
        for _ in range(int(PATIENCE_S / 0.05)):
            self.executor.refresh([])
            self.events += [event for event in self.executor.poll_events() if isinstance(event, AttemptEnded)]
            for event in self.events:
                self.executor.acknowledge(NAME, [event.result.attempt_id])
            if holds():
                return
            pause.wait(0.05)
        raise AssertionError("never")

    def pod(self) -> Object:
        """The pod of the one attempt."""
        self.until(lambda: bool(self.cluster.pods()))
        return self.cluster.pods()[0]

    def close(self) -> None:
        self.executor.close()
        self.db.close()


@pytest.fixture
def cluster() -> Iterator[FakeCluster]:
    with fake_cluster() as made:
        yield made


@pytest.fixture
def start(cluster: FakeCluster, tmp_path: Path) -> Iterator[Callable[..., Submission]]:
    made: list[Submission] = []

    def make(**values: object) -> Submission:
        made.append(
            Submission(
                cluster,
                tmp_path / str(len(made)),
                **{
                    f"kubernetes_executor__{name}" if "__" not in name else name: value
                    for name, value in values.items()
                },
            )
        )
        return made[-1]

    yield make
    for one in made:
        one.close()


def write_template(folder: Path, command: str, **spec: Any) -> Path:
    """A template whose container runs this shell command in place of Gnomon."""
    path = folder / "template.yaml"
    path.write_text(
        yaml.safe_dump(
            {"kind": "Pod", "spec": {"containers": [{"name": "base", "command": ["sh", "-c", command]}], **spec}}
        )
    )
    return path


@effect_of(
    "core.executor",
    "core.execution_api_server_url",
    "kubernetes_executor.namespace",
    "kubernetes_executor.config_file",
    "kubernetes_executor.in_cluster",
    "kubernetes_executor.worker_container_repository",
    "kubernetes_executor.worker_container_tag",
)
def test_a_submitted_attempt_is_a_pod_of_the_cluster(start: Callable[..., Submission], cluster: FakeCluster) -> None:
    cluster.is_paused = True
    submission = start()
    assert isinstance(submission.executor, KubernetesExecutor)
    submission.submit()
    pod = submission.pod()
    base = pod["spec"]["containers"][0]
    assert (pod["metadata"]["namespace"], base["image"]) == (NAMESPACE, "example.com/gnomon:7")
    assert {"name": "GNOMON__CORE__EXECUTION_API_SERVER_URL", "value": "http://gnomon-api:8080/execution"} in base[
        "env"
    ]
    submission.until(lambda: bool(cluster.secrets()))
    with pytest.raises(ConfigurationError, match="this process runs in no pod with a service account"):
        start(in_cluster=True)


@effect_of("kubernetes_executor.pod_template_file")
def test_pods_are_made_from_the_template(
    start: Callable[..., Submission], cluster: FakeCluster, tmp_path: Path
) -> None:
    cluster.is_paused = True
    submission = start(pod_template_file=write_template(tmp_path, "true", priorityClassName="low"))
    submission.submit()
    assert submission.pod()["spec"]["priorityClassName"] == "low"


@pytest.mark.parametrize(
    ("code", "values", "is_kept"),
    [
        (0, {}, False),
        (0, {"delete_worker_pods": False}, True),
        (1, {}, True),
        (1, {"delete_worker_pods_on_failure": True}, False),
        (1, {"delete_worker_pods": False, "delete_worker_pods_on_failure": True}, True),
    ],
)
@effect_of("kubernetes_executor.delete_worker_pods", "kubernetes_executor.delete_worker_pods_on_failure")
def test_pods_that_have_ended_are_deleted_as_the_options_say(
    start: Callable[..., Submission],
    cluster: FakeCluster,
    tmp_path: Path,
    code: int,
    values: dict[str, object],
    is_kept: bool,
) -> None:
    submission = start(pod_template_file=write_template(tmp_path, f"exit {code}"), **values)
    submission.submit()
    submission.until(lambda: bool(submission.events))  # it ended without a claim, which is reported
    reason = submission.events[0].result.reason or ""
    assert ("ended without a result" if code == 0 else "ended with exit code 1") in reason
    if is_kept:
        submission.executor.refresh([])
        assert [pod["status"]["phase"] for pod in cluster.pods()] == ["Failed" if code else "Succeeded"]
        assert not [request for request in cluster.requests if request.startswith("DELETE")]
    else:
        submission.until(lambda: not cluster.pods())


@effect_of("kubernetes_executor.worker_pod_pending_fatal_container_state_reasons")
def test_a_container_that_waits_for_a_listed_reason_fails_its_attempt(
    start: Callable[..., Submission], cluster: FakeCluster
) -> None:
    submission = start(worker_container_repository=MISSING_IMAGE)
    submission.submit()
    submission.until(lambda: bool(submission.events))
    result = submission.events[0].result
    assert (result.outcome, result.entered) == ("lost", True)
    assert "cannot start: ErrImagePull" in (result.reason or "")


@effect_of("kubernetes_executor.worker_pod_pending_fatal_container_state_reasons")
def test_a_container_that_waits_for_another_reason_goes_on_waiting(
    start: Callable[..., Submission], cluster: FakeCluster
) -> None:
    submission = start(
        worker_container_repository=MISSING_IMAGE, worker_pod_pending_fatal_container_state_reasons="InvalidImageName"
    )
    submission.submit()

    def is_noted() -> bool:
        with submission.db.read() as tx:
            return "ErrImagePull" in str(raw(tx, "SELECT wait_reason FROM remote_attempt"))

    submission.until(is_noted)
    assert submission.events == []


@effect_of("kubernetes_executor.worker_pods_creation_batch_size")
def test_a_second_sees_at_most_so_many_creations(start: Callable[..., Submission], cluster: FakeCluster) -> None:
    cluster.is_paused = True
    clock = SystemClock()
    submission = start(worker_pods_creation_batch_size=1)
    submission.submit(2)
    began = clock.monotonic()
    submission.until(lambda: len(cluster.pods()) == 2)
    assert clock.monotonic() - began >= 0.5  # the second one is of the next round


@effect_of("kubernetes_executor.cluster_context", "kubernetes_executor.verify_ssl", "kubernetes_executor.ssl_ca_cert")
def test_the_client_uses_context_and_certificates(cluster: FakeCluster, tmp_path: Path) -> None:
    path = cluster.write_kubeconfig()
    kubeconfig = yaml.safe_load(path.read_text())
    kubeconfig["contexts"].append({"name": "other", "context": {"cluster": "other", "user": "u"}})
    kubeconfig["clusters"].append({"name": "other", "cluster": {"server": "https://other.example.com:6443"}})
    path.write_text(yaml.safe_dump(kubeconfig))
    (tmp_path / "ca.pem").write_text("")

    def configure(**values: object) -> Any:
        cfg = options(
            tmp_path,
            kubernetes_executor__in_cluster=False,
            kubernetes_executor__config_file=path,
            **{f"kubernetes_executor__{key}": value for key, value in values.items()},
        )
        settings = read_cluster_settings(cfg, ("d",))
        return Cluster(settings).configuration

    assert configure().host.startswith("http://127.0.0.1:")
    assert configure(cluster_context="other").host == "https://other.example.com:6443"
    assert configure().verify_ssl
    assert not configure(verify_ssl=False).verify_ssl
    with pytest.raises(ConfigurationError, match="ssl_ca_cert"):
        configure(ssl_ca_cert=tmp_path / "nowhere.pem")


@effect_of("kubernetes_executor.delete_option_kwargs")
def test_deletions_have_the_options(start: Callable[..., Submission], cluster: FakeCluster, tmp_path: Path) -> None:
    submission = start(
        pod_template_file=write_template(tmp_path, "true"), delete_option_kwargs=json.dumps({"grace_period_seconds": 7})
    )
    submission.submit()
    submission.until(lambda: bool(cluster.deletions))
    assert cluster.deletions == [{"gracePeriodSeconds": 7}]
    with pytest.raises(ConfigurationError, match=r"delete_option_kwargs must be a JSON object with the keys"):
        start(delete_option_kwargs='{"grace": 1}')


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"core__execution_api_server_url": ""},
            r"\[core\] execution_api_server_url is empty: pods reach the api-server at this address",
        ),
        ({"worker_container_tag": ""}, "name an image together: set both or neither"),
        ({"worker_container_tag": "", "worker_container_repository": ""}, "pods have no image"),
        ({"pod_template_file": "/nowhere.yaml"}, "the pod template /nowhere.yaml cannot be read"),
        ({"config_file": "/nowhere"}, "the kubeconfig /nowhere cannot be used"),
    ],
)
def test_a_deployment_that_cannot_make_pods_says_so_at_the_start(
    start: Callable[..., Submission], values: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        start(**values)
