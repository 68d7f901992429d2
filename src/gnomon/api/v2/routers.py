"""All routers of `/api/v2`. Where a fixed path and one with an id could both match, the fixed one comes first."""

from __future__ import annotations

from fastapi import APIRouter

from gnomon.api.v2 import (
    backfill_changes,
    configuration,
    connections,
    dag_information,
    dag_parsing,
    dag_run_changes,
    dag_run_wait,
    dag_runs,
    dags,
    event_logs,
    import_errors,
    jobs,
    logs,
    monitor,
    pools,
    task_instance_changes,
    task_instances,
    tasks,
    variables,
    xcoms,
)
from gnomon.api.v2.unsupported import create_unsupported_router

ROUTERS = (
    monitor.router, dags.router, dag_runs.router, dag_run_changes.router, dag_run_wait.router, logs.router, xcoms.router, dag_parsing.router,
    create_unsupported_router(), task_instances.router, task_instance_changes.router, tasks.router, import_errors.router, dag_information.router,
    event_logs.router, pools.router, variables.router, connections.router, configuration.router, jobs.router,
    backfill_changes.router,
)  # fmt: skip


def create_v2_router() -> APIRouter:
    """One router with all operations of Airflow's API that Gnomon has."""
    root = APIRouter()
    for router in ROUTERS:
        root.include_router(router)
    return root
