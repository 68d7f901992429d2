"""The other end of a line was killed with our words unread: that is its end, and no trouble of ours."""

from __future__ import annotations

import socket

from gnomon.author_code.processes.packets import create_packet_pair, receive_packet
from gnomon.services.dagfiles import parse_protocol


def _pair_cut_with_unread_words() -> socket.socket:
    ours, theirs = create_packet_pair()
    ours.send(b"never read")
    theirs.close()
    return ours


def test_a_zygote_takes_it_as_the_end_of_its_worker() -> None:
    with _pair_cut_with_unread_words() as line:
        assert receive_packet(line, 1024) == (b"", [])


def test_a_parse_server_takes_it_as_the_end_of_its_service() -> None:
    with _pair_cut_with_unread_words() as line:
        assert parse_protocol.receive_order(line) is None
