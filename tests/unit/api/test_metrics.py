"""`/metrics`: valid for Prometheus' own parser, right, shut by default, and the same from every server."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families
from tests.databases import BOTH, create_schema, new_database
from tests.unit.api.served import Client, served
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.api.access.choose_policy import create_context
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.api.metrics.figures_reader import KEPT_S
from gnomon.api.metrics.server_figures import FIGURES_S
from gnomon.api.server_heartbeat import ApiServerHeartbeat
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import OptionError, load_config
from gnomon.ground.metrics import definitions
from gnomon.ground.metrics.definitions import DEPLOYMENT_METRICS, PROCESS_METRICS
from gnomon.model.accounts import Author, Role
from gnomon.model.baselines import BaselineForecast, BaselineLevel, BaselineRecord
from gnomon.model.instants import SECOND
from gnomon.queries.accounts import account_changes
from gnomon.queries.report.activity.deployment_figures import POOLS_MAX
from gnomon.storage.store.admin import pools
from gnomon.storage.store.alert_records import baseline_states
from gnomon.storage.store.coordination import deployment_counts
from gnomon.storage.store.coordination.service_figures import FORGOTTEN_AFTER_S
from gnomon.testing import Play

KINDS = {metric.name.removesuffix("_total"): metric for metric in (*PROCESS_METRICS, *DEPLOYMENT_METRICS)}


@pytest.fixture(params=BOTH)
def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployment]:
    with new_database(request.param, tmp_path) as url:
        clock = VirtualClock(NOW)
        options = {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "GNOMON__METRICS__PROMETHEUS_ALLOW": "127.0.0.1"}
        home = Home(load_config(options, tmp_path / "home"), clock, clock.advance)
        made = Deployment(home, clock)
        made.writes_figures = True
        yield made
        made.close()


def _context(deployment: Deployment, **options: str) -> ApiContext:
    home = deployment.home
    cfg = load_config(
        {
            "GNOMON__DATABASE__SQL_ALCHEMY_CONN": home.cfg.database_url,
            "GNOMON__METRICS__PROMETHEUS_ALLOW": "127.0.0.1",
            **options,
        },
        home.cfg.home,
    )
    return create_context(cfg, home.clock, "127.0.0.1", lambda: HealthSnapshot(NOW, ()))


def _scrape(client: Client, accept: str = "", headers: dict[str, str] | None = None) -> dict[str, Metric]:
    reply = client.request("GET", "/metrics", None, {"Accept": accept, **(headers or {})})
    assert reply.status == 200, reply
    parse = parse_openmetrics if "openmetrics" in (reply.kind or "") else text_string_to_metric_families
    return {family.name: family for family in parse(reply.body.decode())}


def _values(family: Metric, suffix: str = "", **labels: str) -> list[float]:
    return [
        one.value for one in family.samples if one.name == family.name + suffix and labels.items() <= one.labels.items()
    ]


def test_a_run_is_counted_where_it_was_and_how_long_it_took(deployment: Deployment) -> None:
    deployment.add(spec_of("etl", {"first": (), "second": ("first",)}))
    deployment.plays["first"] = Play(run_s=2.0)
    deployment.start()
    assert main(("dags", "trigger", "etl", "--run-id", "one"), obj=deployment.home) == 0
    deployment.move(1.0)
    context = _context(deployment)
    with served(context) as client:
        found = _scrape(client)
        assert _values(found["gnomon_runs"], state="running") == [1]
        assert _values(found["gnomon_task_instances"], state="running") == [1]
        assert _values(found["gnomon_pool_used_slots"], pool="default_pool") == [1]
        assert _values(found["gnomon_database_up"]) == [1]
        deployment.move(30.0)
        found = _scrape(client)
        assert _values(found["gnomon_runs"], state="success") == [1]
        assert _values(found["gnomon_task_instances"], state="running") == [0]
        attempts = found["gnomon_task_attempt_duration_seconds"]
        assert _values(attempts, "_count", state="success", service="scheduler") == [2]
        assert _values(attempts, "_sum", state="success") == [pytest.approx(3.0, abs=0.1)]
        assert _values(attempts, "_bucket", le="1.0", state="success") == [1]
        assert _values(found["gnomon_run_duration_seconds"], "_count", state="success") == [1]
        assert _values(found["gnomon_task_start_delay_seconds"], "_count") == [2]
        assert _values(found["gnomon_scheduler_groups"]) == [64]
        assert _values(
            found["gnomon_api_request_duration_seconds"], "_count", route="/metrics", status="2xx", method="GET"
        ) == [1]
    context.close()


def test_planned_runs_are_counted_with_their_delay_and_an_overdue_one_is_the_lag(deployment: Deployment) -> None:
    deployment.add(spec_of("hourly", timetable=HOURLY, catchup=False))
    deployment.clock.advance(3595.0)
    deployment.start()
    deployment.move(30.0)
    context = _context(deployment)
    with served(context) as client:
        found = _scrape(client)
        assert _values(found["gnomon_run_schedule_delay_seconds"], "_count") == [1]
        assert _values(found["gnomon_scheduler_lag_seconds"]) == [0]
        deployment.clock.advance(7200.0)  # and no scheduler that does anything
        found = _scrape(client)
        assert _values(found["gnomon_overdue_dags"]) == [1]
        assert _values(found["gnomon_scheduler_lag_seconds"])[0] > 3600
        if deployment.db.dialect == "sqlite":  # PostgreSQL judges heartbeats by its own clock
            assert _values(found["gnomon_service_up"], service="scheduler") == [0]
    context.close()


@pytest.mark.parametrize("accept", ["", "application/openmetrics-text; version=1.0.0"])
def test_names_types_and_help_texts_are_the_declared_ones(deployment: Deployment, accept: str) -> None:
    deployment.start()
    context = _context(deployment)
    with served(context) as client:
        found = _scrape(client, accept)
    assert len(found) > 25
    for name, family in found.items():
        declared = KINDS[name]
        assert (family.type, family.documentation) == (declared.kind.value, declared.help)
        wanted = {*declared.labels, *(("service", "process") if declared in PROCESS_METRICS else ())}
        assert all(wanted == set(sample.labels) - {"le"} for sample in family.samples), name
    context.close()


def test_each_server_shows_the_requests_of_the_others_once(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ApiServerHeartbeat, "beat", lambda _self: None)  # it would write the figures when it likes
    one, two = _context(deployment), _context(deployment)
    for context in (one, two):  # the end of a request would write too, and it comes after the client has the answer
        monkeypatch.setattr(context.server_figures, "_begin_at", math.inf)
    with served(one) as first, served(two) as second:
        deployment.clock.advance(2 * FIGURES_S)
        for _ in range(3):
            assert first.request("GET", "/health").status == 200
        first.request("GET", "/made/up/by/a/client")
        one.server_figures._write()
        requests = _scrape(second)["gnomon_api_request_duration_seconds"]
        assert _values(requests, "_count", route="/health", process=one.server_figures.process_id) == [3]
        assert _values(requests, "_count", route="none", status="4xx") == [1]
        assert _values(_scrape(first)["gnomon_api_request_duration_seconds"], "_count", route="/health") == [3]
        if deployment.db.dialect == "sqlite":  # PostgreSQL forgets by its own clock
            deployment.clock.advance(FORGOTTEN_AFTER_S + 1)
            assert _values(_scrape(second)["gnomon_api_request_duration_seconds"], "_count", route="/health") == []
    one.close()
    two.close()


def test_requests_of_one_route_have_one_label(deployment: Deployment) -> None:
    context = _context(deployment, GNOMON__API__AUTH="none")
    with served(context) as client:
        for dag_id in ("a", "b", "c"):
            assert client.request("GET", f"/api/v2/dags/{dag_id}").status == 404
        found = _scrape(client)["gnomon_api_request_duration_seconds"]
        labels = {sample.labels["route"] for sample in found.samples}
    assert labels == {"/api/v2/dags/{dag_id}"}
    context.close()


def test_many_pools_are_added_under_one_label(deployment: Deployment) -> None:
    with deployment.db.write() as tx:
        for number in range(POOLS_MAX + 10):
            pools.set_pool(tx, f"pool{number:04}", 2)
    context = _context(deployment)
    with served(context) as client:
        found = _scrape(client)["gnomon_pool_slots"]
    assert len(found.samples) == POOLS_MAX + 1
    assert _values(found, pool="other") == [22]
    context.close()


def test_figures_are_kept_for_a_moment_and_longer_if_they_were_dear(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = _context(deployment)
    reads = []
    count = deployment_counts.count_messages

    def read(tx: object) -> int:
        reads.append(1)
        deployment.clock.advance(0.5)
        return count(tx)  # type: ignore[arg-type]

    monkeypatch.setattr(deployment_counts, "count_messages", read)
    with served(context) as client:
        _scrape(client)
        deployment.clock.advance(KEPT_S + 1)
        _scrape(client)
        assert len(reads) == 1
        deployment.clock.advance(8.0)
        _scrape(client)
        assert len(reads) == 2
    context.close()


def test_a_database_that_is_away_is_a_figure_and_no_error(tmp_path: Path) -> None:
    cfg = load_config({"GNOMON__METRICS__PROMETHEUS_ALLOW": "127.0.0.0/8"}, tmp_path)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with served(context) as client:
        found = _scrape(client)
        assert _values(found["gnomon_database_up"]) == [0]
        assert "gnomon_runs" not in found
        assert "gnomon_process_cpu_seconds" in found
    context.close()


def test_without_a_network_that_is_named_a_token_is_needed(deployment: Deployment) -> None:
    context = _context(deployment, GNOMON__METRICS__PROMETHEUS_ALLOW="")
    author = Author("cli:root", NOW)
    with deployment.db.write() as tx:
        viewer = account_changes.create_account(tx, author, "viewer", Role.VIEWER, None)
        nobody = account_changes.create_account(tx, author, "nobody", Role.NONE, None)
    tokens = {account.name: context.authenticator.signer.sign(account, NOW, 3600) for account in (viewer, nobody)}
    with served(context) as client:
        assert client.request("GET", "/metrics").status == 401
        assert client.request("GET", "/metrics", None, {"Authorization": f"Bearer {tokens['nobody']}"}).status == 403
        assert _scrape(client, headers={"Authorization": f"Bearer {tokens['viewer']}"})
    context.close()


@pytest.mark.parametrize(
    ("options", "headers", "status"),
    [
        ({}, {"X-Forwarded-For": "198.51.100.9"}, 401),  # a proxy of this machine passes on whatever comes
        ({}, {"X-Forwarded-For": "127.0.0.1"}, 401),
        ({}, {"X-Forwarded-For": ""}, 401),
        ({}, {"X-Real-IP": "198.51.100.9"}, 401),
        ({}, {"Via": "1.1 proxy"}, 401),
        ({}, {"Forwarded": "for=198.51.100.9"}, 401),
        ({}, {}, 200),
        ({"GNOMON__API__TRUSTED_PROXIES": "127.0.0.1"}, {"X-Forwarded-For": "198.51.100.9"}, 401),
        ({"GNOMON__API__TRUSTED_PROXIES": "127.0.0.1"}, {"X-Forwarded-For": "127.0.0.1, 198.51.100.9"}, 401),
        (
            {"GNOMON__API__TRUSTED_PROXIES": "127.0.0.1", "GNOMON__METRICS__PROMETHEUS_ALLOW": "198.51.100.0/24"},
            {"X-Forwarded-For": "198.51.100.9"},
            200,
        ),
        ({"GNOMON__METRICS__PROMETHEUS_ALLOW": "198.51.100.0/24"}, {"X-Forwarded-For": "198.51.100.9"}, 401),
        ({"GNOMON__METRICS__PROMETHEUS_ALLOW": "198.51.100.0/24"}, {}, 401),
    ],
)
def test_a_network_that_is_named_means_the_client_and_not_a_proxy(
    tmp_path: Path, options: dict[str, str], headers: dict[str, str], status: int
) -> None:
    cfg = load_config({"GNOMON__METRICS__PROMETHEUS_ALLOW": "127.0.0.1", **options}, tmp_path)
    create_schema(cfg.database_url)
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with served(context) as client:
        assert client.request("GET", "/metrics", None, headers).status == status
    context.close()


def test_metrics_can_be_switched_off(tmp_path: Path) -> None:
    cfg = load_config(
        {"GNOMON__METRICS__PROMETHEUS_ON": "False", "GNOMON__METRICS__PROMETHEUS_ALLOW": "127.0.0.1"}, tmp_path
    )
    context = create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with served(context) as client:
        reply = client.request("GET", "/metrics")
        assert (reply.status, reply.json()["detail"]) == (
            404,
            "there are no metrics here: [metrics] prometheus_on is False",
        )
    context.close()


def test_what_is_no_network_is_an_error_at_the_start(tmp_path: Path) -> None:
    cfg = load_config({"GNOMON__METRICS__PROMETHEUS_ALLOW": "10.0.0.0/8, everybody"}, tmp_path)
    with pytest.raises(OptionError, match=r"\[metrics\] prometheus_allow .* has 'everybody', which is no network"):
        create_context(cfg, VirtualClock(NOW), "127.0.0.1", lambda: HealthSnapshot(NOW, ()))


def test_a_scheduler_that_ends_leaves_no_figures(deployment: Deployment) -> None:
    deployment.start()
    service = deployment._service
    assert service is not None
    context = _context(deployment)
    with served(context) as client:
        assert definitions.GROUPS.name in _scrape(client)
        service.run(lambda: True)
        deployment.clock.advance(KEPT_S + 1)
        assert definitions.GROUPS.name not in _scrape(client)
    context.close()


def test_a_baseline_has_its_probability_and_its_ends_at_the_due_time_that_matters_now(deployment: Deployment) -> None:
    hour = 3600 * SECOND
    with deployment.db.write() as tx:
        for due_at, breach in ((NOW + 2 * hour, 0.9), (NOW + hour, 0.25), (NOW - hour, 0.5)):
            forecast = BaselineForecast(due_at=due_at, at=NOW, breach=breach, end_p50=due_at - 60 * SECOND)
            level = BaselineLevel.MET if due_at < NOW else BaselineLevel.AT_RISK
            baseline_states.put_state(tx, BaselineRecord("morning", due_at, level, NOW, forecast))
    context = _context(deployment)
    with served(context) as client:
        figures = _scrape(client)
    context.close()
    assert _values(figures["gnomon_baseline_breach_probability"], baseline="morning") == [0.25]
    ends = figures["gnomon_forecast_end_seconds"]
    assert _values(ends, baseline="morning", quantile="0.5") == [(NOW + hour) / SECOND - 60]
    assert _values(ends, baseline="morning", quantile="0.9") == []
