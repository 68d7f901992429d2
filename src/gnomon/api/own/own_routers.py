"""All routers of `/api/gnomon/v1`."""

from __future__ import annotations

from gnomon.api.access.permissions import list_operations
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.own import (
    asset_watchers,
    backfill_previews,
    backfills,
    baselines,
    calendars,
    dag_audit,
    dag_graph,
    dag_overviews,
    dag_settings,
    deferrals,
    dependencies,
    events,
    explanations,
    failures,
    forecasts,
    grids,
    limit_use,
    log_lines,
    name_searches,
    newest_forecast,
    operation_routes,
    options,
    pool_use,
    run_differences,
    run_lists,
    run_previews,
    run_tasks,
    run_timelines,
    services,
    slot_counts,
    slot_runs,
    structures,
    timelines,
    timetables,
    triggers,
    work,
)

OWN_ROUTERS = (
    explanations.router,
    forecasts.router,
    newest_forecast.router,
    baselines.router,
    grids.router,
    work.router,
    dependencies.router,
    services.router,
    events.router,
    timetables.router,
    pool_use.router,
    run_tasks.router,
    log_lines.router,
    calendars.router,
    run_previews.router,
    backfill_previews.router,
    backfills.router,
    dag_settings.router,
    dag_audit.router,
    dag_graph.router,
    slot_runs.router,
    slot_counts.router,
    asset_watchers.router,
    triggers.router,
    options.router,
    dag_overviews.router,
    timelines.router,
    failures.router,
    deferrals.router,
    limit_use.router,
    structures.router,
    run_timelines.router,
    run_differences.router,
    run_lists.router,
    name_searches.router,
    operation_routes.router,
)


def list_own_routers() -> tuple[OperationRouter, ...]:
    """The routers of Gnomon's own API. Raises InternalError when one of their operations declares no permission."""
    list_operations(OWN_ROUTERS)
    return OWN_ROUTERS
