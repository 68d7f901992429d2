"""All routers of `/api/v2`. Where a fixed path and one with an id could both match, the fixed one comes first."""

from __future__ import annotations

from gnomon.api.access.permissions import list_operations
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.v2 import (
    asset_events,
    asset_states,
    assets,
    backfill_changes,
    backfill_creation,
    configuration,
    connections,
    dag_information,
    dag_parsing,
    dag_run_bulk_changes,
    dag_run_changes,
    dag_run_clearing,
    dag_run_wait,
    dag_runs,
    dags,
    event_logs,
    favorites,
    hitl_details,
    import_errors,
    jobs,
    logins,
    logs,
    monitor,
    pools,
    queued_events,
    task_group_changes,
    task_instance_bulk_changes,
    task_instance_changes,
    task_instances,
    task_states,
    tasks,
    variables,
    xcoms,
)
from gnomon.api.v2.unsupported import create_unsupported_router

ROUTERS = (
    monitor.router,
    logins.router,
    dags.router,
    dag_runs.router,
    dag_run_changes.router,
    dag_run_wait.router,
    logs.router,
    xcoms.router,
    dag_parsing.router,
    create_unsupported_router(),
    task_states.router,
    hitl_details.router,
    task_instances.router,
    task_instance_changes.router,
    tasks.router,
    import_errors.router,
    dag_information.router,
    event_logs.router,
    pools.router,
    variables.router,
    connections.router,
    configuration.router,
    jobs.router,
    backfill_changes.router,
    backfill_creation.router,
    dag_run_bulk_changes.router,
    dag_run_clearing.router,
    task_group_changes.router,
    task_instance_bulk_changes.router,
    favorites.router,
    asset_states.router,
    asset_events.router,
    queued_events.router,
    assets.router,
)


def list_v2_routers() -> tuple[OperationRouter, ...]:
    """The routers of Airflow's API, as far as Gnomon has it. Raises InternalError when one of their operations declares no permission."""
    list_operations(ROUTERS)
    return ROUTERS
