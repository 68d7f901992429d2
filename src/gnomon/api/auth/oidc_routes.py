"""`/auth/oidc`: the login at an identity provider, by OpenID Connect with the flow by code, PKCE, state and nonce."""

from __future__ import annotations

import hmac
import json
import secrets as random_secrets
from collections.abc import Callable, Mapping
from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gnomon.api.access.accounts_policy import LOGIN_PATH, AccountsPolicy
from gnomon.api.auth.login_page import render_login_page
from gnomon.api.auth.login_routes import clean_target
from gnomon.api.auth.session_cookies import build_session_cookie
from gnomon.api.common.accepted_language import read_accepted
from gnomon.api.common.cookies import build_cookie, read_cookie
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.refusals import Refusal, find_sentence
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.trusted_proxies import find_address
from gnomon.api.context import ApiContext, Context
from gnomon.api.identity.identity_provider import CodeRefused, LoginSecrets, ProviderRefused, show_text
from gnomon.api.identity.oidc_settings import CALLBACK_PATH, OidcSettings
from gnomon.api.identity.provider_exchange import ProviderUnavailable
from gnomon.ground import log
from gnomon.model.accounts import Author
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND
from gnomon.model.sentences import Sentence, quote, render, say
from gnomon.queries.accounts.logins import LoginRefused, check_code_pause, count_refused_code, find_network
from gnomon.queries.accounts.provider_accounts import RoleNotGiven, find_provider_account, withdraw_role
from gnomon.queries.accounts.sessions import begin_session
from gnomon.storage.store import WrongKey, load_cipher

router = OperationRouter(prefix="/auth/oidc", include_in_schema=False)
COOKIE = "gnomon_oidc"
LOGIN_S = 600
"""How long a login at the provider may take."""
_PURPOSE = "login at an identity provider"
_TEXT_MAX = 4096
_COOKIE_MAX = 3900
"""Browsers keep 4,096 bytes with the name and the attributes."""
_SLOTS = RequestSlots("logins at the identity provider", 6, of_client=4)
"""Each may wait for the provider, for ten seconds and more. One address cannot have all."""
_log = log.get_logger("api")


@router.get("/login")
async def begin_login(
    request: Request, context: Context, next_page: Annotated[str, Query(alias="next")] = "/"
) -> Response:
    """Send the browser to the provider."""
    settings = _require_oidc(context)
    return await _answer_in_slot(context, request, lambda: _begin_login(context, request, settings, next_page))


@router.get("/callback")
async def finish_login(request: Request, context: Context) -> Response:
    """Take the code that the provider gave to the browser, and begin a session."""
    settings = _require_oidc(context)
    given_items = request.query_params.multi_items()
    query = {name: value[:_TEXT_MAX] for name, value in given_items}
    if len(query) < len(given_items):
        return _refuse(
            context,
            request,
            400,
            say("parameter_of_login_is_given_twice"),
        )
    begun = await run_sync(_open_cookie, context, request, settings)
    if begun is None or not hmac.compare_digest(begun[0].state.encode(), query.get("state", "").encode()):
        return _refuse(
            context, request, 400, say("login_was_not_begun_here"), keeps_login=True
        )  # it may be the answer to a page of another site, or of another tab
    return await _answer_in_slot(context, request, lambda: _finish_login(context, request, settings, query, *begun))


@router.get("/logout")
async def end_provider_session(request: Request, context: Context) -> Response:
    """Send the browser to the provider, which ends its own session and sends the browser back to the page of the login."""
    _require_oidc(context)
    return await _answer_in_slot(context, request, lambda: _end_provider_session(context, request))


async def _answer_in_slot(context: ApiContext, request: Request, answer: Callable[[], Response]) -> Response:
    try:
        async with _SLOTS.hold(find_network(find_address(request))):
            return await run_sync(answer)
    except ProviderUnavailable as error:
        return _refuse(context, request, 503, find_sentence(error), keeps_login=True)
    except Refusal as refusal:  # no slot was free
        return _refuse(context, request, refusal.status_code, refusal.sentence, refusal.headers, keeps_login=True)


def _begin_login(context: ApiContext, request: Request, settings: OidcSettings, next_page: str) -> Response:
    login = LoginSecrets(*(random_secrets.token_urlsafe(32) for _ in range(3)))
    url = context.identity_provider.build_login_url(_find_redirect_url(request, settings), login)
    body = {
        "purpose": _PURPOSE,
        "at": context.clock.now(),
        "target": clean_target(next_page),
        "secrets": [login.state, login.nonce, login.code_verifier],
    }
    sealed = load_cipher(context.cfg).encrypt(json.dumps(body))
    if len(sealed) > _COOKIE_MAX:
        sealed = load_cipher(context.cfg).encrypt(json.dumps({**body, "target": "/"}))
    answer = RedirectResponse(url, 303)
    answer.headers.append("set-cookie", _build_cookie(request, sealed, LOGIN_S))
    return answer


