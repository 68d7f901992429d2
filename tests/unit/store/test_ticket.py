"""The writer's ticket: one holder, named, and a queue in the kernel."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S

from gnomon.clock import VirtualClock
from gnomon.store import WriterStuck, ticket
from gnomon.store.lifetimes import TTL_S
from gnomon.store.ticket import Holder, Ticket, holder, overdue, ticket_path

START = 1_700_000_000_000_000


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "gnomon.db"


def test_the_holder_is_named_while_it_holds_and_not_after(database: Path) -> None:
    clock = VirtualClock(START)
    clock.advance(12.5)
    mine = Ticket(database, clock)
    assert holder(ticket_path(database)) is None
    mine.take()
    assert holder(ticket_path(database)) == Holder(os.getpid(), 12.5)
    mine.give_back()
    assert holder(ticket_path(database)) is None
    mine.close()


def test_who_holds_it_for_too_long_is_overdue(database: Path) -> None:
    mine = Ticket(database, VirtualClock(START))
    path = ticket_path(database)
    assert overdue(path, 100.0) is None
    mine.take()
    assert overdue(path, TTL_S) is None
    assert overdue(path, TTL_S + 0.01) == os.getpid()
    mine.close()
    assert overdue(path, 100.0) is None


def test_nobody_holds_what_is_not_there(database: Path) -> None:
    assert holder(ticket_path(database)) is None


def test_the_next_in_the_queue_has_it_once_it_is_given_back(database: Path) -> None:
    clock = VirtualClock(START)
    first, second = Ticket(database, clock), Ticket(database, clock)
    first.take()
    order: list[str] = []

    def queue() -> None:
        second.take()
        order.append("second")
        second.give_back()

    thread = threading.Thread(target=queue)
    thread.start()
    order.append("first")
    first.give_back()
    thread.join(timeout=PATIENCE_S)
    assert order == ["first", "second"]
    first.take()
    first.close()
    second.close()


def test_who_waits_for_too_long_is_told_who_holds_it(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticket, "WAIT_MAX_S", 0.05)
    clock = VirtualClock(START)
    first, second = Ticket(database, clock), Ticket(database, clock)
    first.take()
    with pytest.raises(WriterStuck, match=f"process {os.getpid()} holds it"):
        second.take()
    first.give_back()
    second.take()
    second.give_back()
    first.close()
    second.close()


def test_one_who_gave_up_waiting_does_not_get_it_later(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticket, "WAIT_MAX_S", 0.02)
    clock = VirtualClock(START)
    first, second = Ticket(database, clock), Ticket(database, clock)
    first.take()
    with pytest.raises(WriterStuck):
        second.take()
    first.give_back()
    for thread in threading.enumerate():
        if thread.name == "ticket":
            thread.join(timeout=PATIENCE_S)
    assert holder(ticket_path(database)) is None
    first.close()
    second.close()
