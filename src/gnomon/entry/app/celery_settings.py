"""The options of the CeleryExecutor, for the scheduler and for `gnomon celery worker`."""

from __future__ import annotations

import json

from gnomon.ground.config import Config
from gnomon.model.execution_messages import EXECUTION_PREFIX
from gnomon.services.executors.celery_broker import CelerySettings


def read_celery_settings(cfg: Config) -> CelerySettings:
    """The broker, and the options of section `celery_broker_transport_options`: JSON where a value is JSON, else text."""
    return CelerySettings(
        cfg.text("celery", "broker_url"),
        {name: _read_value(text) for name, text in cfg.section("celery_broker_transport_options").items() if text},
    )


def find_execution_api(cfg: Config) -> str:
    """The address of the execution API: [core] execution_api_server_url, or that of the api-server of this host."""
    return (
        cfg.text("core", "execution_api_server_url").rstrip("/")
        or f"http://127.0.0.1:{cfg.integer('api', 'port')}{EXECUTION_PREFIX}"
    )


def _read_value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text
