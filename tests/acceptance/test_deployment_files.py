"""The files of `deploy/`: units, compose file and manifests are valid, name existing commands and options, and give no service more rights than it needs.

There is no cluster and no container runtime here: manifests are checked by the models of the official client, which refuse unknown fields, and the compose file by
its structure. Units are checked by systemd itself where it is installed.
"""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from kubernetes.client import models

from gnomon.entry.app.kubernetes_settings import read_pod_settings
from gnomon.entry.cli.commands import root
from gnomon.ground.config import load_config
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.services.executors.kubernetes import cluster
from gnomon.services.executors.kubernetes.pod_template import build_pod

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
SERVICES = {"scheduler", "api-server", "dag-processor", "triggerer", "monitor"}
MODELS = {
    "ConfigMap": models.V1ConfigMap,
    "Deployment": models.V1Deployment,
    "Job": models.V1Job,
    "Namespace": models.V1Namespace,
    "PodDisruptionBudget": models.V1PodDisruptionBudget,
    "Role": models.V1Role,
    "RoleBinding": models.V1RoleBinding,
    "Service": models.V1Service,
    "ServiceAccount": models.V1ServiceAccount,
}
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
COMPOSE = yaml.load((DEPLOY / "compose" / "compose.yaml").read_text(), LOADER)
COMPOSE_KEYS = {
    "image",
    "user",
    "read_only",
    "restart",
    "cap_drop",
    "security_opt",
    "tmpfs",
    "stop_grace_period",
    "command",
    "environment",
    "depends_on",
    "volumes",
    "ports",
    "mem_limit",
    "cpus",
    "healthcheck",
}


def manifests() -> list[dict[str, Any]]:
    return [
        one
        for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
        for one in yaml.load_all(path.read_text(), LOADER)
    ]


def find(kind: str, name: str) -> dict[str, Any]:
    (found,) = [one for one in manifests() if (one["kind"], one["metadata"]["name"]) == (kind, name)]
    return found


def pod_specs() -> Iterator[tuple[str, dict[str, Any]]]:
    for one in manifests():
        if one["kind"] in ("Deployment", "Job"):
            yield one["metadata"]["name"], one["spec"]["template"]["spec"]
    yield "task", template()["spec"]


def template() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(find("ConfigMap", "gnomon-pod-template")["data"]["pod-template.yaml"])
    return found


def check_command(words: list[str]) -> None:
    """Each word names a command, the last one a command that is no group; options may follow."""
    command: click.Command = root
    context = click.Context(root)
    names = [word for word in words if not word.startswith("-") and not word.isdigit()]
    for name in names:
        assert isinstance(command, click.Group), words
        found = command.get_command(context, name)
        assert found is not None, f"there is no command gnomon {' '.join(words)}"
        command = found
    assert not isinstance(command, click.Group) or command.invoke_without_command, words
    known = {option for param in command.params for option in param.opts}
    assert {word for word in words if word.startswith("-")} <= known


def check_options(environ: dict[str, str], tmp_path: Path) -> None:
    """Each variable is an option of Gnomon whose value is valid."""
    names = {name for name in environ if name.startswith("GNOMON")}
    load_config({name: value for name, value in environ.items() if name in names and name != "GNOMON_HOME"}, tmp_path)


