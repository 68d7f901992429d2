"""The options of metrics, of traces and of proxies, seen through the API and by what leaves a service."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.acceptance.effects import effect_of
from tests.acceptance.effects import options as options_of
from tests.databases import create_schema
from tests.otlp_receiver import receiving
from tests.unit.api.served import served
from tests.unit.entry.cli.deployment import NOW

from gnomon.api.access.choose_policy import create_context
from gnomon.api.health import HealthSnapshot
from gnomon.author_code.context import RuntimeTaskInstance
from gnomon.entry.app.monitor_wiring import is_monitor_needed
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.trace_ids import compute_attempt_span_id, compute_trace_id, format_traceparent
from gnomon.services.monitor.otlp_sender import OtlpSender, find_endpoint
from gnomon.services.monitor.run_spans import RunSpan


@effect_of("metrics.prometheus_on", "metrics.prometheus_allow")
@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({}, 401),
        ({"GNOMON__METRICS__PROMETHEUS_ALLOW": "127.0.0.1"}, 200),
        ({"GNOMON__METRICS__PROMETHEUS_ON": "False"}, 404),
    ],
)
def test_metrics_are_answered_where_and_to_whom_the_options_say(
    options: dict[str, str], status: int, tmp_path: Path
) -> None:
    cfg = load_config(options, tmp_path)
    create_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with served(context) as client:
        assert client.request("GET", "/metrics").status == status
    context.close()


@effect_of("api.trusted_proxies")
@pytest.mark.parametrize(("trusted", "status"), [("127.0.0.1", 200), ("", 401)])
def test_the_address_of_a_client_is_what_a_trusted_proxy_says(trusted: str, status: int, tmp_path: Path) -> None:
    cfg = load_config(
        {"GNOMON__API__TRUSTED_PROXIES": trusted, "GNOMON__METRICS__PROMETHEUS_ALLOW": "192.0.2.7"}, tmp_path
    )
    create_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with served(context) as client:
        assert client.request("GET", "/metrics", None, {"X-Forwarded-For": "192.0.2.7"}).status == status
    context.close()


@effect_of("traces.otel_host", "traces.otel_port", "traces.otel_ssl_active", "traces.otel_service")
def test_spans_are_sent_where_and_under_the_name_that_the_options_say(tmp_path: Path) -> None:
    with receiving() as receiver:
        host, port = "127.0.0.1", str(receiver.port)
        options = {
            "GNOMON__TRACES__OTEL_HOST": host,
            "GNOMON__TRACES__OTEL_PORT": port,
            "GNOMON__TRACES__OTEL_SERVICE": "deployment-7",
        }
        sender = OtlpSender(load_config(options, tmp_path), "1")
        assert sender.send([RunSpan(1, 2, 0, "run", NOW, NOW + 1, {})])
        sender.close()
        assert (len(receiver.spans), receiver.services) == (1, {"deployment-7"})
    assert (
        find_endpoint(load_config({"GNOMON__TRACES__OTEL_SSL_ACTIVE": "True"}, tmp_path))
        == "https://localhost:4318/v1/traces"
    )


@effect_of("traces.otel_on")
@pytest.mark.parametrize("on", [True, False])
def test_tasks_know_their_span_and_the_monitor_is_needed_while_traces_are_on(on: bool, tmp_path: Path) -> None:
    cfg = options_of(tmp_path, traces__otel_on=on)
    set_current_config(cfg)
    assert is_monitor_needed(cfg) is on
    run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=NOW)
    attempt = Attempt(attempt_id="a", group_no=1, epoch=1, run=run, task_id="t", task_no=0, file="/d.py")
    ti = RuntimeTaskInstance(task=None, attempt=attempt, channel=None)  # type: ignore[arg-type]
    expected = format_traceparent(compute_trace_id("gnomon", "d", "r", 1), compute_attempt_span_id("a"))
    assert ti.context_carrier == ({"traceparent": expected} if on else {})
