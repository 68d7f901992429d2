from __future__ import annotations

import errno
import os
import selectors
import socket
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.processes.message_stream import encode_frame
from gnomon.services.executors.worker_protocol import Hello
from gnomon.services.worker.scheduler_connections import SchedulerConnections


def test_a_scheduler_that_cannot_be_accepted_for_want_of_descriptors_is_accepted_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[object] = []
    with selectors.DefaultSelector() as selector:
        schedulers = SchedulerConnections(
            str(tmp_path / "s"), selector, lambda _connection, message: heard.append(message)
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
