"""Serves the page that the build of the wheel made from `web/`: its files, and `index.html` for each address of the page. Beside it: the health page."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote

from fastapi import FastAPI, Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from gnomon.api.access.accounts_policy import LOGIN_PATH, AccountsPolicy
from gnomon.api.common.version_header import find_version
from gnomon.api.page import render_page

FOLDER = Path(__file__).parent / "page_bundle"
REASON = "not_built.txt"
HEALTH_PATH = "/services"
ASSETS = "page-assets"
VIEWS = ("/", "/dags", "/dags/{rest:path}")
"""The addresses of the page. Its own router shows what belongs to each."""
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {"Content-Security-Policy": CSP}
"""`SafeHeaders` adds the others, and `no-store` where an answer does not say how long it may be kept."""
_USER = '<meta name="gnomon-user" content="'
_VERSION = '<meta name="gnomon-version" content="'
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
    """Add the routes of the page. A browser without a session is sent to the login."""

    def show_view(request: Request) -> Response:
        user = _find_user(request)
        if isinstance(user, Response):
            return user
        if files.index is None:
            return _show_health(request, user, files.reason)
        text = files.index.replace(_USER, _USER + escape(user), 1).replace(_VERSION, _VERSION + escape(find_version()), 1)
        return HTMLResponse(text, headers=HEADERS)

    def show_health(request: Request) -> Response:
        user = _find_user(request)
        return user if isinstance(user, Response) else _show_health(request, user, files.reason)

    def send_asset(name: str) -> Response:
        file = files.folder / ASSETS / name
        if "/" in name or name.startswith(".") or not file.is_file():
            return HTMLResponse("There is no such file.", 404, HEADERS)
        return FileResponse(file, headers={**HEADERS, "Cache-Control": "public, max-age=31536000, immutable"})

    for path in VIEWS:
        app.add_api_route(path, show_view, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route(HEALTH_PATH, show_health, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route(f"/{ASSETS}/{{name}}", send_asset, methods=["GET", "HEAD"], include_in_schema=False)


def _find_user(request: Request) -> str | Response:
    """The name of the account, "" without accounts; the answer that leads to the login if there is no session."""
    policy = request.app.state.context.policy
    if not isinstance(policy, AccountsPolicy):
        return ""
    session = policy.find_session(request)
    if session is None:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(_login_address(request.url.path + query), 303)
    return session.identity.name


def _show_health(request: Request, user: str, reason: str) -> Response:
    return HTMLResponse(render_page(request.app.state.context.read_health(), find_version(), user or None, reason))


def _login_address(target: str) -> str:
    return LOGIN_PATH if target == "/" else f"{LOGIN_PATH}?next={quote(target, safe='')}"
