"""Pods of attempts: how they are built from template and override, and what their objects say about the attempt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kubernetes.client import models

from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.errors import ConfigurationError
from gnomon.services.executors.kubernetes.pod_status import PodStatus, read_pod_status
from gnomon.services.executors.kubernetes.pod_template import (
    ATTEMPT_LABEL,
    PodRefused,
    PodSettings,
    build_pod,
    build_pod_name,
    build_secret,
    make_label,
    merge_pods,
    read_template,
)

pytestmark = pytest.mark.pure

FATAL = ("ErrImagePull", "InvalidImageName")


def make_attempt(config: dict[str, Any] | None = None, **fields: Any) -> Attempt:
    facts = RunFacts(
        run_pk=1,
        dag_id=fields.pop("dag_id", "d"),
        run_id="manual__2026-01-01T00:00:00+00:00",
        run_type="manual",
        run_after=0,
    )
    return Attempt(
        **{
            "attempt_id": "d40b5602-4b9f-4d1b-a8e4-03fc90aaf280",
            "group_no": 1,
            "epoch": 1,
            "run": facts,
            "task_id": "t",
            "task_no": 0,
            "file": "/d.py",
            "executor_config": config,
            **fields,
        }
    )


def make_settings(template: dict[str, Any] | None = None, image: str = "gnomon:1") -> PodSettings:
    return PodSettings(
        "ns", "mine", image, template or {"spec": {"containers": [{"name": "base"}]}}, {"API": "http://api"}
    )


def make_pod(phase: str = "Pending", **status: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "p", "labels": {ATTEMPT_LABEL: "a"}},
        "status": {"phase": phase, **status},
        "spec": {"nodeName": "n1", "containers": [{"name": "base", "resources": {"limits": {"memory": "1Gi"}}}]},
    }


def read(pod: dict[str, Any], *, is_deleted: bool = False) -> PodStatus:
    status = read_pod_status(pod, FATAL, is_deleted=is_deleted)
    assert status is not None
    return status


def end_of(pod: dict[str, Any], *, is_deleted: bool = False) -> tuple[str, bool]:
    end = read(pod, is_deleted=is_deleted).end
    assert end is not None
    return end.reason, end.is_of_cluster


def test_a_built_pod_is_valid_for_the_official_client_and_has_no_token() -> None:
    pod = build_pod(make_settings(), make_attempt(map_index=3))
    models.V1Pod.model_validate(pod)
    assert pod["metadata"]["name"] == "d-t-d40b5602-4b9f-4d1b-a8e4-03fc90aaf280"
    assert pod["metadata"]["labels"]["map_index"] == "3"
    assert pod["metadata"]["annotations"]["run_id"] == "manual__2026-01-01T00:00:00+00:00"
    base = pod["spec"]["containers"][0]
    assert (base["command"], base["args"][:2], base["image"]) == (["gnomon"], ["kubernetes", "worker"], "gnomon:1")
    assert base["env"] == [{"name": "API", "value": "http://api"}]
    assert pod["spec"]["restartPolicy"] == "Never"
    models.V1Secret.model_validate(build_secret(make_settings(), "p", "uid", "a", "token"))


def test_the_override_wins_over_the_template_and_the_executor_over_both() -> None:
    template = {
        "metadata": {"labels": {"a": "1"}, "generateName": "x"},
        "spec": {
            "volumes": [{"name": "v"}],
            "tolerations": [{"key": "k"}],
            "containers": [
                {
                    "name": "base",
                    "image": "old",
                    "env": [{"name": "API", "value": "own"}, {"name": "A", "value": "1"}],
                    "resources": {"limits": {"memory": "1Gi", "cpu": "1"}},
                },
                {"name": "side"},
            ],
        },
    }
    override = {
        "metadata": {"name": "mine", "labels": {"b": "2", ATTEMPT_LABEL: "false"}},
        "spec": {
            "restartPolicy": "Always",
            "volumes": [{"name": "w"}],
            "tolerations": [],
            "containers": [
                {
                    "name": "base",
                    "image": "new",
                    "args": ["sh"],
                    "env": [{"name": "A", "value": "2"}],
                    "resources": {"limits": {"memory": "2Gi"}},
                },
                {"name": "more"},
            ],
        },
    }
    pod = build_pod(make_settings(template), make_attempt({"pod_override": override}))
    spec, base = pod["spec"], pod["spec"]["containers"][0]
    assert [container["name"] for container in spec["containers"]] == ["base", "side", "more"]
    assert [volume["name"] for volume in spec["volumes"]] == ["v", "w", "gnomon-attempt"]
    assert spec["tolerations"] == []
    assert base["image"] == "new"
    assert base["resources"] == {"limits": {"memory": "2Gi", "cpu": "1"}}
    assert base["env"] == [
        {"name": "API", "value": "own"},
        {"name": "A", "value": "1"},
        {"name": "A", "value": "2"},
    ]  # the last one of a name counts
    assert (base["args"][0], spec["restartPolicy"], pod["metadata"]["labels"][ATTEMPT_LABEL]) == (
        "kubernetes",
        "Never",
        make_attempt().attempt_id,
    )
    assert (pod["metadata"]["labels"]["a"], pod["metadata"]["labels"]["b"], "generateName" in pod["metadata"]) == (
        "1",
        "2",
        False,
    )
    assert template["spec"]["volumes"] == [{"name": "v"}], "the template is not changed"


def test_an_attribute_that_is_none_changes_nothing() -> None:
    merged = merge_pods(
        {"spec": {"nodeName": "n", "containers": [{"name": "base"}]}},
        {"spec": {"nodeName": None, "containers": [{"name": "base", "image": None}]}},
    )
    assert merged == {"spec": {"nodeName": "n", "containers": [{"name": "base"}]}}


def test_names_are_dns_labels_and_differ_between_attempts() -> None:
    long = make_attempt(dag_id="Ünïcode_" * 20)
    assert len(build_pod_name(long)) <= 63
    assert build_pod_name(long).endswith(long.attempt_id)
    assert build_pod_name(make_attempt(dag_id="__", task_id="")).startswith("a-d40b")
    assert len(build_pod_name(make_attempt(attempt_id="x" * 90))) <= 63


@pytest.mark.parametrize("text", ["scheduled__2026-01-01T00:00:00+00:00", "x" * 80, "ü", "-a-", "a b"])
def test_labels_are_valid_and_a_changed_value_has_a_checksum(text: str) -> None:
    label = make_label(text)
    assert 0 < len(label) <= 63
    assert label[0].isalnum() and label[-1].isalnum()
    assert label != make_label(text + "x")
    assert make_label("plain_1.x") == "plain_1.x"


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"pod_override": {"spec": 3}}, "must be a V1Pod, or a dict as in a manifest"),
        ({"pod_override": {"spec": {"containers": ["x"]}}}, "spec.containers must be a list of containers"),
        (
            {"pod_override": {"spec": {"volumes": 5}}},
            "the pod of task t cannot be built from its template and pod_override: .*; write both as manifests",
        ),
        ({"pod_override": {"spec": {"containers": [{"env": 5}]}}}, "the pod of task t cannot be built"),
        ({"pod_override": {"metadata": {"labels": ["x"]}}}, "the pod of task t cannot be built"),
        ({"pod_template_file": "/nowhere.yaml"}, "the pod template /nowhere.yaml cannot be read"),
    ],
)
def test_what_cannot_be_a_pod_is_refused(config: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PodRefused, match=sentence):
        build_pod(make_settings(), make_attempt(config))


def test_a_pod_without_an_image_is_refused() -> None:
    with pytest.raises(PodRefused, match="has no image"):
        build_pod(make_settings(image=""), make_attempt())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("kind: Deployment\nspec: {}\n", "must hold one object of kind Pod with a spec"),
        ("{", "is no YAML"),
        ("spec: {containers: []}", "has no container"),
        ("spec: {containers: [base]}", "elements of spec.containers"),
        ("metadata: x\nspec: {containers: [{name: base}]}", "must have objects as metadata"),
    ],
)
def test_a_template_that_is_no_pod_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "t.yaml").write_text(text)
    with pytest.raises(ConfigurationError, match=sentence):
        read_template(tmp_path / "t.yaml")


def test_a_task_may_name_a_template_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("kind: Pod\nspec: {priority: 3, containers: [{name: base}]}\n")
    assert (
        build_pod(make_settings(), make_attempt({"pod_template_file": str(tmp_path / "t.yaml")}))["spec"]["priority"]
        == 3
    )


def test_a_date_in_a_template_is_a_text_as_for_kubernetes(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(
        "metadata: {annotations: {since: 2026-01-31, at: 2026-01-31T08:00:00Z}}\nspec: {containers: [{name: base}], priority: 3}\n"
    )
    pod = build_pod(make_settings(read_template(tmp_path / "t.yaml")), make_attempt())
    assert (pod["metadata"]["annotations"]["since"], pod["metadata"]["annotations"]["at"], pod["spec"]["priority"]) == (
        "2026-01-31",
        "2026-01-31T08:00:00Z",
        3,
    )
    json.dumps(pod)


def container(**state: Any) -> list[dict[str, Any]]:
    return [{"name": "base", "state": state}]


@pytest.mark.parametrize(
    ("pod", "reason", "is_of_cluster"),
    [
        (
            make_pod("Failed", containerStatuses=container(terminated={"exitCode": 137, "reason": "OOMKilled"})),
            "container base of pod p was killed, because it used more memory than its limit of 1Gi (OOMKilled)",
            False,
        ),
        (
            make_pod(
                "Failed",
                containerStatuses=container(
                    terminated={"exitCode": 2, "reason": "Error", "message": "no\n such command"}
                ),
            ),
            "container base of pod p ended with exit code 2 (Error): no such command",
            False,
        ),
        (
            make_pod("Failed", reason="Evicted", message="low on memory"),
            "pod p was evicted on node n1 (Evicted): low on memory",
            True,
        ),
        (
            make_pod(
                "Failed",
                conditions=[
                    {
                        "type": "DisruptionTarget",
                        "status": "True",
                        "reason": "PreemptionByScheduler",
                        "message": "for q",
                    }
                ],
            ),
            "pod p was ended by the cluster on node n1 (PreemptionByScheduler): for q",
            True,
        ),
        (
            make_pod("Failed", reason="DeadlineExceeded"),
            "pod p ran longer than activeDeadlineSeconds of its spec",
            False,
        ),
        (make_pod("Failed"), "pod p failed (no reason given)", False),
        (make_pod("Succeeded"), "pod p ended without a result of its attempt", False),
        (
            make_pod(containerStatuses=container(waiting={"reason": "InvalidImageName", "message": "a b"})),
            "container base of pod p cannot start: InvalidImageName: a b",
            False,
        ),
    ],
)
def test_the_end_of_a_pod_in_words(pod: dict[str, Any], reason: str, is_of_cluster: bool) -> None:
    assert end_of(pod) == (reason, is_of_cluster)


def test_a_deleted_pod_says_when_and_why() -> None:
    assert end_of(make_pod("Running"), is_deleted=True) == (
        "pod p was deleted while it ran, by a person or a controller of the cluster",
        True,
    )
    assert end_of(make_pod(), is_deleted=True) == (
        "pod p was deleted before it began, by a person or a controller of the cluster",
        True,
    )
    tainted = make_pod(
        "Running", conditions=[{"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager"}]
    )
    assert end_of(tainted, is_deleted=True) == (
        "pod p was deleted on node n1 while it ran (DeletionByTaintManager)",
        True,
    )


@pytest.mark.parametrize(
    ("pod", "reason"),
    [
        (
            make_pod(
                conditions=[
                    {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes"}
                ]
            ),
            "no node takes its pod p (Unschedulable): 0/3 nodes",
        ),
        (
            make_pod(containerStatuses=container(waiting={"reason": "ImagePullBackOff", "message": "again"})),
            "container base of its pod p waits: ImagePullBackOff: again",
        ),
        (
            make_pod(containerStatuses=container(waiting={"reason": "ContainerCreating"})),
            "its pod p is being started on node n1",
        ),
        (make_pod("Running"), None),
    ],
)
def test_why_a_pod_waits_in_words(pod: dict[str, Any], reason: str | None) -> None:
    status = read(pod)
    assert (status.wait_reason, status.end) == (reason, None)


def test_a_pod_of_something_else_is_no_attempt() -> None:
    assert read_pod_status({"metadata": {"name": "x"}}, FATAL) is None
