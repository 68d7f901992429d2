"""The log of a running attempt on its way to an api-server that can be away, and that may want another piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.ground.clock import SystemClock
from gnomon.services.worker.remote.execution_client import ApiAway, ClaimRefused, ExecutionClient
from gnomon.services.worker.remote.log_forwarder import PIECE_BYTES, LogForwarder


class ApiWithLog(ExecutionClient):
    """Keeps one log, as the api-server does."""

    def __init__(self) -> None:
        super().__init__("http://api:8080/execution", SystemClock())
        self.log = b""
        self.failure: Exception | None = None
        self.is_shared = False
        self.requests = 0

    def send_log(self, attempt_id: str, offset: int, piece: bytes) -> int:
        self.requests += 1
        if self.failure is not None:
            raise self.failure
        if self.is_shared:
            return -1
        if offset <= len(self.log):
            self.log += piece[len(self.log) - offset :]
        return len(self.log)


@pytest.fixture
def api() -> ApiWithLog:
    return ApiWithLog()


@pytest.fixture
def forwarder(api: ApiWithLog, tmp_path: Path) -> LogForwarder:
    made = LogForwarder(api, tmp_path)
    made.follow("a", "dag_id=d/a.log")
    made.follow("none", "")
    return made


def write(folder: Path, text: bytes) -> None:
    path = folder / "dag_id=d/a.log"
    path.parent.mkdir(exist_ok=True)
    with path.open("ab") as file:
        file.write(text)


def test_new_lines_are_sent_once_and_the_rest_at_the_end(
    api: ApiWithLog, forwarder: LogForwarder, tmp_path: Path
) -> None:
    forwarder.send_new_lines()
    assert api.requests == 0, "the log does not exist yet"
    write(tmp_path, b"one\n")
    forwarder.send_new_lines()
    forwarder.send_new_lines()
    assert (api.log, api.requests) == (b"one\n", 1)
    write(tmp_path, b"x" * (2 * PIECE_BYTES + 1))
    forwarder.send_new_lines()
    assert len(api.log) == 4 + PIECE_BYTES, "a step sends one piece"
    forwarder.finish("a")
    assert api.log == (tmp_path / "dag_id=d/a.log").read_bytes()
    write(tmp_path, b"after the end")
    forwarder.send_new_lines()
    assert not api.log.endswith(b"end")


def test_an_attempt_that_ended_within_a_step_sends_nothing(
    api: ApiWithLog, forwarder: LogForwarder, tmp_path: Path
) -> None:
    write(tmp_path, b"short\n")
    forwarder.finish("a")
    assert api.requests == 0


def test_what_could_not_be_sent_is_sent_later(api: ApiWithLog, forwarder: LogForwarder, tmp_path: Path) -> None:
    write(tmp_path, b"one\n")
    api.failure = ApiAway("away")
    forwarder.send_new_lines()
    api.failure = None
    forwarder.send_new_lines()
    api.log = b""  # another api-server, which has nothing of it
    write(tmp_path, b"two\n")
    forwarder.send_new_lines()
    forwarder.send_new_lines()
    assert api.log == b"one\ntwo\n"


@pytest.mark.parametrize("cause", ["shared", "refused"])
def test_a_log_that_nobody_wants_is_not_sent_again(
    api: ApiWithLog, forwarder: LogForwarder, tmp_path: Path, cause: str
) -> None:
    write(tmp_path, b"one\n")
    api.is_shared, api.failure = cause == "shared", ClaimRefused("gone") if cause == "refused" else None
    forwarder.send_new_lines()
    forwarder.send_new_lines()
    forwarder.finish("a")
    assert api.requests == 1
