"""All routers of `/api/v2`."""

from __future__ import annotations

from fastapi import APIRouter

from gnomon.api.v2 import dag_runs, dags, monitor

ROUTERS = (monitor.router, dags.router, dag_runs.router)


def create_v2_router() -> APIRouter:
    """One router with all operations of Airflow's API that Gnomon has."""
    root = APIRouter()
    for router in ROUTERS:
        root.include_router(router)
    return root
