"""The log lines of a trial's tasks, read while the tasks run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from gnomon.ground.log.confined_files import ConfinedFile, list_files
from gnomon.queries.report.listings.log_tail import LogTail

_NAME = re.compile(
    r"task_id=(?P<task_id>.*?)\.(map_index=(?P<map_index>\d+)\.)?attempt=\d+(\.trigger)?\.log", re.DOTALL
)

_CALLBACK = "callback="


class TaskLogs:
    """Reads the log files below a folder. Each call continues in each file where the last one stopped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tails: dict[ConfinedFile, LogTail] = {}

    def new_lines(self, *, is_over: bool = False) -> Iterator[str]:
        """The lines that were written since the last call, each after the name of its task.

        A last line without a newline is returned only with `is_over`, when nothing more will be written.
        """
        for file in sorted(list_files(self._folder, "dag_id=*/run_id=*/*.log"), key=str):
            name = _task_name(file.name)
            tail = self._tails.setdefault(file, LogTail(file))
            yield from (f"{name} | {line}" for line in tail.new_lines(is_over=is_over))


def _task_name(file_name: str) -> str:
    """The task, or the kind of callback, that writes a log of this name (`gnomon.model.attempts.build_attempt_log_path`)."""
    if file_name.startswith(_CALLBACK):
        return file_name.removeprefix(_CALLBACK).partition(".")[0]
    match = _NAME.fullmatch(file_name)
    if match is None:
        return file_name
    index = match["map_index"]
    return unquote(match["task_id"]) + (f"[{index}]" if index else "")
