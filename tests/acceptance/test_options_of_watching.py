"""The options of metrics, of traces and of proxies, seen through the API and by what leaves a service."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.acceptance.effects import effect_of
from tests.unit.api.served import served
from tests.unit.cli.deployment import NOW

from gnomon.api.access.choose_policy import create_context
from gnomon.api.health import HealthSnapshot
from gnomon.clock import VirtualClock
from gnomon.config import load_config
from gnomon.store import migrations


@effect_of("metrics.prometheus_on", "metrics.prometheus_allow")
@pytest.mark.parametrize(
    ("options", "status"),
    [({}, 401), ({"GNOMON__METRICS__PROMETHEUS_ALLOW": "127.0.0.1"}, 200), ({"GNOMON__METRICS__PROMETHEUS_ON": "False"}, 404)],
)
def test_metrics_are_answered_where_and_to_whom_the_options_say(options: dict[str, str], status: int, tmp_path: Path) -> None:
    cfg = load_config(options, tmp_path)
    migrations.upgrade_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with served(context) as client:
        assert client.request("GET", "/metrics").status == status
    context.close()


@effect_of("api.trusted_proxies")
@pytest.mark.parametrize(("trusted", "status"), [("127.0.0.1", 200), ("", 401)])
def test_the_address_of_a_client_is_what_a_trusted_proxy_says(trusted: str, status: int, tmp_path: Path) -> None:
    cfg = load_config({"GNOMON__API__TRUSTED_PROXIES": trusted, "GNOMON__METRICS__PROMETHEUS_ALLOW": "192.0.2.7"}, tmp_path)
    migrations.upgrade_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with served(context) as client:
        assert client.request("GET", "/metrics", None, {"X-Forwarded-For": "192.0.2.7"}).status == status
    context.close()
