"""The index of operations finds for every request the operation that the routers of the application find."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Match

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.access.permissions import list_operations
from gnomon.api.app import create_app
from gnomon.api.common.route_index import RouteIndex
from gnomon.api.context import ApiContext
from gnomon.api.execution import execution_routes
from gnomon.api.health import HealthSnapshot
from gnomon.api.own.own_routers import OWN_ROUTERS
from gnomon.api.v2.routers import ROUTERS
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config

pytestmark = pytest.mark.pure


def _list_all() -> Iterator[tuple[str, APIRoute]]:
    for prefix, routers in (("/api/v2", ROUTERS), ("/api/gnomon/v1", OWN_ROUTERS)):
        for route in list_operations(routers):
            yield prefix, route
    for route in execution_routes.router.routes:
        assert isinstance(route, APIRoute)
        yield "", route


def _build_path(pattern: str, value: str) -> str:
    return "/".join(value if segment.startswith("{") else segment for segment in pattern.split("/"))


@pytest.fixture
def index(tmp_path: Path) -> RouteIndex:
    app = create_app(
        ApiContext(load_config({}, tmp_path), VirtualClock(0), OpenAccess(), lambda: HealthSnapshot(0, ()))
    )
    return next(route for route in app.router.routes if isinstance(route, RouteIndex))


@pytest.mark.parametrize("value", ["a", "~", "list", "dags", "a.b:c+d e", "\ue000"])
def test_the_index_finds_what_the_routers_find(index: RouteIndex, value: str) -> None:
    """Also where a fixed path and one with a parameter match the same address."""
    routes = list(_list_all())
    asked = {
        (method, _build_path(prefix + route.path_format, value))
        for prefix, route in routes
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
    }
    by_match: dict[Match, int] = dict.fromkeys(Match, 0)
    for method, path in sorted(asked):
        matches = []
        for prefix, route in routes:
            if path.startswith(prefix):
                scope = {"type": "http", "method": method, "path": path[len(prefix) :], "root_path": ""}
                match, child_scope = route.matches(scope)
                if match is not Match.NONE:
                    matches.append((match, route, child_scope["path_params"]))
        expected = next((one for one in matches if one[0] is Match.FULL), matches[0])
        assert index.find(method, path) == expected[1:]
        found, _ = index.matches({"type": "http", "method": method, "path": path})
        assert found is expected[0]
        by_match[found] += 1
    assert by_match[Match.FULL] > 200
    assert by_match[Match.PARTIAL] > 200


@pytest.mark.parametrize(
    "path",
    [
        "/api/v2/dags/a/",
        "/api/v2/dags//dagRuns",
        "/api/v2//dags",
        "api/v2/dags",
        "/api/v2/nothing",
        "/api/v2/dags/a/b/c/d/e/f/g",
        "/",
        "",
    ],
)
def test_at_other_addresses_is_no_operation(index: RouteIndex, path: str) -> None:
    assert index.find("GET", path) is None
