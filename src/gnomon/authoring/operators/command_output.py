"""Runs a command, logs its output line by line, and keeps the last lines for an error message."""

from __future__ import annotations

import logging
import shlex
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence

TAIL_LINES = 15
"""Lines of output that an error message shows."""

log = logging.getLogger(__name__)


class CommandFailed(subprocess.CalledProcessError):
    """A command ended with an exit code other than 0; `tail` has its last lines of output."""

    def __init__(self, returncode: int, command: Sequence[str], tail: str) -> None:
        super().__init__(returncode, list(command))
        self.tail = tail

    def __str__(self) -> str:
        last = (
            self.tail.strip().rpartition("\n")[2] or "it printed nothing"
        )  # the reason of a task is the first line of its error
        return f"`{shlex.join(self.cmd)}` ended with exit code {self.returncode}: {last}\nIts output ends with:\n{self.tail or '(no output)'}"


def run_logged(
    command: Sequence[str],
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    on_start: Callable[[subprocess.Popen[bytes]], None] | None = None,
    shown: Sequence[str] | None = None,
) -> str:
    """Run the command to its end and return its last lines of output; every line goes to the log.

    `env` None: the environment of this process. `on_start` gets the process when it has started. `shown`: the command as the log
    and errors show it, without secrets. Raises CommandFailed, and FileNotFoundError for a missing program.
    """
    visible = command if shown is None else shown
    log.info("Running: %s", shlex.join(visible))
    last: deque[str] = deque(maxlen=TAIL_LINES)
    process = subprocess.Popen(
        list(command),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        cwd=cwd,
        env=None if env is None else dict(env),
    )
    if on_start is not None:
        on_start(process)
    assert process.stdout is not None
    with process.stdout:
        for raw in process.stdout:
            line = raw.decode("utf-8", errors="backslashreplace").rstrip()
            log.info("%s", line)
            last.append(line)
    code = process.wait()
    tail = "\n".join(last)
    if code != 0:
        raise CommandFailed(code, visible, tail)
    return tail