# ---- systemd ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_runs_a_command_without_privileges(path: Path) -> None:
    unit = configparser.ConfigParser(strict=True, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(path.read_text())
    service = unit["Service"]
    program, *words = service["ExecStart"].split()
    assert program == "/opt/gnomon/bin/gnomon"
    check_command(words)
    assert (
        service["User"],
        service["ProtectSystem"],
        service["NoNewPrivileges"],
        service["CapabilityBoundingSet"],
    ) == ("gnomon", "strict", "true", "")
    assert service["MemoryMax"] and service["TasksMax"]
    if "oneshot" not in path.read_text():
        assert (service["Restart"], service["KillMode"]) == ("always", "mixed")
        assert int(service["TimeoutStopSec"]) >= load_config({}, path.parent).number("workers", "shutdown_grace") + 20


def test_the_target_starts_every_service() -> None:
    wanted = re.findall(r"gnomon-([a-z-]+)\.service", (DEPLOY / "systemd" / "gnomon.target").read_text())
    assert set(wanted) == {path.stem.removeprefix("gnomon-") for path in UNITS} - {"migrate"}
    assert set(wanted) == SERVICES | {"worker"}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    for path in (DEPLOY / "systemd").iterdir():
        (tmp_path / path.name).write_text(path.read_text().replace("/opt/gnomon/bin/gnomon", sys.executable))
    done = subprocess.run(
        [
            "systemd-analyze",
            "verify",
            "--man=no",
            *sorted(map(str, [*tmp_path.glob("*.service"), *tmp_path.glob("*.target")])),
        ],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, [line for line in done.stderr.splitlines() if "gnomon" in line]) == (0, [])


def test_the_environment_of_the_units_has_known_options(tmp_path: Path) -> None:
    lines = [
        line
        for line in (DEPLOY / "systemd" / "gnomon.env").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    check_options(dict(line.split("=", 1) for line in lines), tmp_path)


# ---- compose ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", sorted(COMPOSE["services"]))
def test_a_service_of_the_compose_file_is_confined(name: str, tmp_path: Path) -> None:
    service = COMPOSE["services"][name]
    assert set(service) <= COMPOSE_KEYS
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", service["user"]), "not root"
    assert (service["read_only"], service["cap_drop"], service["security_opt"]) == (
        True,
        ["ALL"],
        ["no-new-privileges:true"],
    )
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"]) and service["cpus"] > 0
    for other, condition in service.get("depends_on", {}).items():
        assert set(condition) == {"condition"} and condition["condition"] in (
            "service_healthy",
            "service_completed_successfully",
        )
        assert condition["condition"] != "service_healthy" or "healthcheck" in COMPOSE["services"][other]
    for volume in service.get("volumes", ()):
        source, place = volume.replace("${GNOMON_DAGS:?the folder with the DAG files}", "/dags").split(":")[:2]
        assert place.startswith("/") and (source.startswith("/") or source in COMPOSE["volumes"])
    if "gnomon" in str(service["image"]).lower():
        check_command(service["command"])
        check_options(service["environment"], tmp_path)


def test_the_compose_file_has_every_service_and_workers_without_secrets() -> None:
    services = COMPOSE["services"]
    assert set(services) == SERVICES | {"worker", "migrate", "database", "broker"}
    assert not {"GNOMON__DATABASE__SQL_ALCHEMY_CONN", "GNOMON__CORE__FERNET_KEY"} & set(
        services["worker"]["environment"]
    )
    for name in SERVICES:
        assert {"GNOMON__DATABASE__SQL_ALCHEMY_CONN", "GNOMON__CORE__FERNET_KEY"} <= set(
            services[name]["environment"]
        ), name
    named = set(re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose" / "compose.yaml").read_text()))
    assert named == set(re.findall(r"^([A-Z_]+)=", (DEPLOY / "compose" / "env.example").read_text(), re.MULTILINE))


# ---- Kubernetes --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("manifest", manifests(), ids=lambda one: f"{one['kind']}-{one['metadata']['name']}")
def test_a_manifest_is_valid_for_the_official_client(manifest: dict[str, Any]) -> None:
    MODELS[manifest["kind"]].model_validate(manifest)
    assert manifest["kind"] == "Namespace" or manifest["metadata"]["namespace"] == "gnomon"


def test_an_unknown_field_would_be_found() -> None:
    manifest = find("Deployment", "gnomon-scheduler")
    manifest["spec"]["template"]["spec"]["containers"][0]["readOnlyRootFilesytem"] = True
    with pytest.raises(ValueError, match="readOnlyRootFilesytem"):
        MODELS["Deployment"].model_validate(manifest)


@pytest.mark.parametrize(("name", "spec"), list(pod_specs()), ids=lambda one: one if isinstance(one, str) else "")
def test_a_pod_meets_the_restricted_standard(name: str, spec: dict[str, Any]) -> None:
    (container,) = spec["containers"]
    security = container["securityContext"]
    assert (security["runAsNonRoot"], security["readOnlyRootFilesystem"], security["allowPrivilegeEscalation"]) == (
        True,
        True,
        False,
    )
    assert (security["capabilities"], security["seccompProfile"]) == ({"drop": ["ALL"]}, {"type": "RuntimeDefault"})
    assert set(container["resources"]["requests"]) == {"cpu", "memory"} and "memory" in container["resources"]["limits"]
    assert spec["automountServiceAccountToken"] is (name == "gnomon-scheduler")
    find("ServiceAccount", spec["serviceAccountName"])
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in spec["volumes"]}
    if name != "task":
        check_command(container["args"])


def test_selectors_and_ports_meet() -> None:
    deployed = {one["metadata"]["name"]: one for one in manifests() if one["kind"] == "Deployment"}
    assert set(deployed) == {f"gnomon-{name}" for name in SERVICES}
    for one in deployed.values():
        assert one["spec"]["selector"]["matchLabels"] == one["spec"]["template"]["metadata"]["labels"]
    service = find("Service", "gnomon-api-server")
    pod = deployed["gnomon-api-server"]["spec"]["template"]
    assert service["spec"]["selector"] == pod["metadata"]["labels"]
    assert service["spec"]["ports"][0]["targetPort"] in {port["name"] for port in pod["spec"]["containers"][0]["ports"]}
    for name in ("gnomon-api-server", "gnomon-scheduler"):
        assert find("PodDisruptionBudget", name)["spec"]["selector"] == deployed[name]["spec"]["selector"]


def test_the_scheduler_may_do_what_the_executor_does_and_no_more() -> None:
    verbs = {
        "create": {"create"},
        "read": {"get"},
        "list": {"list", "watch"},
        "replace": {"update"},
        "delete": {"delete"},
    }
    needed: dict[str, set[str]] = {}
    for verb, resource in re.findall(r'"([a-z]+)_namespaced_([a-z]+)"', Path(cluster.__file__).read_text()):
        needed.setdefault(f"{resource}s", set()).update(verbs[verb])
    allowed = {
        resource: set(rule["verbs"])
        for rule in find("Role", "gnomon-scheduler")["rules"]
        for resource in rule["resources"]
    }
    assert allowed == needed


def test_the_settings_make_valid_pods_of_tasks(tmp_path: Path) -> None:
    path = tmp_path / "pod-template.yaml"
    path.write_text(find("ConfigMap", "gnomon-pod-template")["data"]["pod-template.yaml"])
    environ = {name: value for name, value in find("ConfigMap", "gnomon")["data"].items() if name != "GNOMON_HOME"}
    check_options(environ, tmp_path)
    for one in manifests():
        if one["kind"] == "Deployment":
            check_options(
                {env["name"]: env["value"] for env in one["spec"]["template"]["spec"]["containers"][0].get("env", ())},
                tmp_path,
            )
    check_options({env["name"]: env["value"] for env in template()["spec"]["containers"][0]["env"]}, tmp_path)
    cfg = load_config({**environ, "GNOMON__KUBERNETES_EXECUTOR__POD_TEMPLATE_FILE": str(path)}, tmp_path)
    assert Path(environ["GNOMON__KUBERNETES_EXECUTOR__POD_TEMPLATE_FILE"]).name == path.name
    facts = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)
    pod = build_pod(
        read_pod_settings(cfg, ("mine",)),
        Attempt(attempt_id="a", group_no=1, epoch=1, run=facts, task_id="t", task_no=0, file="/d.py"),
    )
    models.V1Pod.model_validate(pod)
    assert pod["spec"]["containers"][0]["image"] == "gnomon:0.1.0"


def test_the_image_runs_as_the_user_of_the_manifests() -> None:
    text = (DEPLOY / "container" / "Dockerfile").read_text()
    assert "USER 10001:10001" in text
    assert 'ENTRYPOINT ["gnomon"]' in text
