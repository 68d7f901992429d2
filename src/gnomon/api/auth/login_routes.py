"""`/auth/token` and `/auth/token/cli`, as clients of Airflow call them; `/login` and `/auth/logout` for browsers."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

from anyio.to_thread import run_sync
from fastapi import HTTPException, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gnomon.api.access.accounts_policy import FOREIGN_PAGE, LOGIN_PATH, AccountsPolicy, comes_from_same_site
from gnomon.api.auth.login_page import SESSION_ENDED, render_login_page
from gnomon.api.auth.session_cookies import build_session_cookie
from gnomon.api.common.accepted_language import read_accepted
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.refusals import Refusal, find_sentence
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.shapes import Body
from gnomon.api.common.trusted_proxies import find_address
from gnomon.api.context import ApiContext, Context
from gnomon.model.accounts import Account
from gnomon.model.sentences import render, say
from gnomon.queries.accounts.logins import LoginRefused, find_network, log_in
from gnomon.queries.accounts.passwords import LENGTH_MAX
from gnomon.queries.accounts.sessions import LoginOutdated, begin_session, end_session

router = OperationRouter(tags=["Login"])
NAME_MAX = 250
FORM_BYTES_MAX = 16_384
_SLOTS = RequestSlots("logins", 4, of_client=3)
"""Hashes are computed two at a time; more logins than these would only wait, each in a thread. One address cannot have all."""


class LoginBody(Body):
    """A name and a password."""

    username: str = Field(max_length=NAME_MAX)
    password: str = Field(max_length=LENGTH_MAX)


class LoginResponse(BaseModel):
    """A token for the header `Authorization: Bearer`."""

    access_token: str


@router.post("/auth/token", status_code=201)
async def create_token(body: LoginBody, request: Request, context: Context) -> LoginResponse:
    """A signed token for a name and a password, valid for `[api_auth] jwt_expiration_time` seconds."""
    return await _create_token(context, request, body, "jwt_expiration_time")


@router.post("/auth/token/cli", status_code=201)
async def create_token_cli(body: LoginBody, request: Request, context: Context) -> LoginResponse:
    """The same for `[api_auth] jwt_cli_expiration_time` seconds."""
    return await _create_token(context, request, body, "jwt_cli_expiration_time")


@router.get(LOGIN_PATH, include_in_schema=False)
def show_login(
    context: Context,
    request: Request,
    next_page: Annotated[str, Query(alias="next")] = "/",
    logged_out: bool = False,
    ended: bool = False,
) -> Response:
    """The page with the form of the login; it says when a session has ended while its page was open."""
    _require_accounts(context)
    problem = SESSION_ENDED if ended else ""
    return HTMLResponse(_render(context, request, clean_target(next_page), problem, is_logged_out=logged_out))


def _render(
    context: ApiContext,
    request: Request,
    target: str,
    problem: str = "",
    *,
    name: str = "",
    is_logged_out: bool = False,
) -> str:
    button = None if context.oidc is None else context.oidc.button
    accepted = read_accepted(request)
    return render_login_page(target, problem, button, name=name, is_logged_out=is_logged_out, accepted=accepted)


@router.post(LOGIN_PATH, include_in_schema=False)
async def submit_login(request: Request, context: Context) -> Response:
    """Begin a session and go to the page that was asked for."""
    form = parse_qs((await _read_form(request)).decode("utf-8", "replace"), max_num_fields=10)
    return await _log_in_browser(context, request, {name: values[0] for name, values in form.items()})


@router.post("/auth/logout", include_in_schema=False)
def log_out(request: Request, context: Context) -> Response:
    """End the session of the browser."""
    if not comes_from_same_site(request):
        return RedirectResponse(LOGIN_PATH, 303)
    return end_session_of(context, request, 303)


def end_session_of(context: ApiContext, request: Request, status: int) -> Response:
    """End the session of the request's cookie, and send the browser to the login."""
    session = _require_accounts(context).find_session(request)
    if session is not None:
        with context.database.write() as tx:
            end_session(tx, session.session_pk)
    answer = RedirectResponse(LOGIN_PATH if context.oidc is None else f"{LOGIN_PATH}?logged_out=true", status)
    answer.headers.append("set-cookie", build_session_cookie("", is_secure=request.url.scheme == "https"))
    return answer


def clean_target(path: str) -> str:
    """A path on this server; `/` for everything else, so that a link to the login cannot lead to another site."""
    is_local = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() and "\\" not in path
    return path if is_local else "/"


async def _create_token(context: ApiContext, request: Request, body: LoginBody, option: str) -> LoginResponse:
    _require_accounts(context)
    account = await _check_login(context, request, body.username, body.password)
    return LoginResponse(
        access_token=context.authenticator.signer.sign(
            account, context.clock.now(), context.cfg.number("api_auth", option)
        )
    )


async def _check_login(context: ApiContext, request: Request, name: str, password: str) -> Account:
    """The account. Raises Refusal: 401 for a wrong name or password, 429 after too many, 503 after a wait while too many others are checked."""
    address = find_address(request)
    try:
        async with _SLOTS.hold(find_network(address)):
            return await run_sync(lambda: _log_in(context, name, password, address))  # also what opens the database
    except LoginRefused as refusal:
        if refusal.retry_after_s:
            raise Refusal(429, find_sentence(refusal), {"Retry-After": f"{refusal.retry_after_s:.0f}"}) from None
        raise Refusal(401, find_sentence(refusal)) from None


def _log_in(context: ApiContext, name: str, password: str, address: str) -> Account:
    account = log_in(context.database, name, password, address, context.clock.now())
    _ = context.authenticator  # made in this thread: it reads the keys
    return account


async def _log_in_browser(context: ApiContext, request: Request, form: dict[str, str]) -> Response:
    _require_accounts(context)
    target = clean_target(form.get("next", "/"))
    if not comes_from_same_site(request):
        problem = render(FOREIGN_PAGE)
        return HTMLResponse(_render(context, request, target, f"{problem[0].upper()}{problem[1:]}."), 403)
    name = form.get("username", "")
    try:
        account = await _check_login(context, request, name, form.get("password", ""))
        secret = await run_sync(_begin_session, context, request, account)
    except HTTPException as refusal:
        page = _render(context, request, target, str(refusal.detail), name=name)
        return HTMLResponse(page, refusal.status_code, dict(refusal.headers or {}))
    except LoginOutdated as refusal:
        return HTMLResponse(_render(context, request, target, str(refusal), name=name), 401)
    answer = RedirectResponse(target, 303)
    answer.headers.append("set-cookie", build_session_cookie(secret, is_secure=request.url.scheme == "https"))
    return answer


def _begin_session(context: ApiContext, request: Request, account: Account) -> str:
    with context.database.write() as tx:
        return begin_session(tx, account, find_address(request), context.clock.now(), context.authenticator.rules)


def _require_accounts(context: ApiContext) -> AccountsPolicy:
    if not isinstance(context.policy, AccountsPolicy):
        raise Refusal(404, say("no_accounts_are_used", things="logins"))
    return context.policy


async def _read_form(request: Request) -> bytes:
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > FORM_BYTES_MAX:
            raise Refusal(413, say("body_is_too_large", thing="form", most=FORM_BYTES_MAX, why=None))
    return data
