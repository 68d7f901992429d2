"""A process that is frozen while it may write is ended; one that works is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.forked import another_process

from gnomon.entry.app import write_lock_watchdog
from gnomon.entry.app.write_lock_watchdog import SLOW_MAX_S, WriteLockWatchdog
from gnomon.ground.clock import VirtualClock
from gnomon.storage.store.drivers.write_lock import WriteLock, write_lock_path
from gnomon.storage.store.transaction import LEASE_TTL_S


@pytest.fixture
def frozen(tmp_path: Path) -> Iterator[int]:
    """A process that holds the write lock since 0 by its clock, and sleeps."""
    with another_process(lambda: WriteLock(tmp_path / "g.db", VirtualClock(0)).acquire()) as pid:
        yield pid


def _watch(folder: Path) -> WriteLockWatchdog:
    return WriteLockWatchdog(write_lock_path(folder / "g.db"))


def test_a_holder_within_its_time_lives(tmp_path: Path, frozen: int) -> None:
    assert _watch(tmp_path).check(LEASE_TTL_S) is None
    os.kill(frozen, 0)


def test_a_holder_beyond_its_time_is_killed_and_the_next_may_write(tmp_path: Path, frozen: int) -> None:
    watchdog = _watch(tmp_path)
    assert watchdog.check(LEASE_TTL_S) is None
    assert watchdog.check(LEASE_TTL_S + 10) == frozen
    assert os.waitstatus_to_exitcode(os.waitpid(frozen, 0)[1]) == -signal.SIGKILL
    lock = WriteLock(tmp_path / "g.db", VirtualClock(0))
    lock.acquire()
    lock.release()
    lock.close()
    assert watchdog.check(1e9) is None


def test_a_holder_that_has_no_processor_or_waits_for_its_disk_lives_for_half_a_minute(
    tmp_path: Path, frozen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = [(1.0, False), (1.2, False), (1.2, True), (1.21, False)]
    monkeypatch.setattr(write_lock_watchdog, "_read_advance", lambda pid: advance.pop(0))
    watchdog = _watch(tmp_path)
    assert watchdog.check(LEASE_TTL_S) is None
    assert watchdog.check(LEASE_TTL_S + 1) is None
    assert watchdog.check(LEASE_TTL_S + 2) is None
    assert watchdog.check(LEASE_TTL_S + 3) == frozen
    os.waitpid(frozen, 0)


def test_no_holder_stays_for_longer(tmp_path: Path, frozen: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_lock_watchdog, "_read_advance", lambda pid: (0.0, True))
    watchdog = _watch(tmp_path)
    assert watchdog.check(SLOW_MAX_S) is None
    assert watchdog.check(SLOW_MAX_S + 0.1) == frozen
    os.waitpid(frozen, 0)


def test_a_process_that_works_advances_and_a_stopped_one_does_not() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        pid = process.pid
        first, _ = write_lock_watchdog._read_advance(pid)
        while write_lock_watchdog._read_advance(pid)[0] <= first:
            os.sched_yield()
        os.kill(pid, signal.SIGSTOP)
        os.waitpid(pid, os.WUNTRACED)
        stopped = write_lock_watchdog._read_advance(pid)
        assert write_lock_watchdog._read_advance(pid) == stopped
        assert not stopped[1]
        process.kill()


def test_nobody_is_killed_where_nobody_ever_wrote(tmp_path: Path) -> None:
    assert WriteLockWatchdog(write_lock_path(tmp_path / "none.db")).check(1e9) is None
