"""Serves the page that the build of the wheel made from `web/`: its files, and `index.html` for each address of the page. Beside it: the health page."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from urllib.parse import quote

from fastapi import FastAPI, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gnomon.api.access.accounts_policy import LOGIN_PATH, AccountsPolicy
from gnomon.api.access.open_access import OpenAccess
from gnomon.api.common.accepted_language import read_accepted
from gnomon.api.common.version_header import find_version
from gnomon.api.missing_address import find_missing
from gnomon.api.page import render_page
from gnomon.api.page_assets import PageAssets
from gnomon.api.policies import AccessRefused
from gnomon.ground.config.language_files import find_language, list_languages
from gnomon.model.accounts import Identity, Role
from gnomon.model.errors.product import GnomonError
from gnomon.queries.report.activity.change_feed import find_present_place

FOLDER = Path(__file__).parent / "page_bundle"
REASON = "not_built.txt"
HEALTH_PATH = "/services/plain"
"""The health page, which needs no script."""
ASSETS = "page-assets"
VIEWS = (
    "/",
    "/dags",
    "/dags/{rest:path}",
    "/dependencies",
    "/dependencies/graph",
    "/timetables",
    "/assets",
    "/assets/{rest:path}",
    "/backfills",
    "/baselines",
    "/baselines/{rest:path}",
    "/forecast",
    "/forecast/accuracy",
    "/what-if",
    "/triggers",
    "/pools",
    "/inbox",
    "/connections",
    "/variables",
    "/plugins",
    "/providers",
    "/options",
    "/gallery",
    "/users",
    "/tokens",
    "/account",
    "/audit",
    "/services",
    "/runs",
    "/tasks",
)
"""The addresses of the page. Its own router shows what belongs to each; at another address it says that there is nothing, with status 404."""
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {"Content-Security-Policy": CSP}
"""`SafeHeaders` adds the others, and `no-store` where an answer does not say how long it may be kept."""
_USER = '<meta name="gnomon-user" content="'
_VERSION = '<meta name="gnomon-version" content="'
_PLACE = '<meta name="gnomon-place" content="'
"""The page begins its stream of changes here: what changes between its first answers and the begin of the stream is not lost."""
_MISSING = '<meta name="gnomon-missing" content="'
"""JSON: what does not exist at the address (`find_missing`)."""
_LANGUAGES = '<meta name="gnomon-languages" content="'
"""JSON: the names of the languages that the page can be shown in beside English, by their ids."""
LANGUAGE_TEXTS = "page-languages"
"""Where the page finds its own texts in a language that it was not built with."""
_SOURCE_TREE = "this is a source tree; install the wheel, or run `npm run dev` in `web/`"


@dataclass(frozen=True, slots=True)
class PageFiles:
    """The page of this installation."""

    folder: Path
    index: str | None
    """The text of index.html; None: the build of the wheel could not make the page."""
    reason: str
    """Why there is no page."""


def find_page_files(folder: Path = FOLDER) -> PageFiles:
    """The page in a folder, or why it is not there."""
    index, reason = folder / "index.html", folder / REASON
    if index.is_file():
        return PageFiles(folder, index.read_text(), "")
    return PageFiles(folder, None, reason.read_text().strip() if reason.is_file() else _SOURCE_TREE)


def add_page(app: FastAPI, files: PageFiles) -> None:
    """Add the routes of the page, and what a browser sees at an unknown address. A browser without a session is sent to the login."""

    def show_view(request: Request) -> Response:
        return show(request, 200)

    def show_missing(request: Request) -> Response:
        return show(request, 404)

    def show(request: Request, status: int) -> Response:
        user = _find_user(request)
        if isinstance(user, Response):
            return user
        if files.index is None:
            return _show_health(request, user, files.reason, status)
        text = files.index
        place, missing = _read_store(request, user)
        for name, value in (
            (_USER, user.name if user else ""),
            (_VERSION, find_version()),
            (_PLACE, place),
            (_MISSING, json.dumps(missing)),
            (_LANGUAGES, json.dumps({language.id: language.name for language in list_languages()})),
        ):
            text = text.replace(name, name + escape(value), 1)
        return HTMLResponse(text, status, HEADERS)

    def show_health(request: Request) -> Response:
        user = _find_user(request)
        return user if isinstance(user, Response) else _show_health(request, user, files.reason)

    assets = PageAssets(files.folder / ASSETS)

    async def send_asset(request: Request) -> Response:
        asset = assets.find(request.path_params["name"])
        if asset is None:
            return HTMLResponse("There is no such file.", 404, HEADERS)
        body, headers = asset.choose(request.headers.get("accept-encoding", ""))
        return Response(body, media_type=asset.media_type, headers={**HEADERS, **headers})

    def send_texts(request: Request) -> Response:
        language = find_language(request.path_params["name"])
        if language is None:
            return HTMLResponse("There is no such language.", 404, HEADERS)
        return Response(json.dumps(dict(language.page)), media_type="application/json", headers=HEADERS)

    app.state.show_missing_page = show_missing
    for path in VIEWS:
        app.add_api_route(path, show_view, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route(HEALTH_PATH, show_health, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_route(f"/{ASSETS}/{{name}}", send_asset, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_route(f"/{LANGUAGE_TEXTS}/{{name}}", send_texts, methods=["GET", "HEAD"], include_in_schema=False)


def _find_user(request: Request) -> Identity | Response | None:
    """The account, None without accounts; the answer that leads to the login if there is no session, or refuses the host that the request names."""
    policy = request.app.state.context.policy
    if isinstance(policy, OpenAccess):
        try:
            policy.check_host(request)
        except AccessRefused as refusal:
            return HTMLResponse(escape(str(refusal)), refusal.status, HEADERS)
    if not isinstance(policy, AccountsPolicy):
        return None
    session = policy.find_session(request)
    if session is None:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(_login_address(request.url.path + query), 303)
    return session.identity


def _read_store(request: Request, user: Identity | None) -> tuple[str, list[str]]:
    """The present place in the journal of changes, and what does not exist at the address; empty while the database does not answer, which the page says itself."""
    context = request.app.state.context
    try:
        with context.database.read() as tx:
            return find_present_place(tx), find_missing(context, tx, user, request.scope["path"])
    except GnomonError:
        return "", []


def _show_health(request: Request, user: Identity | None, reason: str, status: int = 200) -> Response:
    """The health page. Problems name DAGs and counts are of all DAGs: an account that does not see every DAG gets neither."""
    health = request.app.state.context.read_health()
    if user is not None and user.everywhere < Role.VIEWER:
        health = replace(health, counts=None, problems=())
    accepted = read_accepted(request)
    return HTMLResponse(
        render_page(health, find_version(), user.name if user else None, reason, accepted=accepted), status
    )


def _login_address(target: str) -> str:
    return LOGIN_PATH if target == "/" else f"{LOGIN_PATH}?next={quote(target, safe='')}"
