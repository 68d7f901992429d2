"""The pod of an attempt: the template, what `executor_config` of the task says, and what the executor needs in each pod."""

from __future__ import annotations

import copy
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from gnomon.model.attempts import Attempt
from gnomon.model.errors import ConfigurationError
from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import quote, say

BASE_CONTAINER = "base"
"""The name of the container that runs the attempt, as in Airflow."""
ATTEMPT_LABEL = "gnomon-attempt"
DEPLOYMENT_LABEL = "gnomon-deployment"
"""Whose pods these are: a namespace may have pods of several deployments."""
TOKEN_VOLUME = "gnomon-attempt"
TOKEN_FOLDER = "/run/gnomon-attempt"
TOKEN_KEY = "token"
_NAME_MAX = 63
"""A pod's name is also the name of its host, which is a DNS label."""
_LABEL_MAX = 63
_NOT_IN_NAME = re.compile(r"[^a-z0-9]+")
_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9_.-]+")
_JOINED_IN_POD = ("volumes", "initContainers", "imagePullSecrets")
"""Lists to which an override adds, as in Airflow; it replaces other lists."""
_JOINED_IN_CONTAINER = ("env", "envFrom", "volumeMounts", "volumeDevices", "ports")

Pod = dict[str, Any]


class _ManifestLoader(yaml.SafeLoader):
    """YAML as Kubernetes reads it: a date without quotes is a text. A pod is JSON, which has no dates."""

    yaml_implicit_resolvers = {
        first: [resolver for resolver in resolvers if resolver[0] != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


class PodRefused(ConfigurationError):
    """The pod of an attempt cannot be built from its template or its override; no other attempt is affected."""


@dataclass(frozen=True, slots=True)
class PodSettings:
    """What each pod of a deployment has."""

    namespace: str
    deployment: str
    """The value of DEPLOYMENT_LABEL."""
    image: str
    """Of the container `base`, where the override names none; empty: that of the template."""
    template: Mapping[str, Any]
    environ: Mapping[str, str] = field(default_factory=dict)
    """Variables of the container `base` that neither template nor override sets."""


def read_template(path: Path) -> Pod:
    """The pod of a template file. Raises ConfigurationError with the place for a file that has no pod."""
    try:
        pod = yaml.load(path.read_text(encoding="utf-8"), _ManifestLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(say("pod_template_cannot_be_read", file=str(path), error=str(error))) from error
    except yaml.YAMLError as error:
        raise ConfigurationError(say("pod_template_is_no_yaml", file=str(path), error=str(error))) from error
    if not isinstance(pod, dict) or pod.get("kind", "Pod") != "Pod" or not isinstance(pod.get("spec"), dict):
        raise ConfigurationError(say("pod_template_is_no_pod", file=str(path)))
    if not _find_containers(pod):
        raise ConfigurationError(say("pod_template_has_no_container", file=str(path), name=BASE_CONTAINER))
    if not all(isinstance(container, dict) for container in _find_containers(pod)) or not isinstance(
        pod.get("metadata") or {}, dict
    ):
        raise ConfigurationError(say("pod_template_lacks_objects", file=str(path)))
    return pod


def build_pod(settings: PodSettings, attempt: Attempt) -> Pod:
    """The pod that runs this attempt. Raises PodRefused."""
    config = attempt.executor_config or {}
    template = config.get("pod_template_file")
    try:
        pod = copy.deepcopy(dict(settings.template)) if template is None else read_template(Path(template))
    except ConfigurationError as error:
        raise PodRefused(error.sentence or quote(str(error))) from error
    override = config.get("pod_override") or {}
    _check_override(attempt, override)
    own_image = next((container.get("image") for container in _find_containers(override)), None)
    try:
        pod = merge_pods(pod, override)
        _complete(pod, settings, attempt, own_image)
    except (TypeError, ValueError, AttributeError) as error:  # a number where a manifest has a list, for example
        raise PodRefused(say("pod_cannot_be_built", task_id=attempt.task_id, error=str(error))) from error
    return pod


def merge_pods(base: Pod, override: Mapping[str, Any]) -> Pod:
    """The pod with an override: the first containers are merged, further ones are added; lists of _JOINED_IN_POD and _JOINED_IN_CONTAINER grow."""
    merged = _merge(base, {key: value for key, value in override.items() if key != "spec"})
    spec, change = dict(base.get("spec") or {}), dict(override.get("spec") or {})
    containers, changes = list(spec.pop("containers", None) or []), list(change.pop("containers", None) or [])
    if changes:
        first = containers[0] if containers else {}
        containers = [_merge(first, changes[0], _JOINED_IN_CONTAINER), *containers[1:], *changes[1:]]
    merged["spec"] = {**_merge(spec, change, _JOINED_IN_POD), "containers": containers}
    return merged


def build_secret(settings: PodSettings, pod_name: str, pod_uid: str, attempt_id: str, token: str) -> dict[str, Any]:
    """The Secret with the token of the attempt. The cluster deletes it with its pod."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "stringData": {TOKEN_KEY: token},
        "metadata": {
            "name": pod_name,
            "namespace": settings.namespace,
            "labels": {ATTEMPT_LABEL: attempt_id, DEPLOYMENT_LABEL: settings.deployment},
            "ownerReferences": [
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "name": pod_name,
                    "uid": pod_uid,
                    "blockOwnerDeletion": False,
                    "controller": False,
                }
            ],
        },
    }


def build_pod_name(attempt: Attempt) -> str:
    """`DAG-task-ATTEMPT`, cut to a DNS label. The same attempt has the same name in each scheduler, so that the cluster refuses a second pod of it."""
    ending = _NOT_IN_NAME.sub("-", attempt.attempt_id.lower()).strip("-")
    if len(ending) > _NAME_MAX - 16:
        ending = f"{zlib.crc32(ending.encode()):08x}-{ending[: _NAME_MAX - 32]}".strip("-")
    words = (
        _NOT_IN_NAME.sub("-", f"{attempt.run.dag_id}-{attempt.task_id}".lower())
        .strip("-")[: _NAME_MAX - len(ending) - 1]
        .strip("-")
    )
    return f"{words}-{ending}" if words else f"a-{ending}"


def make_label(text: str) -> str:
    """The text as the value of a label. A value that had to be changed ends with a checksum, so that two texts do not become one."""
    safe = _NOT_IN_LABEL.sub("-", text).strip("-_.")
    if safe == text and len(safe) <= _LABEL_MAX:
        return safe
    return f"{safe[: _LABEL_MAX - 9].strip('-_.')}-{zlib.crc32(text.encode()):08x}".lstrip("-")


def _complete(pod: Pod, settings: PodSettings, attempt: Attempt, own_image: str | None) -> None:
    """Set what the executor needs; a template and an override cannot change it."""
    name = build_pod_name(attempt)
    pod.update(apiVersion="v1", kind="Pod")
    metadata = pod["metadata"] = dict(pod.get("metadata") or {})
    metadata.pop("generateName", None)
    metadata.update(name=name, namespace=settings.namespace)
    metadata["labels"] = {**(metadata.get("labels") or {}), **_build_labels(settings, attempt)}
    metadata["annotations"] = {**(metadata.get("annotations") or {}), **_build_annotations(attempt)}
    spec = pod["spec"]
    spec["restartPolicy"] = "Never"
    spec["volumes"] = [
        *(spec.get("volumes") or []),
        {"name": TOKEN_VOLUME, "secret": {"secretName": name, "defaultMode": 0o444}},
    ]
    base = spec["containers"][0] = dict(spec["containers"][0])
    base.setdefault("name", BASE_CONTAINER)
    base["image"] = own_image or settings.image or base.get("image")
    if not base["image"]:
        raise PodRefused(say("pod_has_no_image", task_id=attempt.task_id))
    base["args"] = ["kubernetes", "worker", attempt.attempt_id, "--token-file", f"{TOKEN_FOLDER}/{TOKEN_KEY}"]
    base.setdefault("command", ["gnomon"])
    base["volumeMounts"] = [
        *(base.get("volumeMounts") or []),
        {"name": TOKEN_VOLUME, "mountPath": TOKEN_FOLDER, "readOnly": True},
    ]
    set_names = {variable.get("name") for variable in base.get("env") or []}
    base["env"] = [
        *(base.get("env") or []),
        *({"name": key, "value": value} for key, value in settings.environ.items() if key not in set_names),
    ]


def _build_labels(settings: PodSettings, attempt: Attempt) -> dict[str, str]:
    labels = {
        ATTEMPT_LABEL: attempt.attempt_id,
        DEPLOYMENT_LABEL: settings.deployment,
        "dag_id": make_label(attempt.run.dag_id),
        "task_id": make_label(attempt.task_id or attempt.kind),
        "run_id": make_label(attempt.run.run_id),
        "try_number": str(attempt.try_number),
    }
    return {**labels, "map_index": str(attempt.map_index)} if attempt.map_index != UNMAPPED else labels


def _build_annotations(attempt: Attempt) -> dict[str, str]:
    annotations = {
        "dag_id": attempt.run.dag_id,
        "task_id": attempt.task_id,
        "run_id": attempt.run.run_id,
        "try_number": str(attempt.try_number),
    }
    return {**annotations, "map_index": str(attempt.map_index)} if attempt.map_index != UNMAPPED else annotations


def _check_override(attempt: Attempt, override: Any) -> None:
    if (
        not isinstance(override, dict)
        or not isinstance(override.get("spec") or {}, dict)
        or not isinstance(override.get("metadata") or {}, dict)
    ):
        raise PodRefused(say("pod_override_is_no_pod", task_id=attempt.task_id))
    if not all(isinstance(container, dict) for container in _find_containers(override)):
        raise PodRefused(say("pod_override_has_no_containers", task_id=attempt.task_id))


def _find_containers(pod: Mapping[str, Any]) -> list[Any]:
    containers = (pod.get("spec") or {}).get("containers") or []
    return list(containers) if isinstance(containers, list) else [None]


def _merge(base: Mapping[str, Any], override: Mapping[str, Any], joined: Sequence[str] = ()) -> dict[str, Any]:
    """Dicts are merged, lists named in `joined` are added to, other values are replaced; None changes nothing, as an attribute of the client's model."""
    merged = dict(base)
    for key, value in override.items():
        if value is None:
            continue
        present = merged.get(key)
        if key in joined:
            merged[key] = [*(present or []), *value]
        else:
            merged[key] = _merge(present, value) if isinstance(present, dict) and isinstance(value, dict) else value
    return merged
