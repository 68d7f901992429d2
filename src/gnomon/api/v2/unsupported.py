"""Operations of Airflow's API that answer 501: what Gnomon has no counterpart of, with the reason, and what it does not have yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fastapi import APIRouter

from gnomon.api.access.permissions import requires
from gnomon.api.access.policies import ApiResource, Permission
from gnomon.api.common.errors import ApiUnsupported

_INSTANCE = "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}"
_FAVOURITES = "accounts have no favourites yet"
_BULK = "bulk changes are not there yet; change one object at a time"
_LATER = "not there yet"
_PERMISSIONS = {"GET": Permission.READ, "POST": Permission.CREATE, "PUT": Permission.EDIT, "PATCH": Permission.EDIT, "DELETE": Permission.DELETE}


@dataclass(frozen=True, slots=True)
class UnsupportedOperation:
    """One operation of Airflow's document, without the prefix `/api/v2`."""

    method: str
    path: str
    resource: ApiResource
    reason: str
    is_planned: bool = False
    """It will have an answer."""


def _plan(method: str, path: str, resource: ApiResource, reason: str = _LATER) -> UnsupportedOperation:
    return UnsupportedOperation(method, path, resource, reason, is_planned=True)


UNSUPPORTED = (
    UnsupportedOperation("DELETE", _INSTANCE, ApiResource.TASK_INSTANCE, "the owner of a run derives its task instances from the DAG; clear one, or mark it"),
    UnsupportedOperation("GET", _INSTANCE + "/externalLogUrl/{try_number}", ApiResource.TASK_LOG, "no log handler with pages of its own is used: the log is here"),
    UnsupportedOperation("POST", "/connections/defaults", ApiResource.CONNECTION, "Gnomon brings no default connections"),
    UnsupportedOperation("POST", "/connections/enqueue-test", ApiResource.CONNECTION, "workers test no connections; gnomon connections test runs a test"),
    UnsupportedOperation("GET", "/connections/enqueue-test", ApiResource.CONNECTION, "workers test no connections; gnomon connections test runs a test"),
    UnsupportedOperation("POST", "/dags/{dag_id}/clearPartitions", ApiResource.DAG_RUN, "the partition of a run is a part of it; clear the run instead"),
    _plan("POST", "/dags/{dag_id}/favorite", ApiResource.DAG, _FAVOURITES),
    _plan("POST", "/dags/{dag_id}/unfavorite", ApiResource.DAG, _FAVOURITES),
    _plan("PATCH", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", ApiResource.TASK_INSTANCE, _BULK),
    _plan("POST", "/dags/{dag_id}/clearDagRuns", ApiResource.DAG_RUN, _BULK),
    _plan("PATCH", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}", ApiResource.TASK_INSTANCE),
    _plan("PATCH", "/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}/dry_run", ApiResource.TASK_INSTANCE),
    _plan("GET", "/assets", ApiResource.ASSET),
    _plan("GET", "/assets/aliases", ApiResource.ASSET),
    _plan("GET", "/assets/aliases/{asset_alias_id}", ApiResource.ASSET),
    _plan("GET", "/assets/events", ApiResource.ASSET),
    _plan("POST", "/assets/events", ApiResource.ASSET),
    _plan("POST", "/assets/{asset_id}/materialize", ApiResource.ASSET),
    _plan("GET", "/assets/{asset_id}/queuedEvents", ApiResource.ASSET),
    _plan("DELETE", "/assets/{asset_id}/queuedEvents", ApiResource.ASSET),
    _plan("GET", "/assets/{asset_id}", ApiResource.ASSET),
    _plan("GET", "/dags/{dag_id}/assets/queuedEvents", ApiResource.ASSET),
    _plan("DELETE", "/dags/{dag_id}/assets/queuedEvents", ApiResource.ASSET),
    _plan("GET", "/dags/{dag_id}/assets/{asset_id}/queuedEvents", ApiResource.ASSET),
    _plan("DELETE", "/dags/{dag_id}/assets/{asset_id}/queuedEvents", ApiResource.ASSET),
    _plan("GET", "/dags/{dag_id}/dagRuns/{dag_run_id}/upstreamAssetEvents", ApiResource.ASSET),
    _plan("GET", "/assets/{asset_id}/state-store", ApiResource.ASSET),
    _plan("DELETE", "/assets/{asset_id}/state-store", ApiResource.ASSET),
    _plan("GET", "/assets/{asset_id}/state-store/{key}", ApiResource.ASSET),
    _plan("PUT", "/assets/{asset_id}/state-store/{key}", ApiResource.ASSET),
    _plan("DELETE", "/assets/{asset_id}/state-store/{key}", ApiResource.ASSET),
    _plan("GET", _INSTANCE + "/state-store", ApiResource.TASK_INSTANCE),
    _plan("DELETE", _INSTANCE + "/state-store", ApiResource.TASK_INSTANCE),
    _plan("GET", _INSTANCE + "/state-store/{key}", ApiResource.TASK_INSTANCE),
    _plan("PUT", _INSTANCE + "/state-store/{key}", ApiResource.TASK_INSTANCE),
    _plan("PATCH", _INSTANCE + "/state-store/{key}", ApiResource.TASK_INSTANCE),
    _plan("DELETE", _INSTANCE + "/state-store/{key}", ApiResource.TASK_INSTANCE),
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
        raise ApiUnsupported(reason)

    return refuse
