"""`/auth/oidc`: the login at an identity provider, by OpenID Connect with the flow by code, PKCE, state and nonce."""

from __future__ import annotations

import hmac
import json
import secrets as random_secrets
from typing import Annotated

from fastapi import HTTPException, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gnomon import log
from gnomon.accounts.provider_accounts import find_provider_account
from gnomon.accounts.sessions import begin_session
from gnomon.api.access.accounts_policy import LOGIN_PATH, AccountsPolicy
from gnomon.api.auth.identity_provider import LoginSecrets, ProviderRefused
from gnomon.api.auth.login_page import render_login_page
from gnomon.api.auth.login_routes import clean_target
from gnomon.api.auth.oidc_settings import CALLBACK_PATH, OidcSettings
from gnomon.api.auth.provider_exchange import ProviderUnavailable
from gnomon.api.auth.session_cookies import build_cookie
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.trusted_proxies import find_address
from gnomon.api.context import ApiContext, Context
from gnomon.errors.product import UserError
from gnomon.model.accounts import Author
from gnomon.model.instants import SECOND
from gnomon.store import WrongKey, load_cipher

router = OperationRouter(prefix="/auth/oidc", include_in_schema=False)
COOKIE = "gnomon_oidc"
LOGIN_S = 600
"""How long a login at the provider may take."""
_PURPOSE = "login at an identity provider"
_TEXT_MAX = 4096
_COOKIE_MAX = 3900
"""Browsers keep 4,096 bytes with the name and the attributes."""
_SLOTS = RequestSlots("logins at the identity provider", 4)
"""Each may wait for the provider, for ten seconds and more."""
_log = log.get_logger("api")


@router.get("/login")
def begin_login(request: Request, context: Context, next_page: Annotated[str, Query(alias="next")] = "/") -> Response:
    """Send the browser to the provider."""
    settings = _require_oidc(context)
    made = LoginSecrets(*(random_secrets.token_urlsafe(32) for _ in range(3)))
    try:
        with _SLOTS.take():
            url = context.identity_provider.build_login_url(_find_redirect_url(request, settings), made)
    except ProviderUnavailable as error:
        return _refuse(context, request, 503, str(error))
    body = {"purpose": _PURPOSE, "at": context.clock.now(), "target": clean_target(next_page), "secrets": [made.state, made.nonce, made.code_verifier]}
    sealed = load_cipher(context.cfg).encrypt(json.dumps(body))
    if len(sealed) > _COOKIE_MAX:
        sealed = load_cipher(context.cfg).encrypt(json.dumps({**body, "target": "/"}))
    answer = RedirectResponse(url, 303)
    answer.headers.append("set-cookie", _build_cookie(request, sealed, LOGIN_S))
    return answer


@router.get("/callback")
def finish_login(request: Request, context: Context) -> Response:
    """Take the code that the provider gave to the browser, and begin a session."""
    settings = _require_oidc(context)
    given = request.query_params.multi_items()
    query = {name: value[:_TEXT_MAX] for name, value in given}
    if len(query) < len(given):
        return _refuse(context, request, 400, "the answer of the identity provider has a parameter twice, and which one counts is not known; begin the login again")
    begun = _open_cookie(context, request)
    if begun is None or not hmac.compare_digest(begun[0].state.encode(), query.get("state", "").encode()):
        return _refuse(context, request, 400, "this login was not begun in this browser, or it took more than ten minutes; begin it again")
    made, target = begun
    try:
        with _SLOTS.take():
            context.identity_provider.check_issuer(query.get("iss"))
            if "error" in query:
                why = f"{query['error']}{': ' + query['error_description'] if query.get('error_description') else ''}"
                raise ProviderRefused(f"the identity provider did not log you in: {why}")
            claims = context.identity_provider.read_claims(query.get("code", ""), _find_redirect_url(request, settings), made)
        return _begin(context, request, settings, claims, target)
    except ProviderUnavailable as error:
        return _refuse(context, request, 503, str(error))
    except (ProviderRefused, UserError) as error:
        return _refuse(context, request, 403, str(error))


@router.get("/logout")
def end_provider_session(request: Request, context: Context) -> Response:
    """Send the browser to the provider, which ends its own session and sends the browser back to the page of the login."""
    _require_oidc(context)
    try:
        with _SLOTS.take():
            url = context.identity_provider.build_logout_url(f"{_find_origin(request)}{LOGIN_PATH}")
    except ProviderUnavailable as error:
        return _refuse(context, request, 503, str(error))
    return RedirectResponse(LOGIN_PATH if url is None else url, 303)


def _begin(context: ApiContext, request: Request, settings: OidcSettings, claims: dict[str, object], target: str) -> Response:
    now, address = context.clock.now(), find_address(request)
    with context.database.write() as tx:
        account = find_provider_account(tx, Author("oidc", now, address), claims, settings.rules)
        secret = begin_session(tx, account, address, now, context.authenticator.rules)
    answer = RedirectResponse(target, 303)
    answer.headers.append("set-cookie", build_cookie(secret, is_secure=request.url.scheme == "https"))
    answer.headers.append("set-cookie", _build_cookie(request, "", 0))
    return answer


def _open_cookie(context: ApiContext, request: Request) -> tuple[LoginSecrets, str] | None:
    """What belongs to the login, and the page to go to; None without a cookie of this server that is new enough."""
    sealed = request.cookies.get(COOKIE, "")
    if not sealed or len(sealed) > _TEXT_MAX:
        return None
    try:
        body = json.loads(load_cipher(context.cfg).decrypt(sealed))
    except (WrongKey, ValueError):
        return None
    if not isinstance(body, dict) or body.get("purpose") != _PURPOSE or not 0 <= context.clock.now() - body["at"] <= LOGIN_S * SECOND:
        return None
    return LoginSecrets(*body["secrets"]), clean_target(body["target"])


def _build_cookie(request: Request, value: str, lifetime_s: int) -> str:
    secure = "; Secure" if request.url.scheme == "https" else ""
    return f"{COOKIE}={value}; Path=/auth/oidc; Max-Age={lifetime_s}; HttpOnly; SameSite=Lax{secure}"


def _find_origin(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"


def _find_redirect_url(request: Request, settings: OidcSettings) -> str:
    return settings.redirect_url or f"{_find_origin(request)}{CALLBACK_PATH}"


def _refuse(context: ApiContext, request: Request, status: int, problem: str) -> Response:
    """The page of the login with the reason. It is logged: the reason is often one for the administrator."""
    _log.warning("oidc_login_refused", address=find_address(request), reason=problem)
    button = None if context.oidc is None else context.oidc.button
    answer = HTMLResponse(render_login_page("/", problem, button, accepted=request.headers.get("accept-language", "")), status)
    answer.headers.append("set-cookie", _build_cookie(request, "", 0))
    return answer


def _require_oidc(context: ApiContext) -> OidcSettings:
    if not isinstance(context.policy, AccountsPolicy) or context.oidc is None:
        raise HTTPException(404, "there is no login at an identity provider: [oidc] issuer is not set")
    return context.oidc
