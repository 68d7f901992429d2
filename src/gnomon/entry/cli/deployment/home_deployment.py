"""`HomeDeployment`: operations run in this process, on the store of the home."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from gnomon.changes.operations.operation import Operation
from gnomon.changes.operations.operation_scope import AllDags, OperationScope
from gnomon.ground.clock import Clock
from gnomon.ground.log.confined_files import ConfinedFile
from gnomon.queries.report.listings.log_tail import LogTail
from gnomon.storage.remote_logs.remote_log_folder import open_remote_log_folder
from gnomon.storage.remote_logs.task_log_folder import TaskLogFolder

if TYPE_CHECKING:
    from gnomon.entry.cli.deployment.home import Home

P = ParamSpec("P")
R = TypeVar("R")


class HomeDeployment:
    """The database is opened by the first operation, and stays open until `close`."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._opened = ExitStack()
        self._scope: OperationScope | None = None

    @property
    def clock(self) -> Clock:
        """The clock of the home."""
        return self._home.clock

    def sleep(self, seconds: float, /) -> object:
        """Wait."""
        return self._home.sleep(seconds)

    def perform(self, operation: Operation[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function of the operation."""
        return operation.function(self._open_scope(), *args, **kwargs)

    def open_task_log(self, dag_id: str, run_id: str, task_id: str, map_index: int, file: str) -> LogTail:
        """The file below the folder of logs."""
        return LogTail(ConfinedFile(self._home.cfg.logs_folder, file), lambda: self._open_scope().task_logs.fetch(file))

    def open_callback_log(self, dag_id: str, run_id: str, file: str) -> LogTail:
        """The file below the folder of logs."""
        return LogTail(ConfinedFile(self._home.cfg.logs_folder, file), lambda: self._open_scope().task_logs.fetch(file))

    def describe_log(self, file: str) -> str:
        """Its path."""
        return str(self._home.cfg.logs_folder / file)

    def _open_scope(self) -> OperationScope:
        if self._scope is None:
            database = self._opened.enter_context(self._home.store())
            cfg = self._home.cfg
            task_logs = cache(
                lambda: TaskLogFolder(
                    cfg.logs_folder, open_remote_log_folder(cfg, lambda: database, tells_reasons=True), self._home.clock
                )
            )
            self._scope = OperationScope(self._home, database, AllDags(), task_logs_opener=task_logs)
        return self._scope

    def find_default_timezone(self) -> str:
        """[core] default_timezone."""
        return self._home.cfg.text("core", "default_timezone")

    def close(self) -> None:
        """Close the database."""
        self._opened.close()
