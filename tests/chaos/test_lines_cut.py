"""The other end of a line was killed with our words unread: that is its end, and no trouble of ours."""

from __future__ import annotations

import socket

from gnomon.dagfiles import parse_protocol
from gnomon.worker import zygote_protocol


def _pair_cut_with_unread_words() -> socket.socket:
    ours, theirs = zygote_protocol.create_socket_pair()
    ours.send(b"never read")
    theirs.close()
    return ours


def test_a_zygote_takes_it_as_the_end_of_its_worker() -> None:
    with _pair_cut_with_unread_words() as line:
        assert zygote_protocol.receive_packet(line) == (b"", [])


def test_a_parse_server_takes_it_as_the_end_of_its_service() -> None:
    with _pair_cut_with_unread_words() as line:
        assert parse_protocol.receive_order(line) is None
