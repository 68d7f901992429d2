"""Operations of Airflow's API that answer 501: what Gnomon has no counterpart of, with the reason, and what it does not have yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fastapi import APIRouter

from gnomon.api.access.permissions import requires
from gnomon.api.access.policies import Permission, Resource
from gnomon.api.common.errors import NotSupported

_INSTANCE = "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}"
_FAVOURITES = "favourites belong to a user, and there are no accounts yet"
_BULK = "bulk changes are not there yet; change one object at a time"
_LATER = "not there yet"
_PERMISSIONS = {"GET": Permission.READ, "POST": Permission.CREATE, "PUT": Permission.EDIT, "PATCH": Permission.EDIT, "DELETE": Permission.DELETE}


@dataclass(frozen=True, slots=True)
class UnsupportedOperation:
    """One operation of Airflow's document, without the prefix `/api/v2`."""

    method: str
    path: str
    resource: Resource
    reason: str
    is_planned: bool = False
    """It will have an answer."""


def _plan(method: str, path: str, resource: Resource, reason: str = _LATER) -> UnsupportedOperation:
    return UnsupportedOperation(method, path, resource, reason, is_planned=True)


UNSUPPORTED = (
    UnsupportedOperation("DELETE", _INSTANCE, Resource.TASK_INSTANCE, "the owner of a run derives its task instances from the DAG; clear one, or mark it"),
    UnsupportedOperation("GET", _INSTANCE + "/externalLogUrl/{try_number}", Resource.TASK_LOG, "no log handler with pages of its own is used: the log is here"),
    UnsupportedOperation("POST", "/connections/defaults", Resource.CONNECTION, "Gnomon brings no default connections"),
    UnsupportedOperation("POST", "/connections/test", Resource.CONNECTION, "hooks of providers are author code, which never runs in the api-server; gnomon connections test runs one"),
    UnsupportedOperation("POST", "/connections/enqueue-test", Resource.CONNECTION, "workers test no connections; gnomon connections test runs a test"),
    UnsupportedOperation("GET", "/connections/enqueue-test", Resource.CONNECTION, "workers test no connections; gnomon connections test runs a test"),
    UnsupportedOperation("POST", "/dags/{dag_id}/clearPartitions", Resource.DAG_RUN, "the partition of a run is a part of it; clear the run instead"),
    _plan("POST", "/dags/{dag_id}/favorite", Resource.DAG, _FAVOURITES),
    _plan("POST", "/dags/{dag_id}/unfavorite", Resource.DAG, _FAVOURITES),
    _plan("PATCH", "/dags/{dag_id}/dagRuns", Resource.DAG_RUN, _BULK),
    _plan("PATCH", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", Resource.TASK_INSTANCE, _BULK),
    _plan("PATCH", "/connections", Resource.CONNECTION, _BULK),
    _plan("PATCH", "/pools", Resource.POOL, _BULK),
    _plan("PATCH", "/variables", Resource.VARIABLE, _BULK),
    _plan("POST", "/dags/{dag_id}/clearDagRuns", Resource.DAG_RUN, _BULK),
    _plan("PATCH", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}", Resource.TASK_INSTANCE),
    _plan("PATCH", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}/dry_run", Resource.TASK_INSTANCE),
    _plan("GET", "/assets", Resource.ASSET),
    _plan("GET", "/assets/aliases", Resource.ASSET),
    _plan("GET", "/assets/aliases/{asset_alias_id}", Resource.ASSET),
    _plan("GET", "/assets/events", Resource.ASSET),
    _plan("POST", "/assets/events", Resource.ASSET),
    _plan("POST", "/assets/{asset_id}/materialize", Resource.ASSET),
    _plan("GET", "/assets/{asset_id}/queuedEvents", Resource.ASSET),
    _plan("DELETE", "/assets/{asset_id}/queuedEvents", Resource.ASSET),
    _plan("GET", "/assets/{asset_id}", Resource.ASSET),
    _plan("GET", "/dags/{dag_id}/assets/queuedEvents", Resource.ASSET),
    _plan("DELETE", "/dags/{dag_id}/assets/queuedEvents", Resource.ASSET),
    _plan("GET", "/dags/{dag_id}/assets/{asset_id}/queuedEvents", Resource.ASSET),
    _plan("DELETE", "/dags/{dag_id}/assets/{asset_id}/queuedEvents", Resource.ASSET),
    _plan("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/upstreamAssetEvents", Resource.ASSET),
    _plan("GET", "/assets/{asset_id}/state-store", Resource.ASSET),
    _plan("DELETE", "/assets/{asset_id}/state-store", Resource.ASSET),
    _plan("GET", "/assets/{asset_id}/state-store/{key}", Resource.ASSET),
    _plan("PUT", "/assets/{asset_id}/state-store/{key}", Resource.ASSET),
    _plan("DELETE", "/assets/{asset_id}/state-store/{key}", Resource.ASSET),
    _plan("GET", _INSTANCE + "/state-store", Resource.TASK_INSTANCE),
    _plan("DELETE", _INSTANCE + "/state-store", Resource.TASK_INSTANCE),
    _plan("GET", _INSTANCE + "/state-store/{key}", Resource.TASK_INSTANCE),
    _plan("PUT", _INSTANCE + "/state-store/{key}", Resource.TASK_INSTANCE),
    _plan("PATCH", _INSTANCE + "/state-store/{key}", Resource.TASK_INSTANCE),
    _plan("DELETE", _INSTANCE + "/state-store/{key}", Resource.TASK_INSTANCE),
    _plan("GET", "/backfills", Resource.BACKFILL),
    _plan("POST", "/backfills", Resource.BACKFILL),
    _plan("POST", "/backfills/dry_run", Resource.BACKFILL),
    _plan("GET", "/backfills/{backfill_id}", Resource.BACKFILL),
    _plan("PUT", "/backfills/{backfill_id}/pause", Resource.BACKFILL),
    _plan("PUT", "/backfills/{backfill_id}/unpause", Resource.BACKFILL),
    _plan("PUT", "/backfills/{backfill_id}/cancel", Resource.BACKFILL),
    _plan("GET", _INSTANCE + "/{map_index}/hitlDetails", Resource.HITL_DETAIL),
    _plan("PATCH", _INSTANCE + "/{map_index}/hitlDetails", Resource.HITL_DETAIL),
    _plan("GET", _INSTANCE + "/{map_index}/hitlDetails/tries/{try_number}", Resource.HITL_DETAIL),
    _plan("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/hitlDetails", Resource.HITL_DETAIL),
    _plan("GET", "/auth/login", Resource.VERSION, "there are no accounts yet"),
    _plan("GET", "/auth/logout", Resource.VERSION, "there are no accounts yet"),
)  # fmt: skip


def create_unsupported_router() -> APIRouter:
    """Routes that answer 501 with the reason. They are not in the OpenAPI document."""
    router = APIRouter()
    for operation in UNSUPPORTED:
        router.add_api_route(
            operation.path, _create_answer(operation.reason), methods=[operation.method], include_in_schema=False,
            dependencies=[requires(_PERMISSIONS[operation.method], operation.resource)],
        )
    return router


def _create_answer(reason: str) -> Callable[[], None]:
    def refuse() -> None:
        raise NotSupported(reason)

    return refuse
