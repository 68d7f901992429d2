"""The log of a task instance by ranges of lines, a search through it, and the whole of it as a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec
from fastapi import Query
from starlette.responses import Response, StreamingResponse

from gnomon.api.access.permissions import requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.shapes import Answer
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.log_lookup import FoundLog, find_log
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.ground.log.confined_files import ConfinedFile
from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import say
from gnomon.queries.report.listings.log_ranges import LINE_BYTES, LINES_MAX, LogRange, LogReader

router = OperationRouter(
    prefix="/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/logs/{try_number}", tags=["Log"]
)
_READ = requires(Permission.READ, ApiResource.TASK_LOG)
LINE_BYTES_MAX = 1_000_000
"""The most bytes of one line that can be asked for."""
SEVERAL_MAX = 200
"""The most single lines that can be asked for."""
TEXT_MAX = 1_000
_COPY_BYTES = 65_536
"""Bytes of a piece of a log that each client of a download may keep in memory."""
_searches = RequestSlots("searches of logs", 4)
Level = Literal["debug", "info", "warning", "error", "critical"]
MapIndex = Annotated[int, Query(ge=UNMAPPED, lt=2**31)]
Source = Annotated[int | None, Query(ge=0, lt=10_000)]


class LogLineAnswer(Answer):
    """A line. Its number counts from 0 through all files of the log; the last lines of a log that is not counted yet count from the end, -1 is the last."""

    number: int
    text: str
    at: str | None
    """The time that `logging` wrote."""
    level: str | None
    size: int
    """Bytes of the whole line."""
    is_cut: bool
    """The text is only the beginning; `line_bytes` asks for more."""


class LogFileAnswer(Answer):
    """A file of the log."""

    name: str
    first_line: int
    lines: int
    size: int


class LogGroupAnswer(Answer):
    """The lines between `::group::TITLE` and `::endgroup::`."""

    first: int
    last: int | None
    title: str


class LogLinesAnswer(Answer):
    """Some lines of a log, and how long it is."""

    lines: list[LogLineAnswer]
    """At most `count`, and fewer when they are long: ask again behind the last."""
    total: int
    """Lines that the log has now."""
    is_counted: bool
    """False: the log is so long that it is not counted to its end yet; ask again."""
    is_over: bool
    """Nothing more will be written."""
    files: list[LogFileAnswer]
    groups: list[LogGroupAnswer]
    """Empty unless `first` is given without `at`: at most 5,000 of each file."""


class LogMatchesAnswer(Answer):
    """Numbers of lines."""

    numbers: list[int]
    next_line: int | None
    """Where the search goes on; null: at the end."""


@router.get("/lines", response_model=LogLinesAnswer, dependencies=[_READ])
def get_log_lines(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    try_number: int,
    context: Context,
    map_index: MapIndex = UNMAPPED,
    source: Source = None,
    first: Annotated[int, Query(gt=-(2**53), lt=2**53)] = 0,
    count: Annotated[int, Query(ge=0, le=LINES_MAX)] = 200,
    at: Annotated[list[Annotated[int, Query(ge=0, lt=2**53)]] | None, Query(max_length=SEVERAL_MAX)] = None,
    line_bytes: Annotated[int, Query(ge=1, le=LINE_BYTES_MAX)] = LINE_BYTES,
) -> Response:
    """Lines from `first` on (a negative one counts from the end), or the lines `at` (ascending), up to 4 MB of them. `source`: only that file of the log.

    A log of more than 8 MB is counted while requests are answered: until then lines that were asked for from its end have negative numbers.
    """
    reader, log = _open(context, (dag_id, dag_run_id, task_id, map_index), try_number, source)
    part = reader.read(first, count, line_bytes) if at is None else reader.read_some(at, line_bytes)
    return Response(msgspec.json.encode(_build(part, log, with_groups=at is None)), media_type="application/json")


@router.get("/search", dependencies=[_READ, _searches.require()])
def search_log(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    try_number: int,
    context: Context,
    map_index: MapIndex = UNMAPPED,
    source: Source = None,
    text: Annotated[str, Query(max_length=TEXT_MAX)] = "",
    level: Level | None = None,
    first: Annotated[int, Query(ge=0, lt=2**53)] = 0,
) -> LogMatchesAnswer:
    """The numbers of lines from `first` on that contain the text and are of the level or a higher one; a call reads 64 MB, the next goes on."""
    if not text and level is None:
        raise Refusal(422, say("search_needs_text_or_level"))
    reader, _ = _open(context, (dag_id, dag_run_id, task_id, map_index), try_number, source)
    matches = reader.search(text, level, first)
    return LogMatchesAnswer(numbers=matches.numbers, next_line=matches.next_line)


@router.get(
    "/file",
    dependencies=[_READ],
    response_class=StreamingResponse,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def get_log_file(
    dag_id: Id,
    dag_run_id: Id,
    task_id: Id,
    try_number: int,
    context: Context,
    map_index: MapIndex = UNMAPPED,
    source: Source = None,
) -> StreamingResponse:
    """The whole log as it is now, as a text file."""
    refuse_wildcard("dag_id", dag_id)
    log = _select(find_log(context, (dag_id, dag_run_id, task_id, map_index), try_number), source)
    headers = {"Content-Disposition": 'attachment; filename="task.log"'}
    return StreamingResponse(_iterate_bytes(log.paths), media_type="text/plain; charset=utf-8", headers=headers)


def _open(
    context: ApiContext, place: tuple[str, str, str, int], try_number: int, source: int | None
) -> tuple[LogReader, FoundLog]:
    refuse_wildcard("dag_id", place[0])
    log = _select(find_log(context, place, try_number), source)
    return LogReader(context.log_indexes, log.paths, is_over=log.is_over), log


def _select(log: FoundLog, source: int | None) -> FoundLog:
    if source is None:
        return log
    if source >= len(log.paths):
        raise Refusal(404, say("log_has_no_such_file", total=len(log.paths), number=str(source)))
    return FoundLog([log.paths[source]], log.is_over or source < len(log.paths) - 1)


def _build(part: LogRange, log: FoundLog, *, with_groups: bool) -> dict[str, Any]:
    """The fields of LogLinesAnswer, written without validation: an answer may have a thousand lines."""
    groups = part.groups if with_groups else []
    return {
        "lines": [
            {
                "number": line.number,
                "text": line.text,
                "at": line.at,
                "level": line.level,
                "size": line.size,
                "is_cut": line.is_cut,
            }
            for line in part.lines
        ],
        "total": part.total,
        "is_counted": part.is_counted,
        "is_over": log.is_over,
        "files": [
            {
                "name": part_file.path.name,
                "first_line": part_file.first_line,
                "lines": part_file.lines,
                "size": part_file.size,
            }
            for part_file in part.parts
        ],
        "groups": [
            {"first": log_group.first, "last": log_group.last, "title": log_group.title} for log_group in groups
        ],
    }


def _iterate_bytes(paths: list[ConfinedFile]) -> Iterator[bytes]:
    """The files one after another, as long as they were when each was opened: a log that grows has an end too."""
    for path in paths:
        try:
            with path.open("rb") as file:
                remaining = os.fstat(file.fileno()).st_size
                while remaining > 0 and (block := file.read(min(_COPY_BYTES, remaining))):
                    remaining -= len(block)
                    yield block
        except FileNotFoundError:
            continue
