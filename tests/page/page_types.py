"""Writes `web/src/api/schema.d.ts`, the types of the API's answers, from its OpenAPI document: `python -m tests.page.page_types`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from fastapi import FastAPI
from tests.page.page_tools import WEB, run_node

from gnomon.api.auth import account_routes, session_routes, view_routes
from gnomon.api.common.route_index import RouteIndex
from gnomon.api.own.own_routers import include_own
from gnomon.api.v2.routers import include_v2

TYPES = WEB / "src" / "api" / "schema.d.ts"


def write_types(target: Path) -> None:
    """Write the types to a file."""
    app = FastAPI(title="Gnomon", version="0")
    include_v2(app, RouteIndex(), "/api/v2")
    include_own(app, RouteIndex(), "/api/gnomon/v1")
    app.include_router(session_routes.router)
    app.include_router(account_routes.router)
    app.include_router(view_routes.router)
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder) / "openapi.json"
        document.write_text(json.dumps(app.openapi()))
        run_node("node_modules/openapi-typescript/bin/cli.js", str(document), "-o", str(target))


if __name__ == "__main__":
    write_types(TYPES)
