"""Errors of DAG files."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Query
from pydantic import Field

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import sort_entries
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.text_patterns import matches_pattern, starts_with
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission, User
from gnomon.api.v2.schemas.import_errors_shapes import ImportErrorCollectionResponse, ImportErrorResponse
from gnomon.ground.config.dag_bundles import DAGS_FOLDER_BUNDLE
from gnomon.model.instants import to_datetime
from gnomon.model.sentences import say
from gnomon.queries.report.listings.import_problems import HIDDEN_TEXT
from gnomon.storage.store import Transaction
from gnomon.storage.store.parsed_files.dag_files import (
    StoredImportError,
    list_files_of_errors,
    list_numbered_import_errors,
)

router = OperationRouter(prefix="/importErrors", tags=["Import Error"])
_READ = requires(Permission.READ, ApiResource.IMPORT_ERROR)


class ImportErrorFilters(PageParameters):
    """The parameters of the list."""

    order_by: list[str] = Field([])
    filename_pattern: str | None = None
    filename_prefix_pattern: str | None = None
    filename: str | None = None
    bundle_name: str | None = None


_ORDER = {
    "id": lambda error: error.import_error_id,
    "import_error_id": lambda error: error.import_error_id,
    "timestamp": lambda error: error.timestamp,
    "filename": lambda error: error.filename,
    "bundle_name": lambda error: error.bundle_name,
    "stacktrace": lambda error: error.stack_trace,
}


@router.get("", dependencies=[_READ])
def get_import_errors(
    filters: Annotated[ImportErrorFilters, Query()], context: Context, user: CurrentUser
) -> ImportErrorCollectionResponse:
    """The errors of all files."""
    with context.database.read() as tx:
        answers = [_build(number, error) for number, error in _list_visible(context, tx, user).items()]
    chosen = [
        answer
        for answer in answers
        if filters.bundle_name in (None, answer.bundle_name)
        and filters.filename in (None, answer.filename)
        and matches_pattern(answer.filename, filters.filename_pattern)
        and starts_with(answer.filename, filters.filename_prefix_pattern)
    ]
    ordered = sort_entries(chosen, filters.order_by, _ORDER, "id")
    return ImportErrorCollectionResponse(import_errors=cut_page(ordered, filters), total_entries=len(ordered))


@router.get("/{import_error_id}", dependencies=[_READ])
def get_import_error(import_error_id: int, context: Context, user: CurrentUser) -> ImportErrorResponse:
    """One error."""
    with context.database.read() as tx:
        error = _list_visible(context, tx, user).get(import_error_id)
    if error is None:
        raise Refusal(404, say("number_does_not_exist", thing="import error", number=str(import_error_id)))
    return _build(import_error_id, error)


def _list_visible(context: ApiContext, tx: Transaction, user: User) -> dict[int, StoredImportError]:
    """The errors of all files; for a user who sees some DAGs only, those of files that define one of these.

    The text of the error of a file that defines hidden DAGs too is left out: it may be about them.
    """
    errors = list_numbered_import_errors(tx)
    visible = VisibleDags(context, tx, user)
    if visible.is_all:
        return errors
    shown: set[str] = set()
    shared: set[str] = set()
    for dag_pk, path in list_files_of_errors(tx):
        (shown if visible.has_key(dag_pk) else shared).add(path)
    return {
        number: replace(error, message=HIDDEN_TEXT, traceback="") if error.path in shared else error
        for number, error in errors.items()
        if error.path in shown
    }


def _build(number: int, error: StoredImportError) -> ImportErrorResponse:
    return ImportErrorResponse(
        import_error_id=number,
        timestamp=to_datetime(error.at),
        filename=error.path,
        bundle_name=error.bundle_name or DAGS_FOLDER_BUNDLE,
        stack_trace=error.traceback or error.message,
    )
