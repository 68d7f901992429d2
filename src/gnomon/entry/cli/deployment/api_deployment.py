"""`ApiDeployment`: operations run behind the API, with the rights of an account there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast
from urllib.parse import quote

from gnomon.changes.operations import log_operations, work_operations
from gnomon.changes.operations.operation import DAG_ID, Operation
from gnomon.entry.cli.deployment.api_client import ApiClient
from gnomon.ground.clock import Clock

if TYPE_CHECKING:
    from gnomon.changes.operations.log_operations import LogPiece
    from gnomon.entry.cli.deployment.home import Home

P = ParamSpec("P")
R = TypeVar("R")
OWN_PREFIX = "/api/gnomon/v1"


class ApiDeployment:
    """`home`: only its clock and its `sleep` are used; no file of it is read."""

    def __init__(self, home: Home, client: ApiClient) -> None:
        self._home = home
        self._client = client

    @property
    def clock(self) -> Clock:
        """The clock of this machine."""
        return self._home.clock

    def sleep(self, seconds: float, /) -> object:
        """Wait."""
        return self._home.sleep(seconds)

    def perform(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Ask the API: GET for a read, which is repeated when the connection fails, POST for a change, which is not."""
        arguments = operation.bind(*args, **kwargs)
        prefix = OWN_PREFIX
        if operation.is_about_dag:
            prefix += f"/dags/{quote(arguments.pop(DAG_ID), safe='')}"
        path = f"{prefix}/operations/{operation.name}"
        sent_arguments = {name: value for name, value in arguments.items() if value is not None}
        if operation.is_read:
            answer = self._client.get(path, _list_pairs(sent_arguments), operation.find_result_type())
        else:
            answer = self._client.post(path, sent_arguments, operation.find_result_type())
        return cast(R, answer)

    def open_task_log(self, dag_id: str, run_id: str, task_id: str, map_index: int, file: str) -> ApiLog:
        """A log file of a task instance, read in pieces."""
        return ApiLog(
            lambda start, is_over: self.perform(
                log_operations.read_log, dag_id, run_id, task_id, map_index, file, start, is_over
            )
        )

    def open_callback_log(self, dag_id: str, run_id: str, file: str) -> ApiLog:
        """The log of a callback of a run, read in pieces."""
        return ApiLog(
            lambda start, _is_over: self.perform(log_operations.read_callback_log, dag_id, run_id, file, start)
        )

    def describe_log(self, file: str) -> str:
        """Its name in the folder of logs of the deployment."""
        return file

    def find_default_timezone(self) -> str:
        """[core] default_timezone of the deployment."""
        return self.perform(work_operations.read_settings).default_timezone

    def close(self) -> None:
        """Nothing is held between two requests."""


class ApiLog:
    """The lines of a log file behind the API. `read`: a piece from a byte on."""

    def __init__(self, read: Callable[[int, bool], LogPiece]) -> None:
        self._read = read
        self._start = 0

    def new_lines(self, *, is_over: bool = False) -> Iterator[str]:
        """The lines that were written since the last call."""
        while True:
            piece = self._read(self._start, is_over)
            if piece.end == self._start:
                return
            self._start = piece.end
            yield from piece.lines


def _list_pairs(arguments: dict[str, Any]) -> list[tuple[str, str]]:
    """The arguments of a read as they are in a query."""
    pairs: list[tuple[str, str]] = []
    for name, value in arguments.items():
        pairs += [(name, _format(item)) for item in (value if isinstance(value, list | tuple) else [value])]
    return pairs


def _format(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value.value) if isinstance(value, Enum) else str(value)
