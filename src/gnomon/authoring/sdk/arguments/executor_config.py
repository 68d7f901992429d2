"""`executor_config=` of a task: the pod that the KubernetesExecutor makes for it, as a dict like a manifest."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments import option_defaults
from gnomon.model.unchecked_sentences import say_unchecked

if TYPE_CHECKING:
    from gnomon.model.sentences import Sentence

KEYS = ("pod_override", "pod_template_file")


def as_executor_config(name: str, value: Any) -> Any:
    """The value if it can be an `executor_config`. Raises TypeError."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise TypeError(f"{name}= must be a dict such as {{'pod_override': V1Pod(...)}}, not {type(value).__name__}")
    template = value.get("pod_template_file")
    if template is not None and not isinstance(template, str):
        raise TypeError(f"{name}=: pod_template_file must be the path of a file, not {type(template).__name__}")
    if value.get("pod_override") is not None:
        _encode_pod(name, value["pod_override"])
    return value


def encode_executor_config(value: Any) -> dict[str, Any] | None:
    """What the executor uses of it, as values of JSON; None: nothing. Raises TypeError."""
    if not value:
        return None
    encoded: dict[str, Any] = {}
    if value.get("pod_override") is not None:
        encoded["pod_override"] = _encode_pod("executor_config", value["pod_override"])
    if value.get("pod_template_file") is not None:
        encoded["pod_template_file"] = value["pod_template_file"]
    return encoded or None


def iter_config_warnings(value: Any) -> Iterator[Sentence]:
    """Yield a sentence for each part of it that has no effect."""
    if not value:
        return
    from gnomon.model.executors import KUBERNETES_EXECUTOR, parse_executors  # few tasks have one

    for key in value:
        if key not in KEYS:
            yield say_unchecked("executor_config_key_is_idle", key=str(key), names=" and ".join(KEYS))
    executor = option_defaults.read_text("core", "executor")
    if KUBERNETES_EXECUTOR not in parse_executors(executor) and any(value.get(key) is not None for key in KEYS):
        yield say_unchecked("executor_config_is_idle", executor=executor, names=" and ".join(KEYS))


def _encode_pod(name: str, pod: Any) -> dict[str, Any]:
    encoded = _encode(f"{name}=: pod_override", pod)
    if not isinstance(encoded, dict):
        raise TypeError(f"{name}=: pod_override must be a V1Pod or a dict as in a manifest, not {type(pod).__name__}")
    return encoded


def _encode(where: str, value: Any) -> Any:
    """Objects of the client become the dicts of their JSON form, by the names that their class gives; attributes that are None are left out."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _encode(f"{where}.{key}", item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_encode(f"{where}[{number}]", item) for number, item in enumerate(value)]
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    names = getattr(type(value), "attribute_map", None)
    if isinstance(names, property):
        names = value.attribute_map
    if not isinstance(names, Mapping):
        raise TypeError(
            f"{where} is an object of {type(value).__name__}, which is neither a value of JSON nor a model of the package kubernetes"
        )
    return {
        key: _encode(f"{where}.{key}", item)
        for attribute, key in names.items()
        if (item := getattr(value, attribute, None)) is not None
    }
