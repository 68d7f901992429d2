"""A request of the execution API is one write, so that the api-server is woken once."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.services.worker.remote.joined_requests import JOINED_BYTES_MAX, PlainConnection, SecureConnection


class ListedWrites:
    """A connected socket that keeps what is written to it."""

    def __init__(self) -> None:
        self.writes: list[bytes] = []

    def sendall(self, data: bytes) -> None:
        self.writes.append(data)

    def close(self) -> None:
        return


def connect(
    kind: type[PlainConnection] | type[SecureConnection],
) -> tuple[PlainConnection | SecureConnection, ListedWrites]:
    connection, written = kind("api", 8080), ListedWrites()
    connection.sock = written  # type: ignore[assignment]
    return connection, written


@pytest.mark.parametrize("kind", [PlainConnection, SecureConnection])
def test_head_and_body_are_written_together(kind: Any) -> None:
    connection, written = connect(kind)
    connection.post("/execution/x", b"the body", {"Authorization": "Bearer t"})
    (request,) = written.writes
    head, _, body = request.partition(b"\r\n\r\n")
    assert (
        head.startswith(b"POST /execution/x HTTP/1.1\r\n")
        and b"Authorization: Bearer t" in head
        and b"Content-Length: 8" in head
    )
    assert body == b"the body"


def test_a_long_body_is_not_copied() -> None:
    connection, written = connect(PlainConnection)
    body = b"x" * JOINED_BYTES_MAX
    connection.post("/execution/x", body, {})
    assert written.writes[-1] is body
    assert len(written.writes) == 2 and written.writes[0].endswith(b"\r\n\r\n")


def test_the_next_request_does_not_contain_the_one_before() -> None:
    connection, written = connect(PlainConnection)
    for body in (b"first", b"second"):
        connection.post("/execution/x", body, {})
        connection._HTTPConnection__state = "Idle"  # type: ignore[attr-defined]  # as after its answer
    assert [write.rpartition(b"\r\n")[2] for write in written.writes] == [b"first", b"second"]