def _finish_login(
    context: ApiContext,
    request: Request,
    settings: OidcSettings,
    query: Mapping[str, str],
    login: LoginSecrets,
    target: str,
) -> Response:
    now, address = context.clock.now(), find_address(request)
    try:
        check_code_pause(context.database, address, now)
        context.identity_provider.check_issuer(query.get("iss"))
        if "error" in query:
            why = f"{show_text(query['error'])}{': ' + show_text(query['error_description']) if query.get('error_description') else ''}"
            raise ProviderRefused(say("provider_refused_login", reason=why))
        claims = context.identity_provider.read_claims(
            query.get("code", ""), _find_redirect_url(request, settings), login
        )
        return _begin_session(context, request, settings, claims, target)
    except LoginRefused as refusal:
        return _refuse(
            context,
            request,
            429,
            find_sentence(refusal),
            {"Retry-After": f"{refusal.retry_after_s:.0f}"},
            keeps_login=True,
        )
    except CodeRefused as error:
        count_refused_code(context.database, address, now)
        return _refuse(context, request, 403, find_sentence(error))
    except (ProviderRefused, UserError) as error:
        return _refuse(context, request, 403, find_sentence(error))


def _end_provider_session(context: ApiContext, request: Request) -> Response:
    url = context.identity_provider.build_logout_url(f"{_find_origin(request)}{LOGIN_PATH}")
    return RedirectResponse(LOGIN_PATH if url is None else url, 303)


def _begin_session(
    context: ApiContext, request: Request, settings: OidcSettings, claims: dict[str, object], target: str
) -> Response:
    author = Author("oidc", context.clock.now(), find_address(request))
    try:
        with context.database.write() as tx:
            account = find_provider_account(tx, author, claims, settings.rules)
            secret = begin_session(tx, account, find_address(request), author.now, context.authenticator.rules)
    except RoleNotGiven as refusal:
        raise RoleNotGiven(
            say("role_is_withdrawn", reason=str(refusal), more=_withdraw_role(context, settings, author, claims))
        ) from None
    answer = RedirectResponse(target, 303)
    answer.headers.append("set-cookie", build_session_cookie(secret, is_secure=request.url.scheme == "https"))
    answer.headers.append("set-cookie", _build_cookie(request, "", 0))
    return answer


def _withdraw_role(
    context: ApiContext, settings: OidcSettings, author: Author, claims: dict[str, object]
) -> Sentence | None:
    try:
        with context.database.write() as tx:
            done = withdraw_role(tx, author, claims, settings.rules)
    except UserError as withdrawal_error:
        return say("and_also", why=quote(str(withdrawal_error)))
    return None if done is None else say("and_also", why=quote(done))


def _open_cookie(context: ApiContext, request: Request, settings: OidcSettings) -> tuple[LoginSecrets, str] | None:
    """What belongs to the login, and the page to go to; None without a cookie of this server that is new enough."""
    sealed = read_cookie(request, COOKIE) or ""
    if not sealed or len(sealed) > _TEXT_MAX:
        return None
    try:
        body = json.loads(load_cipher(context.cfg).decrypt(sealed))
    except (WrongKey, ValueError):
        return None
    if not isinstance(body, dict) or body.get("purpose") != _PURPOSE:
        return None
    age_s = (
        context.clock.now() - body["at"]
    ) / SECOND  # below 0: another api-server, whose clock is ahead, has made the cookie
    if not -settings.leeway_s <= age_s <= LOGIN_S:
        return None
    return LoginSecrets(*body["secrets"]), clean_target(body["target"])


def _build_cookie(request: Request, value: str, lifetime_s: int) -> str:
    return build_cookie(COOKIE, value, lifetime_s, is_secure=request.url.scheme == "https", path=router.prefix)


def _find_origin(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"


def _find_redirect_url(request: Request, settings: OidcSettings) -> str:
    return settings.redirect_url or f"{_find_origin(request)}{CALLBACK_PATH}"


def _refuse(
    context: ApiContext,
    request: Request,
    status: int,
    sentence: Sentence,
    headers: Mapping[str, str] | None = None,
    *,
    keeps_login: bool = False,
) -> Response:
    """The page of the login with the reason. It is logged: the reason is often one for the administrator. `keeps_login`: the login that this browser has begun goes on."""
    problem = render(sentence)
    _log.warning("oidc_login_refused", address=find_address(request), reason=problem)
    button = None if context.oidc is None else context.oidc.button
    page = render_login_page("/", problem, button, accepted=read_accepted(request))
    answer = HTMLResponse(page, status, dict(headers or {}))
    if not keeps_login:
        answer.headers.append("set-cookie", _build_cookie(request, "", 0))
    return answer


def _require_oidc(context: ApiContext) -> OidcSettings:
    if not isinstance(context.policy, AccountsPolicy) or context.oidc is None:
        raise Refusal(404, say("no_identity_provider_is_set"))
    return context.oidc
