"""Files of logs are rotated by size, and no line is lost."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.ground.log.traps import TRAPS, trapped

from gnomon.ground.log.rotating_file import SharedRotatingFileHandler

PROCESSES = 4
LINES = 400


def _write(path: Path, messages: list[str], max_bytes: int, backup_count: int) -> None:
    handler = SharedRotatingFileHandler(str(path), max_bytes, backup_count)
    for message in messages:
        handler.handle(logging.LogRecord("gnomon", logging.INFO, __file__, 1, message, None, None))


def test_a_file_is_rotated_before_it_is_larger_than_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "scheduler.log"
    _write(path, ["first", "second", "third", "fourth"], 12, 2)
    assert path.read_text() == "fourth\n"
    assert (tmp_path / "scheduler.log.1").read_text() == "third\n"
    assert (tmp_path / "scheduler.log.2").read_text() == "second\n"
    assert len(list(tmp_path.iterdir())) == 3, "two rotated files are kept"


@pytest.mark.parametrize(("max_bytes", "backup_count"), [(0, 5), (10, 0)])
def test_a_file_is_never_rotated_when_the_size_or_the_number_is_0(
    tmp_path: Path, max_bytes: int, backup_count: int
) -> None:
    _write(tmp_path / "x.log", ["first", "second", "third"], max_bytes, backup_count)
    assert [path.name for path in tmp_path.iterdir()] == ["x.log"]
    assert (tmp_path / "x.log").read_text() == "first\nsecond\nthird\n"


def test_a_line_longer_than_the_limit_is_whole_in_a_file_of_its_own(tmp_path: Path) -> None:
    _write(tmp_path / "x.log", ["a", "b" * 100, "c"], 50, 5)
    assert (tmp_path / "x.log").read_text() == "c\n"
    assert (tmp_path / "x.log.1").read_text() == "b" * 100 + "\n"


def _fork(run: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            run()
            code = 0
        finally:
            os._exit(code)
    return pid


@pytest.mark.ordinary
def test_processes_that_share_a_file_lose_no_line_while_it_is_rotated(tmp_path: Path) -> None:
    path = tmp_path / "scheduler.log"
    handler = SharedRotatingFileHandler(str(path), 2000, 1000)  # before the forks, as a service has it

    def write(number: int) -> None:
        for line in range(LINES):
            handler.handle(
                logging.LogRecord("gnomon", logging.INFO, __file__, 1, f"process {number} line {line} end", None, None)
            )

    pids = [_fork(lambda number=number: write(number)) for number in range(PROCESSES)]  # type: ignore[misc]
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0] * PROCESSES
    files = list(tmp_path.iterdir())
    lines = [line for file in files for line in file.read_text().splitlines()]
    assert sorted(lines) == sorted(
        f"process {number} line {line} end" for number in range(PROCESSES) for line in range(LINES)
    )
    assert len(files) > 10


@pytest.mark.ordinary
def test_a_process_that_stands_still_in_a_rotation_holds_up_nobody(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    _write(path, ["first"], 8, 3)
    go_read, go_write = os.pipe()
    locked_read, locked_write = os.pipe()

    def stand_still() -> None:
        import fcntl

        descriptor = os.open(path, os.O_WRONLY)
        fcntl.lockf(descriptor, fcntl.LOCK_EX)
        os.write(locked_write, b"!")
        os.close(go_write)
        os.read(go_read, 1)

    pid = _fork(stand_still)
    os.read(locked_read, 1)
    _write(path, ["second"], 8, 3)
    assert path.read_text() == "first\nsecond\n"
    for descriptor in (go_write, go_read, locked_read, locked_write):
        os.close(descriptor)
    os.waitpid(pid, 0)
    _write(path, ["third"], 8, 3)
    assert path.read_text() == "third\n"


def test_a_file_that_a_user_deleted_with_its_folder_is_created_again(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "x.log"
    handler = SharedRotatingFileHandler(str(path), 1000, 3)
    record = logging.LogRecord("gnomon", logging.INFO, __file__, 1, "line", None, None)
    handler.handle(record)
    path.unlink()
    path.parent.rmdir()
    handler.handle(record)
    assert path.read_text() == "line\n"


def test_a_file_that_cannot_be_written_is_named_once_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("")
    _write(tmp_path / "taken" / "x.log", ["first", "second"], 1000, 3)
    assert (
        capsys.readouterr().err
        == f"the log file {tmp_path}/taken/x.log cannot be written: Not a directory; its lines are only on stderr\n"
    )


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if "in place of the" not in trap and "name of" not in trap])
def test_a_service_writes_its_log_through_no_link(
    tmp_path: Path, trap: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder is below that of the logs of tasks."""
    handler = SharedRotatingFileHandler(str(tmp_path / "logs" / "scheduler.log"), 100, 2)
    with trapped(tmp_path / "logs" / "scheduler.log", tmp_path / "outside", trap):
        for _ in range(3):
            handler.emit(logging.LogRecord("x", logging.INFO, "", 0, "a line", None, None))
    assert capsys.readouterr().err.count("cannot be written") == 1
