"""Bells and ears over real sockets, presence over real processes."""

from __future__ import annotations

import os
import select
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.forked import another_process

from gnomon.ground.wakeups import Listener, Notifier, ProcessLock, StopFlag, reset_signals


def _rings(ear: Listener) -> bool:
    return bool(select.select([ear], [], [], 0)[0])


def test_one_ring_wakes_every_listener(tmp_path: Path) -> None:
    ears = [Listener(tmp_path, name) for name in ("scheduler-1", "scheduler-2")]
    assert not any(_rings(ear) for ear in ears)
    assert Notifier(tmp_path).notify() == 2
    assert all(_rings(ear) for ear in ears)
    assert [ear.drain() for ear in ears] == [True, True]
    assert not any(_rings(ear) for ear in ears)
    assert [ear.drain() for ear in ears] == [False, False]
    for ear in ears:
        ear.close()


def test_ringing_a_full_ear_neither_blocks_nor_fails(tmp_path: Path) -> None:
    ear = Listener(tmp_path, "deaf")
    bell = Notifier(tmp_path)
    assert all(bell.notify() == 1 for _ in range(2_000))
    ear.close()


def test_the_socket_of_a_dead_listener_is_removed(tmp_path: Path) -> None:
    dead = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    dead.bind(str(tmp_path / "dead.wake"))
    dead.close()
    ear = Listener(tmp_path, "alive")
    assert Notifier(tmp_path).notify() == 1
    assert sorted(os.listdir(tmp_path)) == ["alive.wake"]
    ear.close()
    assert os.listdir(tmp_path) == []


def test_a_bell_rings_where_nobody_ever_listened(tmp_path: Path) -> None:
    assert Notifier(tmp_path / "no-such-folder").notify() == 0


def test_an_ear_takes_the_place_that_a_killed_one_left(tmp_path: Path) -> None:
    left = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.bind(str(tmp_path / "scheduler.wake"))
    left.close()
    ear = Listener(tmp_path, "scheduler")
    assert Notifier(tmp_path).notify() == 1
    ear.close()
    ear.close()


def test_a_path_too_long_for_a_socket_is_named(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"cannot listen for wake-ups at .*path too long"):
        Listener(tmp_path, "x" * 200)


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[int]:
    """Another process that is the dag-processor of `tmp_path`."""

    def take() -> None:
        assert ProcessLock(tmp_path, "dag-processor").acquire(wait=False)

    with another_process(take) as pid:
        yield pid


@pytest.mark.ordinary
def test_presence_excludes_others_and_ends_with_its_process(tmp_path: Path, holder: int) -> None:
    second = ProcessLock(tmp_path, "dag-processor")
    assert not second.acquire(wait=False)
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    assert second.acquire(wait=True)
    second.close()


def test_a_stop_signal_sets_the_flag_and_ends_a_sleep() -> None:
    woken: list[int] = []
    stop = StopFlag(lambda: woken.append(1)).install_handlers()
    try:
        assert not stop()
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        assert (stop(), stop.signal_count, len(woken)) == (True, 2, 2)
        assert select.select([stop.fileno()], [], [], 0)[0] == [stop.fileno()]
    finally:
        reset_signals()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop.close()
