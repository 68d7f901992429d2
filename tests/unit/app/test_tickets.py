"""A process that is frozen while it may write is ended; one that works is not."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.forked import another_process

from gnomon.app.tickets import end_overdue
from gnomon.clock import VirtualClock
from gnomon.store.lifetimes import TTL_S
from gnomon.store.ticket import Ticket, ticket_path


@pytest.fixture
def frozen(tmp_path: Path) -> Iterator[int]:
    """A process that holds the ticket since 0 by its clock, and sleeps."""
    with another_process(lambda: Ticket(tmp_path / "g.db", VirtualClock(0)).take()) as pid:
        yield pid


def test_a_holder_within_its_time_lives(tmp_path: Path, frozen: int) -> None:
    assert end_overdue(ticket_path(tmp_path / "g.db"), TTL_S) is None
    os.kill(frozen, 0)


def test_a_holder_beyond_its_time_is_killed_and_the_next_may_write(tmp_path: Path, frozen: int) -> None:
    assert end_overdue(ticket_path(tmp_path / "g.db"), TTL_S + 0.1) == frozen
    assert os.waitstatus_to_exitcode(os.waitpid(frozen, 0)[1]) == -signal.SIGKILL
    ticket = Ticket(tmp_path / "g.db", VirtualClock(0))
    ticket.take()
    ticket.give_back()
    ticket.close()
    assert end_overdue(ticket_path(tmp_path / "g.db"), 1e9) is None


def test_nobody_is_killed_where_nobody_ever_wrote(tmp_path: Path) -> None:
    assert end_overdue(ticket_path(tmp_path / "none.db"), 1e9) is None
