"""`ReportRequests`: the requests that busy workers make often go past the middleware for requests of people, and past the routers."""

from __future__ import annotations

from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from gnomon.api.common.errors import answer_exception
from gnomon.model.execution_messages import EXECUTION_PREFIX

_BEFORE, _AFTER = f"{EXECUTION_PREFIX}/workers/", "/reports"


class ReportRequests:
    """Middleware: answers as the route does. Other methods and ids with a slash go to the routers, as every other request."""

    def __init__(self, app: ASGIApp, route: Route) -> None:
        self._app = app
        self._route = route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        worker_id = _find_worker_id(scope)
        if not worker_id:
            await self._app(scope, receive, send)
            return
        scope["route"], scope["path_params"] = self._route, {"worker_id": worker_id}
        request = Request(scope, receive)
        try:
            response = await self._route.endpoint(request)
        except Exception as error:  # of the request, the database or ours: each has its answer
            response = await answer_exception(request, error)
        await response(scope, receive, send)


def _find_worker_id(scope: Scope) -> str:
    """The worker whose reports these are; empty for every other request."""
    if scope["type"] != "http" or scope["method"] != "POST":
        return ""
    path: str = scope["path"]
    if not (path.startswith(_BEFORE) and path.endswith(_AFTER)) or b"%" in scope.get("raw_path", b""):
        return ""
    worker_id = path[len(_BEFORE) : -len(_AFTER)]
    return "" if "/" in worker_id else worker_id
