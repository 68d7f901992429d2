"""The shape of errors: `{"detail": ...}`, a sentence, or for a body or a parameter that does not fit a list with the place of each fault.

A sentence has beside it its code, its arguments and its spans (`refusals.answer_refusal`).
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Coroutine

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic_core import PydanticSerializationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import Response

from gnomon.api.common.fault_limits import FAULTS_MAX, describe_fault
from gnomon.api.common.refusals import Refusal, answer_refusal, build_error_answer, find_sentence
from gnomon.api.common.version_header import VERSION_HEADER, find_version
from gnomon.api.policies import AccessRefused, User
from gnomon.author_code.timetable_host import HostsBusy
from gnomon.changes.actions.refusals import (
    BackfillEnded,
    BackfillRefused,
    BaselineRefused,
    RequestRefused,
    StateValueRefused,
)
from gnomon.ground import log
from gnomon.model.accounts import Role
from gnomon.model.errors.product import ConfigurationError, GnomonError, ResourceUnavailable, UserError
from gnomon.model.json_text import escape_surrogates
from gnomon.model.sentences import Sentence, quote, say
from gnomon.queries.accounts.sessions import LoginOutdated
from gnomon.queries.report.listings.not_found import NameNotFound
from gnomon.storage.store import (
    DatabaseNotInitialised,
    ForeignDatabase,
    InvalidAddress,
    NotFound,
    ResourceInUse,
    RunExists,
    SchemaTooNew,
    SchemaTooOld,
)
from gnomon.storage.store.errors import BackfillActive

_log = log.get_logger("api")
ERROR_CLASS_HEADER = "Gnomon-Error"
"""The name of the class of an error, which Gnomon's own clients read: a sentence is for people."""
_STATUS_OF_ERRORS: tuple[tuple[type[Exception], int], ...] = (
    (NameNotFound, 404),
    (NotFound, 404),
    (RunExists, 409),
    (BackfillActive, 409),
    (BackfillEnded, 409),
    (BackfillRefused, 422),
    (ResourceInUse, 409),
    (RequestRefused, 409),
    (StateValueRefused, 422),
    (BaselineRefused, 409),
    (ConfigurationError, 503),
    (DatabaseNotInitialised, 503),
    (SchemaTooOld, 503),
    (SchemaTooNew, 503),
    (ForeignDatabase, 503),
    (InvalidAddress, 503),
    (LoginOutdated, 401),
    (UserError, 400),
    (ResourceUnavailable, 503),
    (UnicodeError, 400),
    (OverflowError, 400),
)
"""The first class that fits decides."""


def install_error_handlers(app: FastAPI) -> None:
    """Answer every error in the shape of Airflow's API; nothing of a traceback or of a request's values reaches the client."""
    for kind, answer in _ANSWERS.items():
        app.add_exception_handler(kind, answer)


async def answer_exception(request: Request, error: Exception) -> Response:
    """The answer of the application to an error, for what is answered before its own handlers."""
    return await next(_ANSWERS[kind] for kind in type(error).__mro__ if kind in _ANSWERS)(request, error)


def find_status(error: Exception) -> int:
    """The HTTP status of an error."""
    return next((status for kind, status in _STATUS_OF_ERRORS if isinstance(error, kind)), 500)


async def _answer_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, StarletteHTTPException)
    if error.status_code == 404 and error.detail == "Not Found":  # no route has the path
        path = request.url.path
        is_api = path.startswith("/api/")
        if not is_api and request.method in ("GET", "HEAD") and "text/html" in request.headers.get("Accept", ""):
            page: Response = await run_in_threadpool(request.app.state.show_missing_page, request)
            return page
        return answer_refusal(404, say("operation_does_not_exist" if is_api else "page_does_not_exist", url=path))
    if isinstance(error, Refusal):
        return answer_refusal(error.status_code, error.sentence, error.headers)
    headers = error.headers or {}
    if error.status_code == 405 and "Allow" in headers:
        sentence = say("method_is_not_possible", act=request.method, url=request.url.path, names=headers["Allow"])
        return answer_refusal(405, sentence, headers)
    return answer_refusal(error.status_code, quote(str(error.detail)), headers)


async def _answer_invalid_request(_request: Request, error: Exception) -> Response:
    """422, with the first faults."""
    assert isinstance(error, RequestValidationError)
    return build_error_answer(422, escape_surrogates([describe_fault(fault) for fault in error.errors()[:FAULTS_MAX]]))


async def _answer_access_refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, AccessRefused)
    return answer_refusal(error.status, error.sentence, error.headers)


async def _answer_error(request: Request, error: Exception) -> Response:
    if isinstance(error, UnicodeError | OverflowError):
        return answer_refusal(400, say("value_of_request_is_unusable"))
    status = find_status(error)
    if status == 500:
        return await _answer_crash(request, error)
    sentence = find_sentence_for(getattr(request.state, "user", None), error)
    return answer_refusal(status, sentence, _name_class(error))


def find_sentence_for(user: object, error: Exception) -> Sentence:
    """The sentence of an error. That of an unknown DAG suggests names only to a user who sees all DAGs: they may be hidden from others."""
    sees_all = isinstance(user, User) and user.identity.everywhere >= Role.VIEWER
    if isinstance(error, NameNotFound) and error.thing == "DAG" and not sees_all:
        return say("dag_does_not_exist", dag=error.name)
    return find_sentence(error)


def _name_class(error: Exception) -> dict[str, str]:
    return {ERROR_CLASS_HEADER: type(error).__name__} | ({"Retry-After": "1"} if isinstance(error, HostsBusy) else {})


async def _answer_depth(_request: Request, _error: Exception) -> Response:
    return answer_refusal(400, say("value_of_request_is_too_deep"))


async def _answer_unwritable(request: Request, error: Exception) -> Response:
    """501 for a stored value of more levels than pydantic writes: a task or a command has made it, because bodies of requests are checked."""
    if "depth" in str(error):
        return answer_refusal(501, say("value_of_answer_is_too_deep"))
    return await _answer_crash(request, error)


async def _answer_crash(request: Request, error: Exception) -> Response:
    _log.error(
        "request_failed",
        method=request.method,
        path=request.url.path,
        traceback="".join(traceback.format_exception(error)),
    )
    return answer_refusal(500, say("internal_error_of_server"), {VERSION_HEADER: find_version()})


_ANSWERS: dict[type[Exception], Callable[[Request, Exception], Coroutine[None, None, Response]]] = {
    StarletteHTTPException: _answer_http_error,
    RequestValidationError: _answer_invalid_request,
    AccessRefused: _answer_access_refused,
    GnomonError: _answer_error,
    UnicodeError: _answer_error,
    OverflowError: _answer_error,
    RecursionError: _answer_depth,
    PydanticSerializationError: _answer_unwritable,
    Exception: _answer_crash,
}
"""By the class of an error, the nearest in its order of inheritance."""
