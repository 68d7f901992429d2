from __future__ import annotations

import errno
import math
import os
import selectors
import socket
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.processes.message_stream import FrameDecoder, encode_frame
from gnomon.ground.clock import SystemClock, VirtualClock
from gnomon.model.attempts import AttemptResult
from gnomon.services.executors.worker_protocol import EntryReport, FromWorker, Hello, ResultReport, Welcome
from gnomon.services.worker.scheduler_connections import ENTRY_DELAY_S, SchedulerConnections


def test_a_scheduler_that_cannot_be_accepted_for_want_of_descriptors_is_accepted_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[object] = []
    with selectors.DefaultSelector() as selector:
        schedulers = SchedulerConnections(
            str(tmp_path / "s"), selector, lambda _connection, message: heard.append(message), SystemClock()
        )

        def turn() -> int:
            ready = selector.select(0)
            for key, mask in ready:
                key.data(mask)
            return len(ready)

        def refused(_listener: object) -> Any:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as scheduler:
            scheduler.connect(str(tmp_path / "s"))
            scheduler.send(encode_frame(Hello(scheduler_id="s")))
            with monkeypatch.context() as patch:
                patch.setattr(socket.socket, "accept", refused)
                assert turn() == 1
            assert "scheduler_not_accepted" in caplog.text
            assert turn() == 0, "the loop does not spin"
            schedulers.accept_again()
            assert turn() == 1 and turn() == 1
            assert [type(message) for message in heard] == [Hello]
        schedulers.close()


def test_an_entry_is_sent_when_it_is_due_and_not_at_all_when_its_attempt_has_ended_before(tmp_path: Path) -> None:
    clock = VirtualClock(0)
    with selectors.DefaultSelector() as selector, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as scheduler:
        schedulers = SchedulerConnections(
            str(tmp_path / "s"),
            selector,
            lambda connection, message: schedulers.welcome(connection, message, "w", 1, ()),  # type: ignore[arg-type]
            clock,
        )
        scheduler.connect(str(tmp_path / "s"))
        scheduler.setblocking(False)
        scheduler.send(encode_frame(Hello(scheduler_id="s")))
        for _ in range(2):
            for key, mask in selector.select(0):
                key.data(mask)
        decoder = FrameDecoder(FromWorker)

        def sent() -> list[object]:
            schedulers.flush()
            try:
                return [message for message in decoder.feed(scheduler.recv(65536)) if not isinstance(message, Welcome)]
            except BlockingIOError:
                return []

        assert schedulers.find_entry_wait_s() == math.inf
        schedulers.on_entered("short", 1, 100)
        schedulers.on_entered("long", 2, 200)
        clock.advance(ENTRY_DELAY_S / 2)
        schedulers.on_entered("later", 3, 300)
        assert sent() == []
        assert schedulers.find_entry_wait_s() == pytest.approx(ENTRY_DELAY_S / 2)
        result = AttemptResult(
            attempt_id="short", group_no=1, run_pk=1, task_no=0, map_index=-1, outcome="success", started_at=100
        )
        schedulers.on_ended(result)
        assert sent() == [ResultReport(results=(result,))], "the result says when the attempt began"
        clock.advance(ENTRY_DELAY_S / 2)
        assert schedulers.find_entry_wait_s() == 0
        assert sent() == [EntryReport(attempts=(("long", 2, 200),))]
        clock.advance(ENTRY_DELAY_S)
        assert sent() == [EntryReport(attempts=(("later", 3, 300),))]
        assert schedulers.find_entry_wait_s() == math.inf
        schedulers.close()
