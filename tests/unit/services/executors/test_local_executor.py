"""The local executor blocks for nobody and forgets nothing that it was given."""

from __future__ import annotations

import socket
from pathlib import Path

from gnomon.author_code.processes import lifeline
from gnomon.author_code.processes.message_stream import FrameDecoder, encode_frame
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.records import WorkerRecord
from gnomon.services.executors.interface import WorkerConnected, WorkerDied, WorkerUnreachable
from gnomon.services.executors.local import LocalExecutor
from gnomon.services.executors.worker_protocol import SubmitAttempts, ToWorker, Welcome


def listener(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(path))
    sock.listen()
    return sock


def record(path: Path) -> WorkerRecord:
    return WorkerRecord("w", "here", str(path), 1, 0, False)


def attempts(count: int) -> list[Attempt]:
    run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0, conf={"x": "y" * 2000})
    return [
        Attempt(attempt_id=f"a{n}", group_no=1, epoch=1, run=run, task_id="t", task_no=1, file="/d.py")
        for n in range(count)
    ]


def test_a_worker_that_does_not_read_blocks_nobody_and_gets_everything_later(tmp_path: Path) -> None:
    with listener(tmp_path / "w") as server:
        executor = LocalExecutor("s")
        executor.refresh([record(tmp_path / "w")])
        executor.submit("w", attempts(3000))
        assert executor.write_filenos() == executor.read_filenos() != []
        connection, _ = server.accept()
        splitter: FrameDecoder[ToWorker] = FrameDecoder(ToWorker)
        got = 0
        with connection:
            while got < 3000:
                executor.poll_events()
                messages = list(splitter.feed(connection.recv(1 << 20)))
                got += sum(len(message.attempts) for message in messages if isinstance(message, SubmitAttempts))
        assert executor.write_filenos() == []
        executor.close()
    assert got == 3000


def test_a_worker_without_a_listener_is_tried_again_at_the_next_refresh(tmp_path: Path) -> None:
    executor = LocalExecutor("s")
    executor.refresh([record(tmp_path / "w")])
    assert (executor.read_filenos(), executor.poll_events()) == ([], [])
    with listener(tmp_path / "w") as server:
        executor.refresh([record(tmp_path / "w")])
        connection, _ = server.accept()
        connection.sendall(encode_frame(Welcome(worker_id="w", slots=3)))
        assert executor.poll_events() == [WorkerConnected("w", 3)]
        connection.close()
        assert executor.poll_events() == [WorkerUnreachable("w")]
    executor.close()


def test_a_worker_that_talks_nonsense_is_let_go(tmp_path: Path) -> None:
    with listener(tmp_path / "w") as server:
        executor = LocalExecutor("s")
        executor.refresh([record(tmp_path / "w")])
        connection, _ = server.accept()
        connection.sendall(b"\x00\x00\x00\x04abcd")
        assert executor.poll_events() == [WorkerUnreachable("w")]
        connection.close()
        executor.close()


def test_only_a_worker_of_this_host_is_found_dead_by_its_lifeline(tmp_path: Path) -> None:
    """On a folder that hosts share, the lock of a worker of another host may look free: its heartbeats decide."""
    lifeline.lifeline_path(str(tmp_path / "w")).touch()
    executor = LocalExecutor("s", "there")
    executor.refresh([record(tmp_path / "w")])
    assert executor.poll_events() == []
    assert lifeline.lifeline_path(str(tmp_path / "w")).exists()
    own = LocalExecutor("s", "here")
    own.refresh([record(tmp_path / "w")])
    assert own.poll_events() == [WorkerDied("w")]
