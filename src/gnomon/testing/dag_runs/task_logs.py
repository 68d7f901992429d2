"""The log lines of a trial's tasks, read while the tasks run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

READ_BYTES = 1_000_000
"""Maximum number of bytes that are read from a file at a time."""
_NAME = re.compile(r"task_id=(?P<task_id>.*?)\.(map_index=(?P<map_index>\d+)\.)?attempt=\d+(\.trigger)?\.log", re.DOTALL)

_CALLBACK = "callback="


class TaskLogs:
    """Reads the log files below a folder. Each call continues in each file where the last one stopped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, int] = {}
        """Number of bytes of each file that were returned."""

    def new_lines(self, *, is_over: bool = False) -> Iterator[str]:
        """The lines that were written since the last call, each after the name of its task.

        A last line without a newline is returned only with `is_over`, when nothing more will be written.
        """
        for path in sorted(self._folder.glob("dag_id=*/run_id=*/*.log")):
            start = self._read.get(path, 0)
            if path.stat().st_size > start:
                yield from self._lines_of(path, start, is_over)

    def _lines_of(self, path: Path, start: int, is_over: bool) -> Iterator[str]:
        name = _task_name(path.name)
        with path.open("rb") as file:
            file.seek(start)
            while lines := _whole_lines(file.read(READ_BYTES), is_over):
                yield from (f"{name} | {line}" for line in lines.decode(errors="replace").splitlines())
                start += len(lines)
                file.seek(start)
        self._read[path] = start


def _whole_lines(text: bytes, is_over: bool) -> bytes:
    """The text up to its last newline; all of it at the end of the file, or when one line is longer than READ_BYTES."""
    end = text.rfind(b"\n") + 1
    is_last = is_over and len(text) < READ_BYTES
    return text if is_last or (not end and len(text) == READ_BYTES) else text[:end]


def _task_name(file_name: str) -> str:
    """The task, or the kind of callback, that writes a log of this name (`gnomon.model.attempts.build_attempt_log_path`)."""
    if file_name.startswith(_CALLBACK):
        return file_name.removeprefix(_CALLBACK).partition(".")[0]
    found = _NAME.fullmatch(file_name)
    if found is None:
        return file_name
    index = found["map_index"]
    return unquote(found["task_id"]) + (f"[{index}]" if index else "")
