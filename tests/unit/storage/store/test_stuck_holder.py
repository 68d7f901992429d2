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

from gnomon.ground.clock import SystemClock, VirtualClock
from gnomon.storage.store.drivers import lock_holder, stuck_holder
from gnomon.storage.store.drivers.lock_holder import find_lock_holder, find_pid_space, write_lock_path
from gnomon.storage.store.drivers.stuck_holder import SLOW_MAX_S, StuckHolderWatch
from gnomon.storage.store.drivers.write_lock import WriteLock
from gnomon.storage.store.transaction import LEASE_TTL_S

pytestmark = pytest.mark.ordinary


@pytest.fixture
def frozen(tmp_path: Path) -> Iterator[int]:
    """A process that holds the write lock since 0 by its clock, and sleeps."""
    with another_process(lambda: WriteLock(tmp_path / "g.db", VirtualClock(0)).acquire()) as pid:
        yield pid


def _watch(folder: Path) -> StuckHolderWatch:
    return StuckHolderWatch(write_lock_path(folder / "g.db"))


def test_a_holder_within_its_time_lives(tmp_path: Path, frozen: int) -> None:
    assert _watch(tmp_path).check(LEASE_TTL_S) is None
    os.kill(frozen, 0)


def test_nobody_is_killed_at_first_sight(tmp_path: Path, frozen: int) -> None:
    """A writer that has only begun to wait does not know whether the holder works."""
    assert _watch(tmp_path).check(LEASE_TTL_S + 10) is None
    os.kill(frozen, 0)


def test_a_holder_beyond_its_time_is_killed_and_the_next_may_write(tmp_path: Path, frozen: int) -> None:
    watch = _watch(tmp_path)
    assert watch.check(LEASE_TTL_S) is None
    assert watch.check(LEASE_TTL_S + 10) == frozen
    assert os.waitstatus_to_exitcode(os.waitpid(frozen, 0)[1]) == -signal.SIGKILL
    lock = WriteLock(tmp_path / "g.db", VirtualClock(0))
    lock.acquire()
    lock.release()
    lock.close()
    assert watch.check(1e9) is None


def test_a_holder_that_has_no_processor_or_waits_for_its_disk_lives_for_half_a_minute(
    tmp_path: Path, frozen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = [(1.0, False), (1.2, False), (1.2, True), (1.21, False)]
    monkeypatch.setattr(stuck_holder, "_read_advance", lambda pid: advance.pop(0))
    watch = _watch(tmp_path)
    assert watch.check(LEASE_TTL_S) is None
    assert watch.check(LEASE_TTL_S + 1) is None
    assert watch.check(LEASE_TTL_S + 2) is None
    assert watch.check(LEASE_TTL_S + 3) == frozen
    os.waitpid(frozen, 0)


def test_no_holder_stays_for_longer(tmp_path: Path, frozen: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stuck_holder, "_read_advance", lambda pid: (0.0, True))
    watch = _watch(tmp_path)
    assert watch.check(SLOW_MAX_S) is None
    assert watch.check(SLOW_MAX_S + 0.1) == frozen
    os.waitpid(frozen, 0)


def test_a_process_that_works_advances_and_a_stopped_one_does_not() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        pid = process.pid
        first, _ = stuck_holder._read_advance(pid)
        while stuck_holder._read_advance(pid)[0] <= first:
            os.sched_yield()
        os.kill(pid, signal.SIGSTOP)
        os.waitpid(pid, os.WUNTRACED)
        stopped = stuck_holder._read_advance(pid)
        assert stuck_holder._read_advance(pid) == stopped
        assert not stopped[1]
        process.kill()


def test_nobody_is_killed_where_nobody_ever_wrote(tmp_path: Path) -> None:
    assert StuckHolderWatch(write_lock_path(tmp_path / "none.db")).check(1e9) is None


def test_who_waits_kills_a_stopped_holder_and_has_the_lock(
    tmp_path: Path, frozen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other process looks: the writers that are hurt do it themselves."""
    monkeypatch.setattr("gnomon.storage.store.drivers.write_lock.CHECK_EVERY_S", 0.01)
    lock = WriteLock(tmp_path / "g.db", SystemClock())
    lock.acquire()
    assert os.waitstatus_to_exitcode(os.waitpid(frozen, 0)[1]) == -signal.SIGKILL
    holder = find_lock_holder(write_lock_path(tmp_path / "g.db"))
    assert holder is not None and (holder.pid, holder.pid_space) == (os.getpid(), find_pid_space())
    lock.release()
    lock.close()


@pytest.mark.parametrize("pid_space", ["", "other boot:1"])
def test_a_process_id_of_another_machine_or_container_names_nobody_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pid_space: str
) -> None:
    def hold() -> None:
        lock_holder.find_pid_space = lambda: pid_space  # type: ignore[assignment]
        WriteLock(tmp_path / "g.db", VirtualClock(0)).acquire()

    with another_process(hold) as pid:
        assert _watch(tmp_path).check(1e9) is None
        os.kill(pid, 0)


def test_the_one_before_is_not_killed_when_the_holder_was_stopped_before_it_wrote_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as innocent:

        def hold() -> None:
            monkeypatch.setattr(os, "getpid", lambda: innocent.pid)  # the record of the one before
            WriteLock(tmp_path / "g.db", VirtualClock(0)).acquire()

        with another_process(hold):
            watch = _watch(tmp_path)
            assert watch.check(LEASE_TTL_S) is None
            assert watch.check(LEASE_TTL_S + 100) is None
        assert innocent.poll() is None
        innocent.communicate(b"\n")
