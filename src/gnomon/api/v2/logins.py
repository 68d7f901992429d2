"""The addresses to which clients of Airflow send a browser for the login and the logout."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Request
from starlette.responses import RedirectResponse, Response

from gnomon.api.access.accounts_policy import LOGIN_PATH
from gnomon.api.access.open_access import comes_from_other_site
from gnomon.api.access.permissions import requires
from gnomon.api.auth.login_routes import clean_target, end_session_of
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission

router = OperationRouter(prefix="/auth", tags=["Login"])
_PUBLIC = requires(Permission.READ, ApiResource.VERSION)


@router.get("/login", dependencies=[_PUBLIC], status_code=307, response_class=RedirectResponse)
def login(next_page: Annotated[str, Query(alias="next")] = "/") -> Response:
    """The page with the form of the login."""
    return RedirectResponse(f"{LOGIN_PATH}?next={quote(clean_target(next_page), safe='')}", 307)


@router.get("/logout", dependencies=[_PUBLIC], status_code=307, response_class=RedirectResponse)
def logout(request: Request, context: Context) -> Response:
    """End the session of the browser. A link on a page of another site only leads to the page of the login."""
    if comes_from_other_site(request):
        return RedirectResponse(LOGIN_PATH, 307)
    return end_session_of(context, request, 307)
