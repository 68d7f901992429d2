"""`executor_config` of tasks: what of it is stored, and what is refused or said to have no effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kubernetes.client import models

from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.ground.config import load_config, set_current_config


def build(config: Any) -> DAG:
    with DAG("d", schedule=None) as dag:
        BaseOperator(task_id="t", executor_config=config)
    return dag


def stored(config: Any) -> object:
    return build_dag_spec(build(config), "f.py").spec.tasks[0].executor_config


@pytest.fixture
def on_kubernetes(tmp_path: Path) -> None:
    set_current_config(load_config({"GNOMON__CORE__EXECUTOR": "KubernetesExecutor"}, home=tmp_path))


def test_a_model_of_the_client_is_stored_as_its_manifest() -> None:
    pod = models.V1Pod(
        metadata=models.V1ObjectMeta(annotations={"a": "b"}),
        spec=models.V1PodSpec(
            containers=[
                models.V1Container(
                    name="base", volume_mounts=[models.V1VolumeMount(name="v", mount_path="/v", read_only=True)]
                )
            ],
            volumes=[models.V1Volume(name="v", host_path=models.V1HostPathVolumeSource(path="/v"))],
            termination_grace_period_seconds=5,
        ),
    )
    manifest = {
        "metadata": {"annotations": {"a": "b"}},
        "spec": {
            "containers": [{"name": "base", "volumeMounts": [{"name": "v", "mountPath": "/v", "readOnly": True}]}],
            "volumes": [{"name": "v", "hostPath": {"path": "/v"}}],
            "terminationGracePeriodSeconds": 5,
        },
    }
    assert stored({"pod_override": pod}) == {"pod_override": manifest}
    assert stored({"pod_override": manifest}) == {"pod_override": manifest}
    assert stored({"pod_template_file": "/t.yaml"}) == {"pod_template_file": "/t.yaml"}
    assert stored(None) is None
    assert stored({}) is None


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (3, "executor_config= must be a dict"),
        ({"pod_override": 3}, "pod_override must be a V1Pod or a dict as in a manifest, not int"),
        (
            {"pod_override": {"spec": {"containers": [object()]}}},
            r"pod_override.spec.containers\[0\] is an object of object",
        ),
        ({"pod_template_file": 3}, "pod_template_file must be the path of a file, not int"),
    ],
)
def test_what_is_no_pod_is_refused(config: Any, sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        build(config)


@pytest.mark.usefixtures("on_kubernetes")
def test_an_unknown_key_is_a_warning() -> None:
    (warning,) = build({"KubernetesExecutor": {"image": "x"}, "pod_template_file": "/t.yaml"}).warnings
    assert (
        "executor_config= has the key 'KubernetesExecutor', which has no effect: the keys are pod_override and pod_template_file."
        in warning
    )
    assert "test_executor_config.py:" in warning


def test_another_executor_is_a_warning() -> None:
    (warning,) = build({"pod_override": {"spec": {}}}).warnings
    assert "executor_config= has no effect: [core] executor is LocalExecutor" in warning
