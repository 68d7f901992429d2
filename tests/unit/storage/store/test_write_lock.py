"""The write lock of SQLite: one holder, whose pid is in the file, and a queue in the kernel."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S

from gnomon.ground.clock import VirtualClock
from gnomon.storage.store import WriteLockTimeout
from gnomon.storage.store.drivers.lock_holder import LockHolder, find_lock_holder, find_pid_space, write_lock_path
from gnomon.storage.store.drivers.write_lock import WriteLock

START = 1_700_000_000_000_000


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "gnomon.db"


def _join_waiters() -> None:
    """Who gave up waiting has had the lock, and given it back."""
    for thread in threading.enumerate():
        if thread.name == "write-lock":
            thread.join(timeout=PATIENCE_S)


def test_the_holder_is_named_while_it_holds_and_not_after(database: Path) -> None:
    clock = VirtualClock(START)
    clock.advance(12.5)
    mine = WriteLock(database, clock)
    assert find_lock_holder(write_lock_path(database)) is None
    mine.acquire()
    assert find_lock_holder(write_lock_path(database)) == LockHolder(os.getpid(), 12.5, find_pid_space())
    mine.release()
    assert find_lock_holder(write_lock_path(database)) is None
    mine.close()


def test_nobody_holds_what_is_not_there(database: Path) -> None:
    assert find_lock_holder(write_lock_path(database)) is None


def test_the_next_in_the_queue_has_it_once_it_is_given_back(database: Path) -> None:
    clock = VirtualClock(START)
    first, second = WriteLock(database, clock), WriteLock(database, clock)
    first.acquire()
    order: list[str] = []

    def queue() -> None:
        second.acquire()
        order.append("second")
        second.release()

    thread = threading.Thread(target=queue)
    thread.start()
    order.append("first")
    first.release()
    thread.join(timeout=PATIENCE_S)
    assert order == ["first", "second"]
    first.acquire()
    first.close()
    second.close()


def test_who_waits_for_too_long_is_told_who_holds_it(database: Path) -> None:
    clock = VirtualClock(START)
    first, second = WriteLock(database, clock), WriteLock(database, clock, wait_max_s=0.05)
    first.acquire()
    with pytest.raises(WriteLockTimeout, match=f"process {os.getpid()} holds it"):
        second.acquire()
    first.release()
    _join_waiters()
    second.acquire()
    second.release()
    first.close()
    second.close()


def test_one_who_gave_up_waiting_does_not_get_it_later(database: Path) -> None:
    clock = VirtualClock(START)
    first, second = WriteLock(database, clock), WriteLock(database, clock, wait_max_s=0.02)
    first.acquire()
    with pytest.raises(WriteLockTimeout):
        second.acquire()
    first.release()
    _join_waiters()
    assert find_lock_holder(write_lock_path(database)) is None
    first.close()
    second.close()
