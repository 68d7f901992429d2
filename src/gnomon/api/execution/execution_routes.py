"""Routes of the execution API. Bodies are those of `gnomon.model.execution_messages`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec
from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id, restore_slashes
from gnomon.api.common.refusals import Refusal, find_sentence
from gnomon.api.context import ApiContext, Context
from gnomon.api.documented_app import DocumentedApp
from gnomon.api.execution.report_batch import answer_reports, sign
from gnomon.model.attempts import AttemptResult
from gnomon.model.execution_messages import (
    EXECUTION_PREFIX,
    EXECUTION_VERSION,
    KNOWN_VERSIONS,
    VERSION_HEADER,
    BatchAnswer,
    Beat,
    BeatNotice,
    ClaimedAttempt,
    ClaimRequest,
    EntryNotice,
    Question,
    Reply,
    ReportBatch,
    RunningLogPiece,
)
from gnomon.model.sentences import quote, say
from gnomon.queries.accounts.attempt_tokens import ATTEMPT, CLAIM, WORKER
from gnomon.queries.taskapi import TaskApiRefused, execution
from gnomon.storage.remote_logs.live_copies import HERE

_BODY_MAX = 256 * 1024 * 1024

REPORT_THREADS = 8
"""Batches of reports that are stored at the same time; others wait for a thread. Requests of users have threads of their own."""
_report_threads = ThreadPoolExecutor(REPORT_THREADS, "reports")
Body = TypeVar("Body")
router = OperationRouter(prefix=EXECUTION_PREFIX, include_in_schema=False)


def add_execution_api(app: DocumentedApp) -> None:
    """Add the routes."""
    app.router.routes.insert(0, REPORTS_ROUTE)
    app.add_operations(router)


def _json(answer: msgspec.Struct) -> Response:
    return Response(msgspec.json.encode(answer), media_type="application/json")


async def _check_version(request: Request) -> None:
    version = request.headers.get(VERSION_HEADER, "")
    if version not in KNOWN_VERSIONS:
        versions = " and ".join(KNOWN_VERSIONS)
        raise Refusal(400, say("worker_speaks_other_version", version=version or "none", own_version=versions))


Versioned = Depends(_check_version)


async def _read_body(request: Request, kind: type[Body]) -> Body:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > _BODY_MAX:
            raise Refusal(413, say("body_is_too_large", thing="body", most=_BODY_MAX, why=None))
        parts.append(part)
    try:
        return msgspec.json.decode(b"".join(parts), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal(400, say("body_has_other_form", thing=kind.__name__, error=str(error))) from error


def _find_worker(context: ApiContext, request: Request, use: str, subject: str) -> str:
    """The worker that the bearer token names."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    worker = (
        context.attempt_tokens.find_worker(token, use, subject, context.clock.now())
        if kind.lower() == "bearer"
        else None
    )
    if worker is None:
        raise Refusal(
            401, say("request_has_no_token_for_attempt", thing="worker" if use == WORKER else "attempt", text=subject)
        )
    return worker


Answer = TypeVar("Answer")


def _ask(ask: Callable[[], Answer]) -> Answer:
    try:
        return ask()
    except execution.ForeignResult as error:
        raise Refusal(400, find_sentence(error)) from error
    except execution.AttemptIsGone as error:
        raise Refusal(409, find_sentence(error)) from error
    except execution.WorkerIsLost as error:
        raise Refusal(410, find_sentence(error)) from error
    except TaskApiRefused as error:
        raise Refusal(422, find_sentence(error)) from error


def _wake_owner(context: ApiContext) -> None:
    context.notifier.notify()


@router.post("/attempts/{attempt_id}/claim", dependencies=[Versioned])
async def claim(attempt_id: Id, request: Request, context: Context) -> Response:
    _find_worker(context, request, CLAIM, attempt_id)
    claim_request = await _read_body(request, ClaimRequest)

    def give() -> ClaimedAttempt:
        attempt, elements = _ask(
            lambda: execution.claim(context.database, attempt_id, claim_request, context.clock.now())
        )
        return ClaimedAttempt(
            attempt=attempt,
            elements=elements,
            attempt_token=sign(context, ATTEMPT, attempt_id, claim_request.worker_id),
            worker_token=sign(context, WORKER, claim_request.worker_id, claim_request.worker_id),
            dags_folder=str(context.cfg.dags_folder),
        )

    return _json(await run_in_threadpool(give))


@router.post("/attempts/{attempt_id}/entered", dependencies=[Versioned])
async def enter(attempt_id: Id, request: Request, context: Context) -> Response:
    worker_id = _find_worker(context, request, ATTEMPT, attempt_id)
    notice = await _read_body(request, EntryNotice)

    def record() -> None:
        execution.record_entry(context.database, attempt_id, worker_id, notice.at)
        _wake_owner(context)

    await run_in_threadpool(record)
    return Response(status_code=204)


