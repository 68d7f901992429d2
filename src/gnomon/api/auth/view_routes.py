"""`/auth/me/views`: the named views of lists that one's own account has saved."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from gnomon.api.auth.own_account import find_own_account
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.shapes import Body
from gnomon.api.context import Context
from gnomon.api.policies import AccessRefused
from gnomon.model.accounts import Identity, Role
from gnomon.model.sentences import say
from gnomon.queries.accounts import saved_views
from gnomon.storage.store.accounts import saved_view_rows
from gnomon.storage.store.accounts.saved_view_rows import SavedView

router = OperationRouter(prefix="/auth/me", tags=["Login"])
PageAddress = Annotated[str, Field(max_length=100, pattern=r"^/[a-z/-]*$")]
ViewName = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$")]


class ViewAnswer(BaseModel):
    """The filters of a list under a name."""

    page: str
    """The address of the list: `/dags`."""
    name: str
    query: str
    """The filters as they stand in the address, without `?`."""
    is_default: bool
    """The list opens with this view when its address has no filters."""


class ViewsAnswer(BaseModel):
    """The views of one account by page and name, at most 100."""

    account: str
    views: list[ViewAnswer]


class ViewBody(Body):
    """A view to save."""

    page: PageAddress
    name: ViewName
    query: str = Field(max_length=4000, pattern=r"^[^\x00-\x1f\x7f]*$")
    is_default: bool = False
    """At most one view of a page is the default: the one before is no default any more."""


@router.get("/views")
def list_own_views(request: Request, context: Context) -> ViewsAnswer:
    """The named views of one's own account."""
    _, account = find_own_account(context, request)
    with context.database.read() as tx:
        stored = saved_view_rows.list_views(tx, account.account_pk)
    views = [
        ViewAnswer(page=view.page, name=view.name, query=view.query, is_default=view.is_default) for view in stored
    ]
    return ViewsAnswer(account=account.name, views=views)


@router.put("/views", status_code=204)
def save_own_view(body: ViewBody, request: Request, context: Context) -> Response:
    """Save a view of one's own account; the one of the same page and name is replaced."""
    identity, account = find_own_account(context, request)
    _require_user_token(identity)
    with context.database.write() as tx:
        saved_views.save_view(tx, account, SavedView(body.page, body.name, body.query, body.is_default))
    return Response(status_code=204)


@router.delete("/views", status_code=204)
def delete_own_view(
    page: Annotated[PageAddress, Query()], name: Annotated[ViewName, Query()], request: Request, context: Context
) -> Response:
    """Delete a view of one's own account."""
    identity, account = find_own_account(context, request)
    _require_user_token(identity)
    with context.database.write() as tx:
        if not saved_view_rows.delete_view(tx, account.account_pk, page, name):
            raise Refusal(404, say("account_has_no_view", name=account.name, text=name, place=page))
    return Response(status_code=204)


def _require_user_token(identity: Identity) -> None:
    """An account that may only read saves views; a token that permits only reading does not."""
    if identity.ceiling < Role.USER:
        raise AccessRefused(403, say("token_permits_too_little", role=str(identity.ceiling), act="changing views"))
