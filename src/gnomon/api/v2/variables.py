"""Variables. Values under sensitive names are masked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import Field

from gnomon.api.access.permissions import CurrentAuthor, requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import sort_entries
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import ApiUnsupported, Refusal
from gnomon.api.common.text_patterns import matches_pattern, starts_with
from gnomon.api.common.update_masks import read_changes
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.bulk_changes import BulkTarget, change_in_bulk
from gnomon.api.v2.schemas.bulk_shapes import BulkBody, BulkResponse
from gnomon.api.v2.schemas.variables_shapes import VariableBody, VariableCollectionResponse, VariableResponse
from gnomon.changes.actions.admin_changes import AdminChanges
from gnomon.model.sentences import say
from gnomon.queries.report.listings.masked_values import mask_variable
from gnomon.queries.report.listings.not_found import variable_not_found
from gnomon.storage.store import Transaction
from gnomon.storage.store.admin import variables
from gnomon.storage.store.admin.variables import StoredVariable

router = OperationRouter(prefix="/variables", tags=["Variable"])
_READ = requires(Permission.READ, ApiResource.VARIABLE)


class VariableFilters(PageParameters):
    """The parameters of the list."""

    order_by: list[str] = Field([])
    variable_key_pattern: str | None = None
    variable_key_prefix_pattern: str | None = None


_ORDER: dict[str, Any] = {
    "id": lambda variable: variable.key,
    "key": lambda variable: variable.key,
    "_val": lambda variable: _build(variable).value,
    "description": lambda variable: variable.description,
    "is_encrypted": lambda _one: True,
}


@router.get("", dependencies=[_READ])
def get_variables(filters: Annotated[VariableFilters, Query()], context: Context) -> VariableCollectionResponse:
    """Variables, by key."""
    with context.database.read() as tx:
        stored = variables.list_variables(tx)
    chosen = [
        variable
        for variable in stored
        if matches_pattern(variable.key, filters.variable_key_pattern)
        and starts_with(variable.key, filters.variable_key_prefix_pattern)
    ]
    ordered = sort_entries(chosen, filters.order_by, _ORDER, "key")
    return VariableCollectionResponse(
        variables=[_build(variable) for variable in cut_page(ordered, filters)], total_entries=len(ordered)
    )


@router.post("", status_code=201, dependencies=[requires(Permission.CREATE, ApiResource.VARIABLE)])
def post_variable(body: VariableBody, context: Context, author: CurrentAuthor) -> VariableResponse:
    """Add a Variable. A value that is no text is stored as JSON."""
    context.database.bind_key()
    with context.database.write() as tx:
        if variables.find_variable(tx, body.key) is not None:
            raise Refusal(409, say("name_exists", thing="Variable", name=body.key))
        _create(AdminChanges(tx, author), body)
        return _build(_find(tx, body.key))


@router.get("/{variable_key}", dependencies=[_READ])
def get_variable(variable_key: Id, context: Context) -> VariableResponse:
    """One Variable."""
    with context.database.read() as tx:
        return _build(_find(tx, variable_key))


@router.patch("/{variable_key}", dependencies=[requires(Permission.EDIT, ApiResource.VARIABLE)])
def patch_variable(
    variable_key: Id,
    body: VariableBody,
    context: Context,
    author: CurrentAuthor,
    update_mask: Annotated[list[str] | None, Query()] = None,
) -> VariableResponse:
    """Change the value or the description of a Variable. A secret that is masked, as an answer shows it, stays as it was."""
    if body.key != variable_key:
        raise Refusal(400, say("body_names_other_thing", thing="Variable", name=body.key, text=variable_key))
    context.database.bind_key()
    with context.database.write() as tx:
        _change(AdminChanges(tx, author), body, update_mask)
        return _build(_find(tx, variable_key))


@router.patch("", dependencies=[requires(Permission.EDIT, ApiResource.VARIABLE)])
def bulk_variables(body: BulkBody[VariableBody], context: Context, author: CurrentAuthor) -> BulkResponse:
    """Create, change and delete Variables."""
    context.database.bind_key()
    return change_in_bulk(
        context.database,
        body,
        BulkTarget(
            "Variable",
            lambda entity: entity.key,
            lambda tx, key: variables.find_variable(tx, key) is not None,
            lambda tx, entity: _create(AdminChanges(tx, author), entity),
            lambda tx, entity, mask: _change(AdminChanges(tx, author), entity, mask),
            lambda tx, key: AdminChanges(tx, author).delete_variable(key),
        ),
    )


@router.delete("/{variable_key}", status_code=204, dependencies=[requires(Permission.DELETE, ApiResource.VARIABLE)])
def delete_variable(variable_key: Id, context: Context, author: CurrentAuthor) -> Response:
    """Delete a Variable."""
    with context.database.write() as tx:
        _find(tx, variable_key)
        AdminChanges(tx, author).delete_variable(variable_key)
    return Response(status_code=204)


def _create(changes: AdminChanges, body: VariableBody) -> None:
    _check_team(body.team_name)
    changes.set_variable(body.key, _encode(body.value), body.description)


def _change(changes: AdminChanges, body: VariableBody, update_mask: Sequence[str] | None) -> None:
    _check_team(body.team_name)
    fields = read_changes(body, update_mask)
    before = _find(changes.tx, body.key)
    description = (fields["description"] or "") if "description" in fields else None  # null deletes it
    changes.set_variable(body.key, _encode(fields["value"]) if "value" in fields else before.value, description)


def _check_team(team_name: str | None) -> None:
    if team_name is not None:
        raise ApiUnsupported(say("no_teams_exist"))


def _encode(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _find(tx: Transaction, key: str) -> StoredVariable:
    variable = variables.find_variable(tx, key)
    if variable is None:
        raise variable_not_found(key, variables.list_variable_keys(tx))
    return variable


def _build(stored: StoredVariable) -> VariableResponse:
    """The Variable; the value of a sensitive key is masked, and values under sensitive names in JSON. Lists are ordered by what is shown."""
    return VariableResponse(
        key=stored.key,
        value=mask_variable(stored, recodes_objects=True),
        description=stored.description or None,
        is_encrypted=True,
        team_name=None,
    )