@router.post("/attempts/{attempt_id}/result", dependencies=[Versioned])
async def end(attempt_id: Id, request: Request, context: Context) -> Response:
    worker_id = _find_worker(context, request, ATTEMPT, attempt_id)
    result = await _read_body(request, AttemptResult)
    if result.attempt_id != attempt_id:
        raise Refusal(400, say("result_is_of_other_attempt", text=result.attempt_id, other=quote(attempt_id)))

    def record() -> None:
        _ask(lambda: execution.record_result(context.database, worker_id, result))
        _wake_owner(context)

    await run_in_threadpool(record)
    return Response(status_code=204)


@router.post("/attempts/{attempt_id}/ask", dependencies=[Versioned])
async def ask(attempt_id: Id, request: Request, context: Context) -> Response:
    worker_id = _find_worker(context, request, ATTEMPT, attempt_id)
    question = await _read_body(request, Question)

    def answer() -> Reply:
        value = _ask(lambda: execution.answer_attempt(context.database, attempt_id, worker_id, question.request))
        return Reply(value=value)

    reply = await run_in_threadpool(answer)
    _wake_owner(context)
    return _json(reply)


@router.post("/attempts/{attempt_id}/log", dependencies=[Versioned])
async def append_log(attempt_id: Id, request: Request, context: Context) -> Response:
    worker_id = _find_worker(context, request, ATTEMPT, attempt_id)
    piece = await _read_body(request, RunningLogPiece)

    def append() -> Reply:
        name = _ask(lambda: execution.find_log_name(context.database, attempt_id, worker_id))
        try:
            return Reply(value=context.live_logs.append(name, piece.offset, piece.piece) if name else HERE)
        except OSError as error:
            raise Refusal(503, say("log_cannot_be_stored", error=str(error))) from error

    return _json(await run_in_threadpool(append))


@router.post("/workers/{worker_id}/ask", dependencies=[Versioned])
async def ask_for_import(worker_id: Id, request: Request, context: Context) -> Response:
    _find_worker(context, request, WORKER, worker_id)
    question = await _read_body(request, Question)
    return _json(
        await run_in_threadpool(
            lambda: Reply(value=_ask(lambda: execution.answer_import(context.database, worker_id, question.request)))
        )
    )


@router.post("/workers/{worker_id}/beat", dependencies=[Versioned])
async def beat(worker_id: Id, request: Request, context: Context) -> Response:
    _find_worker(context, request, WORKER, worker_id)

    notice = await _read_body(request, BeatNotice)

    def record() -> Beat:
        claimed, now = _ask(
            lambda: execution.beat(
                context.database, worker_id, frozenset(notice.held), context.clock.now(), notice.figures
            )
        )
        return Beat(
            worker_token=sign(context, WORKER, worker_id, worker_id),
            attempt_tokens={row.attempt_id: sign(context, ATTEMPT, row.attempt_id, worker_id) for row in claimed},
            cancellations=tuple(
                (row.attempt_id, row.cancel_reason, row.cancel_grace_s or 0.0)
                for row in claimed
                if row.cancel_reason is not None
            ),
            now=now,
        )

    return _json(await run_in_threadpool(record))


async def record_reports(request: Request) -> Response:
    """The one route that busy workers ask often: `ReportRequests` finds it, FastAPI resolves no dependencies for it, and its threads are not those of users."""
    await _check_version(request)
    context: ApiContext = request.app.state.context
    worker_id = restore_slashes(request.path_params["worker_id"])
    _find_worker(context, request, WORKER, worker_id)
    batch = await _read_body(request, ReportBatch)

    def record() -> BatchAnswer:
        answers = answer_reports(context, worker_id, batch.reports)
        _wake_owner(context)
        return BatchAnswer(answers=answers)

    return _json(await asyncio.get_running_loop().run_in_executor(_report_threads, record))


REPORTS_ROUTE = Route(f"{EXECUTION_PREFIX}/workers/{{worker_id}}/reports", record_reports, methods=["POST"])


@router.post("/workers/{worker_id}/retire", dependencies=[Versioned])
async def retire(worker_id: Id, request: Request, context: Context) -> Response:
    _find_worker(context, request, WORKER, worker_id)
    await run_in_threadpool(lambda: execution.retire(context.database, worker_id))
    return Response(status_code=204)


@router.get("/version")
async def show_version() -> Response:
    """The newest version, for people who look whether the address is right."""
    return _json(Reply(value=EXECUTION_VERSION))
