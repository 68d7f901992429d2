"""What is counted, and what is sent of it."""

from __future__ import annotations

import socket

import pytest

from gnomon.ground.metrics import Meter, StatsdClient
from gnomon.ground.metrics.meter import NAMES_MAX


class Kept:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def send(self, name: str, value: str) -> None:
        self.sent.append((name, value))

    def close(self) -> None:
        self.sent.append(("closed", ""))


def test_counts_add_up_and_levels_are_only_sent() -> None:
    kept = Kept()
    meter = Meter(kept)
    meter.count("came")
    meter.count("came", 2)
    meter.count("came", 0)
    meter.gauge("running", 7)
    meter.close()
    assert meter.counters == {"came": 3}
    assert kept.sent == [("came", "1|c"), ("came", "2|c"), ("running", "7|g"), ("closed", "")]


def test_a_name_is_one_that_statsd_takes() -> None:
    meter = Meter()
    meter.count("blocked.plugins.<locals>.Ünicode:1|c")
    assert list(meter.counters) == ["blocked.plugins._locals_._nicode_1_c"]


def test_names_are_kept_up_to_a_bound_and_sent_beyond_it() -> None:
    kept = Kept()
    meter = Meter(kept)
    for number in range(NAMES_MAX + 5):
        meter.count(f"n{number}")
    meter.count("n0")
    assert len(meter.counters) == NAMES_MAX
    assert meter.counters["n0"] == 2
    assert len(kept.sent) == NAMES_MAX + 6


@pytest.mark.ordinary
def test_lines_arrive_as_statsd_reads_them() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(60)
        for prefix, line in (("acme", b"acme.came:1|c"), ("", b"came:1|c")):
            meter = Meter(StatsdClient("127.0.0.1", server.getsockname()[1], prefix))
            meter.count("came")
            assert server.recv(100) == line
            meter.close()


@pytest.mark.ordinary
def test_a_server_that_is_not_there_disturbs_nobody() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
    nobody, nowhere = StatsdClient("127.0.0.1", port, "p"), StatsdClient("no.such.host.invalid", 8125, "p")
    for _ in range(3):
        nobody.send("came", "1|c")
        nowhere.send("came", "1|c")
    nobody.close()
    nowhere.close()
    nobody.send("came", "1|c")
