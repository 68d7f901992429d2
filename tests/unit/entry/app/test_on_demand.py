"""What says that a service is needed which has no process yet: a connection that stays for the service, or a mark."""

from __future__ import annotations

import select
import socket
from pathlib import Path

from gnomon.entry.app.on_demand import TRIGGERER, ConnectionDemand, MarkDemand, OnDemandStart
from gnomon.ground.config import load_config


def test_a_connection_is_a_demand_until_somebody_accepts_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as client:
        demand = ConnectionDemand(listener)
        assert not demand.is_needed()
        client.connect(listener.getsockname())
        assert select.select([demand.fileno()], [], [])[0]
        demand.leave_in_fork()
        demand.close()
        assert demand.is_needed()
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getpeername() == client.getsockname()
            assert not demand.is_needed()


def test_a_mark_is_a_demand_and_wakes_who_waits_for_it(tmp_path: Path) -> None:
    start = OnDemandStart(load_config({}, tmp_path), TRIGGERER)
    demand = MarkDemand(start)
    assert not demand.is_needed()
    start.notify()
    assert select.select([demand.fileno()], [], [])[0]
    assert demand.is_needed()
    assert not select.select([demand.fileno()], [], [], 0)[0]
    start.clear_mark()
    assert not demand.is_needed()
    demand.close()
    assert not list(start.folder.glob("waiting-*"))
