"""`create_app`: the page, the health endpoints, `/api/v2` and `/api/gnomon/v1` as one application.

Routes are plain functions in a pool of threads, because the store is synchronous.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response

from gnomon.api import metrics_routes
from gnomon.api.access.permissions import check_routes
from gnomon.api.auth import account_routes, login_routes, oidc_routes, session_routes, view_routes
from gnomon.api.auth.session_cookies import SessionCookies
from gnomon.api.common.errors import install_error_handlers
from gnomon.api.common.limits import BodyLimit
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import EncodedSlashes
from gnomon.api.common.processor_share import ProcessorShare
from gnomon.api.common.reader_language import ReaderLanguage
from gnomon.api.common.trusted_proxies import TrustedProxies
from gnomon.api.common.version_header import VersionHeader, find_version
from gnomon.api.context import ApiContext
from gnomon.api.documented_app import DocumentedApp
from gnomon.api.execution.execution_routes import REPORTS_ROUTE, add_execution_api
from gnomon.api.execution.report_requests import ReportRequests
from gnomon.api.health import to_airflow_json
from gnomon.api.metrics.server_figures import RequestTimes
from gnomon.api.openapi_document import DOCUMENT_PATH, OpenApiDocument
from gnomon.api.page_files import PageFiles, add_page, find_page_files
from gnomon.ground.config.network_address import read_networks

THREADS_MAX = 16
"""Requests answered at the same time; others wait for a thread."""
API_PREFIX = "/api"
HEALTH_PATHS = ("/health", "/monitor/health")
ROUTERS_WITHOUT_PREFIX = (
    login_routes.router,
    oidc_routes.router,
    session_routes.router,
    account_routes.router,
    view_routes.router,
    metrics_routes.router,
)


def create_documented_app() -> DocumentedApp:
    """All operations and their document, without what answers them: no context, no middleware, no page. Raises InternalError when an operation declares no permission."""
    app = DocumentedApp(
        title="Gnomon",
        version=find_version(),
        description="Airflow's public API v2, as far as Gnomon has its features.",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        lifespan=_limit_threads,
    )
    for router in ROUTERS_WITHOUT_PREFIX:
        app.add_operations(router)
    add_execution_api(app)
    app.add_group(f"{API_PREFIX}/v2", _list_v2_routers)
    app.add_group(f"{API_PREFIX}/gnomon/v1", _list_own_routers)
    return app


def _list_v2_routers() -> Iterable[OperationRouter]:
    from gnomon.api.v2.routers import list_v2_routers  # a server that is asked for its health only needs none of them

    return list_v2_routers()


def _list_own_routers() -> Iterable[OperationRouter]:
    from gnomon.api.own.own_routers import list_own_routers  # as above

    return list_own_routers()


def create_app(context: ApiContext, files: PageFiles | None = None) -> DocumentedApp:
    """The application. `files`: the page; None: that of this installation. Raises InternalError when a route of the API declares no permission."""
    app = create_documented_app()
    app.state.context = context
    install_error_handlers(app)
    app.add_middleware(ReaderLanguage)
    app.add_middleware(SessionCookies)
    app.add_middleware(BodyLimit)
    app.add_middleware(EncodedSlashes)
    app.add_middleware(ReportRequests, route=REPORTS_ROUTE)
    app.add_middleware(ProcessorShare, share=context.cfg.integer("api", "busy_processor_percent") / 100)
    app.add_middleware(RequestTimes, figures=context.server_figures)
    app.add_middleware(TrustedProxies, networks=read_networks(context.cfg, "api", "trusted_proxies"))
    app.add_middleware(VersionHeader)
    add_page(app, files if files is not None else find_page_files())
    for path in HEALTH_PATHS:
        app.add_api_route(path, _show_health, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_route(DOCUMENT_PATH, OpenApiDocument().answer, include_in_schema=False)
    check_routes(app, API_PREFIX)
    return app


@asynccontextmanager
async def _limit_threads(_app: FastAPI) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS_MAX
    yield


def _show_health(request: Request) -> Response:
    return JSONResponse(to_airflow_json(request.app.state.context.read_health()))
