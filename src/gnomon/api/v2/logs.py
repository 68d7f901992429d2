"""Logs of task instances: a part with a token for the rest, or all lines as NDJSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException, Query, Response
from starlette.responses import StreamingResponse

from gnomon.api.access.permissions import requires
from gnomon.api.access.policies import ApiResource, Permission
from gnomon.api.common.paths import Id
from gnomon.api.context import Context
from gnomon.api.v2.schemas.logs_shapes import StructuredLogMessage, TaskInstancesLogResponse
from gnomon.api.v2.task_instance_reader import RunInstances
from gnomon.errors.product import UserError
from gnomon.model.ids import UNMAPPED
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.report.listings.log_files import find_log_files
from gnomon.report.listings.log_pages import LogPosition, iterate_lines, read_part, split_line

router = APIRouter(prefix="/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/logs", tags=["Task Instance"])
NDJSON = "application/x-ndjson"
FULL_BYTES_MAX = 64_000_000
"""With `full_content`, a JSON answer holds about so many bytes of the log; the token gives the rest."""


@router.get(
    "/{try_number}", dependencies=[requires(Permission.READ, ApiResource.TASK_LOG)], response_model=TaskInstancesLogResponse, response_model_exclude_unset=True,
    responses={200: {"content": {NDJSON: {"schema": {"type": "string"}}}}},
)  # fmt: skip
def get_log(
    dag_id: Id, dag_run_id: Id, task_id: Id, try_number: int, context: Context, full_content: bool = False,
    map_index: Annotated[int, Query(ge=-1)] = UNMAPPED, token: str | None = None, accept: Annotated[str, Header()] = "*/*",
) -> Response | TaskInstancesLogResponse:  # fmt: skip
    """The log of one try. JSON has the next part of it, and a token while more may come; NDJSON has every line that exists now."""
    if try_number < 0:
        raise HTTPException(422, "try_number cannot be negative")
    position = LogPosition() if token is None else _decode_token(token)
    with context.database.read() as tx:
        instances = RunInstances(context, tx, dag_id, dag_run_id)
        detail = instances.find(task_id, map_index)
        record = detail.record
        is_over = record is None or record.state in FINISHED_TASK_STATES or record.try_number > try_number
        try:
            paths = find_log_files(tx, instances.dag, instances.run, task_id, map_index, try_number or None, context.cfg.logs_folder)
        except UserError as error:
            raise HTTPException(404, str(error)) from None
    if NDJSON in accept:
        return StreamingResponse(_stream(paths, is_over), media_type=NDJSON)
    return _read_answer(paths, position, is_over, FULL_BYTES_MAX if full_content else 0)


def _read_answer(paths: list[Path], position: LogPosition, is_over: bool, most_bytes: int) -> TaskInstancesLogResponse:
    lines: list[str] = []
    size = 0
    while True:
        part = read_part(paths, position, is_over=is_over)
        lines += part.lines
        size += sum(map(len, part.lines))
        position = part.position
        if part.is_at_end or size >= most_bytes:
            break
    is_complete = is_over and (part.is_at_end or read_part(paths, position, is_over=True).is_at_end)
    content = [StructuredLogMessage.model_validate(split_line(line)) for line in lines]
    return TaskInstancesLogResponse(content=content, continuation_token=None if is_complete else f"{position.file}-{position.byte}")


def _stream(paths: list[Path], is_over: bool) -> Iterator[str]:
    for line in iterate_lines(paths, is_over=is_over):
        yield json.dumps(split_line(line), ensure_ascii=False) + "\n"


def _decode_token(token: str) -> LogPosition:
    """The position. A token names no file, so a forged one shows nothing else than the log that the path of the request names."""
    file, _, byte = token.partition("-")
    if not (file.isascii() and file.isdigit() and byte.isascii() and byte.isdigit()) or len(token) > 30:
        raise HTTPException(400, "the token is not one that this log has given")
    return LogPosition(int(file), int(byte))
