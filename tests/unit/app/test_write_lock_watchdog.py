"""A process that is frozen while it may write is ended; one that works is not."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.forked import another_process

from gnomon.app.write_lock_watchdog import kill_overdue_holder
from gnomon.clock import VirtualClock
from gnomon.store.drivers.write_lock import WriteLock, write_lock_path
from gnomon.store.transaction import LEASE_TTL_S


@pytest.fixture
def frozen(tmp_path: Path) -> Iterator[int]:
    """A process that holds the ticket since 0 by its clock, and sleeps."""
    with another_process(lambda: WriteLock(tmp_path / "g.db", VirtualClock(0)).acquire()) as pid:
        yield pid


def test_a_holder_within_its_time_lives(tmp_path: Path, frozen: int) -> None:
    assert kill_overdue_holder(write_lock_path(tmp_path / "g.db"), LEASE_TTL_S) is None
    os.kill(frozen, 0)


def test_a_holder_beyond_its_time_is_killed_and_the_next_may_write(tmp_path: Path, frozen: int) -> None:
    assert kill_overdue_holder(write_lock_path(tmp_path / "g.db"), LEASE_TTL_S + 0.1) == frozen
    assert os.waitstatus_to_exitcode(os.waitpid(frozen, 0)[1]) == -signal.SIGKILL
    ticket = WriteLock(tmp_path / "g.db", VirtualClock(0))
    ticket.acquire()
    ticket.release()
    ticket.close()
    assert kill_overdue_holder(write_lock_path(tmp_path / "g.db"), 1e9) is None


def test_nobody_is_killed_where_nobody_ever_wrote(tmp_path: Path) -> None:
    assert kill_overdue_holder(write_lock_path(tmp_path / "none.db"), 1e9) is None
