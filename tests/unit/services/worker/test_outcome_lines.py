"""What the consumer of messages hears about an attempt: that its slot is free at once, and how it ended with a later line."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.conformance.workerworld import until
from tests.patience import PATIENCE_S

from gnomon.services.worker.remote import service
from gnomon.services.worker.remote.service import MessageIntake, OutcomeLines


@pytest.fixture
def sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    theirs.settimeout(PATIENCE_S)
    with ours, theirs:
        yield ours, theirs


def _read(sock: socket.socket) -> list[list[int | str | None]]:
    return [json.loads(line) for line in sock.recv(65_536).splitlines()]


def test_an_outcome_goes_with_the_next_line_that_frees_a_slot(
    sockets: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "OUTCOME_S", PATIENCE_S)
    lines = OutcomeLines(sockets[0])
    lines.put_free(1)
    assert _read(sockets[1]) == [[1, None]]
    lines.put_end(1, "success")
    lines.put_free(2)
    assert _read(sockets[1]) == [[1, "success"], [2, None]]
    lines.close()


def test_an_attempt_that_did_not_run_frees_its_slot_at_once(
    sockets: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "OUTCOME_S", PATIENCE_S)
    lines = OutcomeLines(sockets[0])
    lines.put_end(1, "was not claimed")
    assert _read(sockets[1]) == [[1, "was not claimed"]]
    lines.close()


def test_an_outcome_is_sent_when_no_other_attempt_ends(
    sockets: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "OUTCOME_S", 0.01)
    lines = OutcomeLines(sockets[0])
    for number in (1, 2):
        lines.put_free(number)
        assert _read(sockets[1]) == [[number, None]]
        lines.put_end(number, "success")
        assert _read(sockets[1]) == [[number, "success"]]
    lines.close()


def test_a_consumer_that_was_killed_leaves_a_part_of_a_line_and_what_it_has_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted: list[str] = []
    crashes: list[object] = []
    monkeypatch.setattr(threading, "excepthook", crashes.append)

    class Relay:
        def accept(
            self, attempt_id: str, token: str, put_end: Callable[[str], None], put_free: Callable[[], None]
        ) -> None:
            put_free()
            accepted.append(attempt_id)

    before = set(threading.enumerate())
    intake = MessageIntake(tmp_path / "messages", Relay())  # type: ignore[arg-type]
    for attempt_id, rest in (("a1", b'[2, "a2", "tok'), ("a3", b"")):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as consumer:
            consumer.connect(intake.address)
            consumer.sendall(json.dumps([1, attempt_id, "token"]).encode() + b"\n" + rest)
            until(partial(accepted.__contains__, attempt_id), "the message is accepted")
    intake.close()
    until(
        lambda: not [one for one in threading.enumerate() if one not in before and one.name in ("message", "outcomes")],
        "both threads of each connection have ended",
    )
    assert (accepted, crashes) == (["a1", "a3"], [])
