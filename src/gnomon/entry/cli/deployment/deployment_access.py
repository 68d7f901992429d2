"""`DeploymentAccess`: what a command works on. A command performs operations, and does not know whether they run in its process or behind the API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ParamSpec, Protocol, TypeVar

from gnomon.changes.operations.operation import Operation
from gnomon.ground.clock import Clock

P = ParamSpec("P")
R = TypeVar("R")


class LogLines(Protocol):
    """The lines of one log file. Each call continues where the last one stopped."""

    def new_lines(self, *, is_over: bool = False) -> Iterator[str]:
        """The lines that were written since the last call; with `is_over` also a last line without a newline."""


class DeploymentAccess(Protocol):
    """The home's store, or a deployment behind the API."""

    @property
    def clock(self) -> Clock:
        """The clock of this machine."""

    def sleep(self, seconds: float, /) -> object:
        """Wait, for a command that looks again and again."""

    def perform(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The result of the operation. Raises GnomonError, with the same sentence for both kinds of deployment."""

    def open_task_log(self, dag_id: str, run_id: str, task_id: str, map_index: int, file: str) -> LogLines:
        """A log file of a task instance. `file`: its name, as `logs.of_run` and `logs.of_try` give it."""

    def open_callback_log(self, dag_id: str, run_id: str, file: str) -> LogLines:
        """The log file of a callback of a run."""

    def describe_log(self, file: str) -> str:
        """Where a log file is, for people."""

    def find_default_timezone(self) -> str:
        """The name of the zone in which dates without an offset are read."""

    def close(self) -> None:
        """Release what the deployment holds."""
