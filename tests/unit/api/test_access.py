"""Who may call what: the policy of an address, the permission of every route, and a server on a network."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import APIRouter, FastAPI
from tests.unit.api.served import served

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.access.permissions import check_routes, list_operations
from gnomon.api.app import API_PREFIX, create_app
from gnomon.api.context import ApiContext
from gnomon.api.health import ComponentHealth, HealthSnapshot, HealthStatus
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.ground.config.network_address import is_loopback
from gnomon.model.errors.product import InternalError


@pytest.mark.parametrize(
    ("host", "is_open"),
    [
        ("127.0.0.1", True),
        ("127.8.0.1", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("fe80::1%eth0", False),
        ("::ffff:10.0.0.1", False),
        ("localhost", False),
        ("", False),
    ],
)
def test_only_a_loopback_address_can_be_open(host: str, is_open: bool) -> None:
    assert is_loopback(host) is is_open


PARTS = tuple(
    ComponentHealth(name, f"latest_{name}_heartbeat", HealthStatus.HEALTHY, 0)
    for name in ("metadatabase", "scheduler", "triggerer")
)


@pytest.fixture
def context(tmp_path: Path) -> ApiContext:
    return ApiContext(load_config({}, tmp_path), VirtualClock(0), OpenAccess(), lambda: HealthSnapshot(0, ()))


def test_a_route_without_a_permission_is_refused_at_the_start(context: ApiContext) -> None:
    app = create_app(context)

    @app.get(f"{API_PREFIX}/v2/open")
    def open_to_all() -> None: ...

    with pytest.raises(InternalError, match="route /api/v2/open declares no permission"):
        check_routes(app, API_PREFIX)
    other = FastAPI()
    other.mount(f"{API_PREFIX}/x", FastAPI())
    with pytest.raises(InternalError, match="/api/x"):
        check_routes(other, API_PREFIX)


def test_a_router_with_a_route_without_a_permission_is_refused_too() -> None:
    """Newer releases of FastAPI do not list the routes of an included router as routes of the application."""
    router = APIRouter()

    @router.get("/open")
    def open_to_all() -> None: ...

    with pytest.raises(InternalError, match="route /open declares no permission"):
        list_operations([router])
    outer = APIRouter()
    outer.mount("/x", FastAPI())
    with pytest.raises(InternalError, match="/x"):
        list_operations([outer])


def test_a_crash_tells_nothing_and_has_the_headers_of_every_answer(
    context: ApiContext, caplog: pytest.LogCaptureFixture
) -> None:
    def crash() -> HealthSnapshot:
        raise ZeroDivisionError("inner detail")

    context.read_health = crash
    with served(context) as client:
        reply = client.request("GET", "/health")
    assert (reply.status, reply.json()["detail"]) == (
        500,
        "an internal error; the log of the api-server has the details",
    )
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert next(record.message for record in caplog.records if record.levelname == "ERROR") == "request_failed"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "e{vil.example", 'e"vil.example:80', "evil.example:", "localhost@evil.example", "[::2]", "["],
)
@pytest.mark.parametrize("path", ["/", "/dags/a", "/services/plain", "/no/such/page", "/api/v2/dags"])
def test_without_accounts_a_request_that_names_another_host_is_refused(
    context: ApiContext, host: str, path: str
) -> None:
    """A page whose name leads to this machine reads every answer. Browsers permit names that Starlette does not take for names."""
    with served(context) as client:
        reply = client.request("GET", path, headers={"Host": host, "Accept": "text/html"})
    assert (reply.status, b"only localhost" in reply.body) == (403, True)


def test_an_origin_that_is_no_address_is_that_of_another_site(context: ApiContext) -> None:
    with served(context) as client:
        reply = client.request("POST", "/api/v2/pools", {}, {"Origin": "http://["})
    assert (reply.status, reply.json()["detail"]) == (403, "the request comes from a page of another site")
