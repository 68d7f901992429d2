"""What a worker did not take at once goes on as soon as it takes more, and not with the next thing that happens."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

from tests.databases import create_schema
from tests.patience import PATIENCE_S

from gnomon.author_code.processes.message_stream import FrameDecoder
from gnomon.ground.clock import SystemClock
from gnomon.ground.wakeups import Listener, Notifier
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.records import WorkerRecord
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.services.executors.local import LocalExecutor
from gnomon.services.executors.worker_protocol import SubmitAttempts, ToWorker
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import SchedulerSettings
from gnomon.storage.store import open_database
from gnomon.storage.store.coordination import leases

ATTEMPTS = 1000
SELDOM_S = 1e4
"""Between two rounds in which the scheduler looks by itself."""


class SlowWorker(threading.Thread):
    """Takes what it is told, a piece at a time; when it has all, or after PATIENCE_S without a word, it rings."""

    def __init__(self, server: socket.socket, bell: Notifier) -> None:
        super().__init__(daemon=True)
        self._server = server
        self._bell = bell
        self.taken = 0
        self.ended = threading.Event()

    def run(self) -> None:
        splitter: FrameDecoder[ToWorker] = FrameDecoder(ToWorker)
        connection, _ = self._server.accept()
        connection.settimeout(PATIENCE_S)
        with connection:
            try:
                while self.taken < ATTEMPTS:
                    messages = list(splitter.feed(connection.recv(1 << 16)))
                    self.taken += sum(
                        len(message.attempts) for message in messages if isinstance(message, SubmitAttempts)
                    )
            except TimeoutError:
                pass
            self.ended.set()
            self._bell.notify()


def test_a_worker_that_reads_slowly_waits_for_no_other_event(tmp_path: Path) -> None:
    url, address = f"sqlite:///{tmp_path / 'gnomon.db'}", str(tmp_path / "w")
    create_schema(url)
    db = open_database(url, clock=SystemClock())
    there = WorkerRecord("w", "here", address, 1, db.now(), False)
    with db.write() as tx:
        leases.register_worker(tx, there)
    run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0, conf={"x": "y" * 2000})
    attempts = [
        Attempt(attempt_id=f"a{n}", group_no=1, epoch=1, run=run, task_id="t", task_no=1, file="/d.py")
        for n in range(ATTEMPTS)
    ]
    executor = LocalExecutor("s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        worker = SlowWorker(server, Notifier(tmp_path))
        ear = Listener(tmp_path, "s")
        executor.refresh([there])
        executor.submit("w", attempts)
        worker.start()
        SchedulerService(
            settings=SchedulerSettings(
                EngineLimits(parallelism=1, max_admissions_per_step=1), 1, True, beat_s=SELDOM_S, sweep_s=SELDOM_S
            ),
            db=db,
            executor=executor,
            clock=SystemClock(),
            listener=ear,
            new_id=lambda: "0",
            scheduler_id="s",
            host="here",
        ).run(worker.ended.is_set)
        worker.join()
    executor.close()
    ear.close()
    db.close()
    assert worker.taken == ATTEMPTS
