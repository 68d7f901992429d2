"""Writes `web/src/api/schema.d.ts`, the types of the API's answers, from its OpenAPI document: `python -m tests.page.page_types`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from fastapi import FastAPI
from tests.page.page_tools import run_node
from web.node import WEB

from gnomon.api.auth import account_routes, session_routes, view_routes
from gnomon.api.own.own_routers import OWN_ROUTERS
from gnomon.api.v2.routers import ROUTERS

TYPES = WEB / "src" / "api" / "schema.d.ts"


def write_types(target: Path) -> None:
    """Write the types to a file."""
    app = FastAPI(title="Gnomon", version="0")
    for router in ROUTERS:
        app.include_router(router, prefix="/api/v2")
    for router in OWN_ROUTERS:
        app.include_router(router, prefix="/api/gnomon/v1")
    app.include_router(session_routes.router)
    app.include_router(account_routes.router)
    app.include_router(view_routes.router)
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder) / "openapi.json"
        document.write_text(json.dumps(app.openapi()))
        run_node("node_modules/openapi-typescript/bin/cli.js", str(document), "-o", str(target))


if __name__ == "__main__":
    write_types(TYPES)
