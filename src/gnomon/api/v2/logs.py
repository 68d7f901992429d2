"""Logs of task instances: a part with a token for the rest, or all lines as NDJSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated

import msgspec
from fastapi import Header, Query, Response
from starlette.responses import StreamingResponse

from gnomon.api.access.permissions import requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.log_lookup import find_log
from gnomon.api.v2.schemas.logs_shapes import TaskInstancesLogResponse
from gnomon.ground.log.confined_files import ConfinedFile
from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import say
from gnomon.queries.report.listings.log_pages import LogPosition, iterate_parts, read_part, split_line

router = OperationRouter(
    prefix="/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/logs", tags=["Task Instance"]
)
NDJSON = "application/x-ndjson"
_BYTE_MAX = 2**53
"""No file has more bytes: the system refuses to look for a byte behind the limit of its own files."""
FULL_BYTES_MAX = 64_000_000
"""With `full_content`, a JSON answer holds about so many bytes of the log; the token gives the rest."""


@router.get(
    "/{try_number}",
    dependencies=[requires(Permission.READ, ApiResource.TASK_LOG)],
    response_model=TaskInstancesLogResponse,
    responses={200: {"content": {NDJSON: {"schema": {"type": "string"}}}}},
)
def get_log(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    try_number: int,
    context: Context,
    full_content: bool = False,
    map_index: Annotated[int, Query(ge=-1)] = UNMAPPED,
    token: str | None = None,
    accept: Annotated[str, Header()] = "*/*",
) -> Response:
    """The log of one try. JSON has the next part of it, and a token while more may come; NDJSON has every line that exists now."""
    if try_number < 0:
        raise Refusal(422, say("try_is_negative"))
    position = LogPosition() if token is None else _decode_token(token)
    paths, is_over = find_log(context, (dag_id, dag_run_id, task_id, map_index), try_number)
    if NDJSON in accept:
        return StreamingResponse(_stream(paths, is_over), media_type=NDJSON)
    if full_content:
        return StreamingResponse(_write_answer(paths, position, is_over, FULL_BYTES_MAX), media_type="application/json")
    return Response(b"".join(_write_answer(paths, position, is_over, 0)), media_type="application/json")


def _write_answer(paths: list[ConfinedFile], position: LogPosition, is_over: bool, most_bytes: int) -> Iterator[bytes]:
    """The JSON of TaskInstancesLogResponse, part by part: a long log is never in memory as a whole, however slowly its client reads."""
    yield b'{"content":['
    size = 0
    while True:
        part = read_part(paths, position, is_over=is_over, is_streamed=most_bytes > 0)
        position = part.position
        if part.lines:
            records = msgspec.json.encode([split_line(line) for line in part.lines])[1:-1]
            yield b"," + records if size else records
            size += sum(len(line) + 1 for line in part.lines)
        if part.is_at_end or size >= most_bytes:
            break
    is_complete = is_over and (part.is_at_end or read_part(paths, position, is_over=True).is_at_end)
    token = None if is_complete else f"{position.file}-{position.byte}"
    yield b'],"continuation_token":' + msgspec.json.encode(token) + b"}"


def _stream(paths: list[ConfinedFile], is_over: bool) -> Iterator[str]:
    """The records, each part of the log as one text: a text costs a call of a thread, and the next part is read when the client has taken this one."""
    for part in iterate_parts(paths, is_over=is_over):
        yield "".join(json.dumps(split_line(line), ensure_ascii=False) + "\n" for line in part.lines)


def _decode_token(token: str) -> LogPosition:
    """The position. A token names no file, so a forged one shows nothing else than the log that the path of the request names."""
    file, _, byte = token.partition("-")
    if (
        not (file.isascii() and file.isdigit() and byte.isascii() and byte.isdigit())
        or len(token) > 30
        or int(byte) > _BYTE_MAX
    ):
        raise Refusal(400, say("token_of_log_is_unknown"))
    return LogPosition(int(file), int(byte))
