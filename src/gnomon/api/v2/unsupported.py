"""Operations of Airflow's API that answer 501: what Gnomon has no counterpart of, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.api.access.permissions import requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.refusals import ApiUnsupported
from gnomon.api.policies import ApiResource, Permission
from gnomon.model.sentences import say

_INSTANCE = "/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}"
NO_DELETION = "instances_are_derived"
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
    code: str
    """Of the sentence with the reason."""


UNSUPPORTED = (
    UnsupportedOperation("DELETE", _INSTANCE, ApiResource.TASK_INSTANCE, NO_DELETION),
    UnsupportedOperation(
        "GET",
        _INSTANCE + "/externalLogUrl/{try_number}",
        ApiResource.TASK_LOG,
        "logs_have_no_other_pages",
    ),
    UnsupportedOperation("POST", "/connections/defaults", ApiResource.CONNECTION, "no_default_connections_exist"),
    UnsupportedOperation(
        "POST",
        "/connections/enqueue-test",
        ApiResource.CONNECTION,
        "workers_test_no_connections",
    ),
    UnsupportedOperation(
        "GET",
        "/connections/enqueue-test",
        ApiResource.CONNECTION,
        "workers_test_no_connections",
    ),
    UnsupportedOperation(
        "POST",
        "/dags/{dag_id}/clearPartitions",
        ApiResource.DAG_RUN,
        "partition_is_part_of_run",
    ),
)


def create_unsupported_router() -> OperationRouter:
    """Routes that answer 501 with the reason. They are not in the OpenAPI document."""
    router = OperationRouter()
    for operation in UNSUPPORTED:
        router.add_api_route(
            operation.path,
            _create_answer(operation.code),
            methods=[operation.method],
            include_in_schema=False,
            dependencies=[requires(_PERMISSIONS[operation.method], operation.resource)],
        )
    return router


def _create_answer(code: str) -> Callable[[], None]:
    def refuse() -> None:
        raise ApiUnsupported(say(code))

    return refuse
