"""All routers of `/api/gnomon/v1`."""

from __future__ import annotations

from fastapi import FastAPI

from gnomon.api.access.permissions import list_operations
from gnomon.api.own import (
    dependencies,
    events,
    explanations,
    forecasts,
    grids,
    operation_routes,
    pool_use,
    services,
    timetables,
    work,
)

OWN_ROUTERS = (
    explanations.router, forecasts.router, grids.router, work.router, dependencies.router, services.router, events.router, timetables.router,
    pool_use.router, operation_routes.router,
)  # fmt: skip


def include_own(app: FastAPI, prefix: str) -> None:
    """Add all operations of Gnomon's own API. Raises InternalError when one declares no permission."""
    list_operations(OWN_ROUTERS)
    for router in OWN_ROUTERS:
        app.include_router(router, prefix=prefix)
