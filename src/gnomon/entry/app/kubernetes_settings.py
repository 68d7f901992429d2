"""The options of the KubernetesExecutor."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from gnomon.entry.app.celery_settings import find_execution_api
from gnomon.ground.config import Config
from gnomon.model.errors import ConfigurationError
from gnomon.model.sentences import say
from gnomon.services.executors.kubernetes.cluster import ClusterSettings
from gnomon.services.executors.kubernetes.pod_template import BASE_CONTAINER, Pod, PodSettings, read_template

SECTION = "kubernetes_executor"
PURPOSE = "name of the deployment in a cluster"
_DELETE_EXAMPLE = '{"grace_period_seconds": 10}'


def name_deployments(keys: tuple[bytes, ...]) -> tuple[str, ...]:
    """A label for the deployment from each key of the database, that of the first key first: schedulers of one database have the same."""
    return tuple(hashlib.sha256(key).hexdigest()[:16] for key in keys)


def read_cluster_settings(cfg: Config, deployments: tuple[str, ...]) -> ClusterSettings:
    """How the cluster is reached. Raises ConfigurationError for a wrong value."""
    return ClusterSettings(
        namespace=cfg.text(SECTION, "namespace"),
        deployments=deployments,
        in_cluster=cfg.boolean(SECTION, "in_cluster"),
        config_file=cfg.text(SECTION, "config_file"),
        context=cfg.text(SECTION, "cluster_context"),
        verify_ssl=cfg.boolean(SECTION, "verify_ssl"),
        ssl_ca_cert=cfg.text(SECTION, "ssl_ca_cert"),
        delete_options=_read_delete_options(cfg.text(SECTION, "delete_option_kwargs")),
    )


def read_pod_settings(cfg: Config, deployments: tuple[str, ...]) -> PodSettings:
    """What each pod has. Raises ConfigurationError without an image, or without an address of the api-server that pods reach."""
    if not cfg.text("core", "execution_api_server_url"):
        raise ConfigurationError(say("execution_address_is_empty"))
    template = _read_template(cfg.text(SECTION, "pod_template_file"))
    repository, tag = cfg.text(SECTION, "worker_container_repository"), cfg.text(SECTION, "worker_container_tag")
    if bool(repository) != bool(tag):
        raise ConfigurationError(say("image_lacks_repository_or_tag"))
    image = f"{repository}:{tag}" if repository else ""
    if not image and not template["spec"]["containers"][0].get("image"):
        raise ConfigurationError(say("pods_have_no_image"))
    return PodSettings(
        cfg.text(SECTION, "namespace"),
        deployments[0],
        image,
        template,
        {"GNOMON__CORE__EXECUTION_API_SERVER_URL": find_execution_api(cfg)},
    )


def read_fatal_reasons(cfg: Config) -> tuple[str, ...]:
    """Reasons of a waiting container for which its attempt fails."""
    return tuple(
        reason
        for word in cfg.text(SECTION, "worker_pod_pending_fatal_container_state_reasons").split(",")
        if (reason := word.strip())
    )


def _read_template(path: str) -> Pod:
    return read_template(Path(path)) if path else {"spec": {"containers": [{"name": BASE_CONTAINER}]}}


def _read_delete_options(text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        options = json.loads(text)
    except ValueError as error:
        raise ConfigurationError(
            say("delete_options_are_no_json", error=str(error), example=_DELETE_EXAMPLE)
        ) from error
    api_names = {"grace_period_seconds": "gracePeriodSeconds", "propagation_policy": "propagationPolicy"}
    if not isinstance(options, dict) or set(options) - set(api_names):
        raise ConfigurationError(
            say("delete_options_are_unknown", names=" and ".join(api_names), example=_DELETE_EXAMPLE)
        )
    return {api_names[key]: value for key, value in options.items()}
