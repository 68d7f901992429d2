"""Runs the commands of a page of the tutorial, in its order, in a new home with a running standalone.

Blocks of Python, TOML and CSV that begin with a file name are saved, `gnomon` commands of `sh` blocks are executed and must succeed. Comments
in the page say what a reader does without a command:

- `<!-- until: DAG RUN STATE -->` or `<!-- until: DAG RUN TASK STATE -->`: wait for a state; `*` is
  the latest run, and `waiting` a run that is queued with the reason that it waits for others.
- `<!-- until: baseline NAME LEVEL -->`: wait until the monitor has judged the baseline so.
- `<!-- clock: 10 -->`: that many seconds pass.

A picture directly after a block of commands shows what the last command of the block printed. The clock stands still otherwise, so a
picture is the same each time it is made.
"""

from __future__ import annotations

import functools
import json
import mmap
import os
import pty
import re
import select
import shlex
import sqlite3
import struct
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent), str(DOCS)]

import page_files  # noqa: E402 - beside this file
import terminal_picture  # noqa: E402 - beside this file
from tests.acceptance.product import Product  # noqa: E402 - the tests are beside this folder
from tests.commands import start_command  # noqa: E402 - the same

from gnomon.model.instants import to_instant  # noqa: E402

BEGINNING = datetime(2026, 3, 3, 9, 2, tzinfo=UTC)
CLOCK = DOCS.parent / "tests" / "acceptance" / "virtualclock"
PATIENCE_S = 240.0
_STEP = re.compile(
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```$|^<!-- (?P<word>until|clock): (?P<arguments>.+?) -->$"
    r"|^!\[(?P<title>[^\]]*)\]\((?P<picture>[^)]+)\)$",
    re.MULTILINE | re.DOTALL,
)
_NEXT = re.compile(r"^Next: \[[^\]]+\]\(([\w-]+)\.md\)", re.MULTILINE)
_LOG_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_SHORT_LOG_TIME = re.compile(r"(?<!\d)\d\d:\d\d:\d\d\.\d{3}(?!\d)")
"""Lines of task logs have the time of the machine, which no session can set."""
_MARKS = re.compile(r"^ *[~^]+\n", re.MULTILINE)
"""Marks below the lines of a traceback, which differ between versions of Python."""
_GNOMON_FRAMES = re.compile(r"(?:  File \"[^\"]*/gnomon/[^\"]*\", line .*\n(?:    .*\n)*)+")


class Printed(NamedTuple):
    """A command and what it printed on its terminal."""

    command: str
    output: str


class Session:
    """A standalone whose clock stands still, and what the commands printed so far."""

    def __init__(self, folder: Path, clock: mmap.mmap, environ: dict[str, str]) -> None:
        self.folder, self._clock, self.now = folder, clock, BEGINNING
        self.pass_time(timedelta())
        home = folder / "home"
        (home / "dags").mkdir(parents=True)
        self.running = Product(home, environ)
        self.printed: list[Printed] = []
        self.files: page_files.Files = {}

    def pass_time(self, span: timedelta) -> None:
        """Set the clock of all processes forward."""
        self.now += span
        struct.pack_into("<q", self._clock, 0, to_instant(self.now))

    def save(self, name: str, code: str) -> None:
        """Write a file of the home, and wait until the dag-processor has read it if it defines DAGs."""
        file = self.running.home / name
        file.parent.mkdir(exist_ok=True)
        before = self._parsed(file)
        draft = self.folder / "draft"
        draft.write_text(code)
        draft.rename(file)
        if name.startswith("dags/"):
            self.running.until(lambda: self._parsed(file) not in {"", before}, f"{name} is read", PATIENCE_S)

    def _parsed(self, file: Path) -> str:
        """The hash of what the last parse of the file read; empty before the first."""
        with closing(sqlite3.connect(f"file:{self.running.home}/gnomon.db?mode=ro", uri=True)) as database:
            return "".join(
                text for (text,) in database.execute("SELECT input_hash FROM file WHERE path = ?", (str(file),))
            )

    def command(self, line: str) -> None:
        """Execute a command on a terminal; it must succeed."""
        words = shlex.split(line, comments=True)
        process_end, terminal = pty.openpty()
        with os.fdopen(terminal, "wb") as output:
            environ = {**self.running.env, "COLUMNS": str(terminal_picture.COLUMNS), "TERM": "xterm-256color"}
            done = start_command(*words[1:], env=environ, output=output, cwd=self.folder)
        output = b"".join(_read(process_end, time.monotonic() + PATIENCE_S)).decode()
        if done.wait(PATIENCE_S):
            raise SystemExit(f"{line} ended with {done.returncode}:\n{output}")
        self.printed.append(
            Printed(line, self._same_each_time(output.replace("\r\n", "\n").replace(f"{self.folder}/", "")))
        )

    def _same_each_time(self, output: str) -> str:
        """The output with the session's time in log lines, and one line in place of the frames of Gnomon itself in a traceback."""
        frames = _MARKS.sub("", _GNOMON_FRAMES.sub("  (calls inside Gnomon)\n", output))
        return _SHORT_LOG_TIME.sub(
            f"{self.now:%H:%M:%S}.000", _LOG_TIME.sub(f"{self.now:%Y-%m-%dT%H:%M:%S}.000000Z", frames)
        )

    def wait(self, dag_id: str, run_id: str, *state: str) -> None:
        """Wait until the run, or a task of the run, has that state; with `baseline` in place of a DAG, until the baseline has that level."""
        if dag_id == "baseline":
            self._wait_for_level(run_id, state[0])
            return

        def holds() -> bool:
            listed = self.running.cli("runs", "list", dag_id, "-o", "json")
            if listed.code:  # its file has not been read yet
                return False
            runs = [row for row in json.loads(listed.out) if run_id in {"*", row["run_id"]}]
            if runs and state == ("waiting",):
                return runs[0]["state"] == "queued" and "waits for" in (runs[0]["reason"] or "")
            if not runs or len(state) == 1:
                return bool(runs) and runs[0]["state"] == state[0]
            found = self.running.rows("tasks", "states", dag_id, runs[0]["run_id"])
            return any((row["task_id"], row["state"]) == state for row in found)

        self.running.until(holds, f"{dag_id} {run_id} {state}", PATIENCE_S)

    def _wait_for_level(self, name: str, level: str) -> None:
        def is_so() -> bool:
            self.pass_time(timedelta(seconds=10))  # the monitor judges once a minute
            listed = self.running.cli("baselines", "list", "-o", "json")
            rows = json.loads(listed.out) if listed.code == 0 else []
            return any(row["name"] == name and row["level"] == level for row in rows)

        self.running.until(is_so, f"baseline {name} {level}", PATIENCE_S)


def _read(terminal: int, ends_at: float) -> Iterator[bytes]:
    try:
        while time.monotonic() < ends_at:
            if select.select([terminal], [], [], 1)[0]:
                yield os.read(terminal, 65536)
    except OSError:  # the last process has closed its end
        return
    finally:
        os.close(terminal)


FIRST_PAGE = "first-dag"


@functools.cache
def pictures_of(*names: str) -> dict[str, str]:
    """Run the pages `tutorial/NAME.md` in one home, one after the other; returns their pictures by their path below the folder of the page."""
    made: dict[str, str] = {}
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="g-", ignore_cleanup_errors=True)))
        file = opened.enter_context(tempfile.NamedTemporaryFile())
        file.write(bytes(8))
        file.flush()
        path = os.pathsep.join(filter(None, (str(CLOCK), os.environ.get("PYTHONPATH"))))
        environ = {
            "PYTHONPATH": path,
            "GNOMON_TEST_CLOCK": file.name,
            "GNOMON__FORECAST__INTERVAL": "1",  # in seconds that no session sets forward: a minute for each level of a baseline
            "GNOMON__CORE__LOAD_EXAMPLES": str(FIRST_PAGE in names).lower(),
            "TZ": "UTC",
        }
        session = Session(folder, opened.enter_context(mmap.mmap(file.fileno(), 8)), environ)
        opened.callback(session.running.stop)
        for name in names:
            for step in _STEP.finditer(_page(name)):
                _take(session, step, made)
    return made


def pages_in_order() -> list[str]:
    """The names of the pages in the order of their links "Next", from the first one."""
    names = [FIRST_PAGE]
    while (following := _NEXT.search(_page(names[-1]))) and following[1] not in names:
        names.append(following[1])
    return names


def _page(name: str) -> str:
    return (DOCS / "tutorial" / f"{name}.md").read_text()


def _take(session: Session, step: re.Match[str], made: dict[str, str]) -> None:
    """Do what one block, comment or picture of the page says."""
    if step["word"] == "until":
        session.wait(*shlex.split(step["arguments"]))
    elif step["word"] == "clock":
        session.pass_time(timedelta(seconds=float(step["arguments"])))
    elif step["picture"]:
        made[step["picture"]] = terminal_picture.picture(
            step["title"], terminal_picture.command_lines(*session.printed[-1])
        )
    elif step["language"] == "sh":
        for line in step["code"].splitlines():
            if line.startswith("gnomon "):
                session.command(line)
    elif name := page_files.name_of(step["code"]):
        page_files.save(step["code"], session.files)
        session.save(name, session.files[name])
