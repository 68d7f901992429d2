"""Questions of the running task to people: kept here until the task waits for the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

import msgspec

from gnomon.authoring.sdk.arguments.notset import is_given
from gnomon.authoring.sdk.arguments.params import find_param_fault
from gnomon.model.hitl import HITLRequest, HITLRespondent


class HITLUser(TypedDict):
    """A person who may answer a question."""

    id: str
    name: str


_requests: dict[str, HITLRequest] = {}
"""By the id of the task instance."""


def upsert_hitl_detail(
    ti_id: Any,
    options: list[str],
    subject: str,
    body: str | None = None,
    defaults: list[str] | None = None,
    multiple: bool = False,
    params: Mapping[str, Any] | None = None,
    assigned_users: Iterable[HITLUser] | None = None,
) -> None:
    """Ask a question. It is shown to people when the task waits for the answer, by TaskAwaitingInput or a HITLTrigger.

    `ti_id`: `context["ti"].id`. Raises TypeError for params that are not plain JSON.
    """
    _requests[str(ti_id)] = make_hitl_request(
        subject=subject,
        options=options,
        body=body,
        defaults=defaults,
        multiple=multiple,
        params=params or {},
        assigned_users=assigned_users or (),
    )


def take_hitl_request(ti_id: Any) -> HITLRequest | None:
    """Return the question that the task instance asked, and forget it; None when it asked none."""
    return _requests.pop(str(ti_id), None)


def make_hitl_request(
    *,
    subject: str,
    options: Iterable[str],
    body: str | None,
    defaults: Iterable[str] | None,
    multiple: bool,
    params: Mapping[str, Any],
    assigned_users: Iterable[HITLUser],
) -> HITLRequest:
    """Return the question as a record."""
    return HITLRequest(
        subject=str(subject),
        options=tuple(map(str, options)),
        body=None if body is None else str(body),
        defaults=None if defaults is None else tuple(map(str, defaults)),
        multiple=bool(multiple),
        params={str(name): _make_param(name, param) for name, param in params.items()},
        assigned_users=tuple(HITLRespondent(str(user["id"]), str(user["name"])) for user in assigned_users),
    )


def _make_param(name: str, param: Any) -> dict[str, object]:
    """`value`, `description` and `schema` of a param that `Param.serialize` wrote, or of a plain value."""
    is_serialized = isinstance(param, Mapping) and {"value", "schema"} <= set(param)
    fields: dict[str, Any] = dict(param) if is_serialized else {"value": param, "schema": {}}
    serialized = {
        "value": fields["value"],
        "description": fields.get("description"),
        "schema": dict(fields["schema"] or {}),
    }
    if not is_given(serialized["value"]):
        del serialized["value"]
    if (fault := find_param_fault(serialized)) is not None:
        raise TypeError(f"params[{name!r}]: {fault}")
    plain: dict[str, object] = msgspec.to_builtins(serialized)
    return plain
