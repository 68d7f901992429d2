"""Operations of Airflow's API that answer 501: what Gnomon has no counterpart of, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.api.access.permissions import requires
from gnomon.api.common.errors import ApiUnsupported
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.policies import ApiResource, Permission

_INSTANCE = "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}"
NO_DELETION = "the owner of a run derives its task instances from the DAG; clear one, or mark it"
_PERMISSIONS = {
    "GET": Permission.READ,
    "POST": Permission.CREATE,
    "PUT": Permission.EDIT,
    "PATCH": Permission.EDIT,
    "DELETE": Permission.DELETE,
}


@dataclass(frozen=True, slots=True)
class UnsupportedOperation:
    """One operation of Airflow's document, without the prefix `/api/v2`."""

    method: str
    path: str
    resource: ApiResource
    reason: str


UNSUPPORTED = (
    UnsupportedOperation("DELETE", _INSTANCE, ApiResource.TASK_INSTANCE, NO_DELETION),
    UnsupportedOperation(
        "GET",
        _INSTANCE + "/externalLogUrl/{try_number}",
        ApiResource.TASK_LOG,
        "no log handler with pages of its own is used: the log is here",
    ),
    UnsupportedOperation(
        "POST", "/connections/defaults", ApiResource.CONNECTION, "Gnomon brings no default connections"
    ),
    UnsupportedOperation(
        "POST",
        "/connections/enqueue-test",
        ApiResource.CONNECTION,
        "workers test no connections; gnomon connections test runs a test",
    ),
    UnsupportedOperation(
        "GET",
        "/connections/enqueue-test",
        ApiResource.CONNECTION,
        "workers test no connections; gnomon connections test runs a test",
    ),
    UnsupportedOperation(
        "POST",
        "/dags/{dag_id}/clearPartitions",
        ApiResource.DAG_RUN,
        "the partition of a run is a part of it; clear the run instead",
    ),
)


def create_unsupported_router() -> OperationRouter:
    """Routes that answer 501 with the reason. They are not in the OpenAPI document."""
    router = OperationRouter()
    for operation in UNSUPPORTED:
        router.add_api_route(
            operation.path,
            _create_answer(operation.reason),
            methods=[operation.method],
            include_in_schema=False,
            dependencies=[requires(_PERMISSIONS[operation.method], operation.resource)],
        )
    return router


def _create_answer(reason: str) -> Callable[[], None]:
    def refuse() -> None:
        raise ApiUnsupported(reason)

    return refuse
