"""A route for each operation of `gnomon.changes.operations`, which the command line calls with `--api`.

An operation is `/operations/NAME`, one about a DAG `/dags/{dag_id}/operations/NAME`: GET with its arguments in the query for a read, POST with a
JSON object for a change. The permission of the operation is declared as for every other route, and the DAG in the path is checked with it.
"""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import msgspec
from fastapi import Body, Query
from pydantic import BeforeValidator, WrapValidator
from starlette.responses import Response

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.common.fault_limits import bound_faults
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.reader_language import word
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.unknown_fields import refuse_unknown_fields
from gnomon.api.context import Context
from gnomon.api.own.operation_access import ApiDags
from gnomon.api.own.timetables import PREVIEW_SLOTS
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.changes.operations.catalogue import list_operations
from gnomon.changes.operations.operation import DAG_ID, Operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.queries.report.listings.alert_list import AlertRow, DeliveryRow

router = OperationRouter(tags=["Operation"])
_SLOTS = {
    "alerts.test": RequestSlots("tests of channels", 1),
    "timetables.show": PREVIEW_SLOTS,
    "timetables.list_runs": PREVIEW_SLOTS,
}
"""Operations that take long: how many of them are performed at the same time."""
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def add_route(operation: Operation[..., Any]) -> None:
    """Add the route of an operation to the router."""
    prefix = "/dags/{dag_id}/operations" if operation.is_about_dag else "/operations"
    slots = [_SLOTS[operation.name].require()] if operation.name in _SLOTS else []
    router.add_api_route(
        f"{prefix}/{operation.name}",
        _build_endpoint(operation),
        methods=["GET" if operation.is_read else "POST"],
        dependencies=[requires(Permission(operation.verb), ApiResource(operation.resource)), *slots],
        name=operation.name,
        description=inspect.getdoc(operation.function),
        response_model=operation.find_result_type(),
    )


def _build_endpoint(operation: Operation[..., Any]) -> Any:
    """A function with the arguments of the operation, as FastAPI reads them. Any: it has a signature of its own."""

    def endpoint(api_context: Context, api_user: CurrentUser, **arguments: Any) -> Response:
        if operation.is_about_dag:
            refuse_wildcard(DAG_ID, arguments[DAG_ID])
        scope = OperationScope(
            api_context.act_as(api_user),
            api_context.database,
            ApiDags(api_context, api_user),
            is_remote=True,
            task_logs_opener=lambda: api_context.task_logs,
        )
        result = _put_into_language(operation.function(scope, **arguments))
        return Response(msgspec.json.encode(result), media_type="application/json")

    own = list(inspect.signature(endpoint, eval_str=True).parameters.values())[:2]
    own = [parameter.replace(kind=_KEYWORD) for parameter in own]
    theirs = [_declare(operation, parameter) for parameter in operation.list_parameters()]
    endpoint.__signature__ = inspect.Signature([*own, *theirs])  # type: ignore[attr-defined]
    endpoint.__name__ = operation.name.replace(".", "_")
    endpoint.__doc__ = operation.function.__doc__
    return endpoint


def _put_into_language(result: Any) -> Any:
    """The rows of a result that hold stored sentences with the words of the reader's language."""
    if not isinstance(result, list):
        return result
    return [row.put_into(word) if isinstance(row, (AlertRow, DeliveryRow)) else row for row in result]


def _declare(operation: Operation[..., Any], parameter: inspect.Parameter) -> inspect.Parameter:
    """Where the argument is in the request: the DAG in the path, the others in the query of a read and in the body of a change."""
    if parameter.name == DAG_ID:
        return parameter.replace(annotation=Id, kind=_KEYWORD)
    if operation.is_read:
        return parameter.replace(annotation=Annotated[parameter.annotation, Query()], kind=_KEYWORD)
    checks = (WrapValidator(bound_faults), BeforeValidator(refuse_unknown_fields(parameter.annotation)))
    return parameter.replace(annotation=Annotated[parameter.annotation, *checks, Body(embed=True)], kind=_KEYWORD)


for _operation in list_operations():
    add_route(_operation)
