"""A CeleryExecutor with one real worker: a broker, a database, an api-server and `gnomon celery worker`, and this process in place of the scheduler.

It does what a scheduler does: it stores which attempt a task instance waits for, reads its mail, and forgets an attempt whose result it has.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
from tests.acceptance.celery_product import CeleryWorker
from tests.brokers import delete_queues
from tests.conformance.storeworld import World, task
from tests.patience import PATIENCE_S

from gnomon.entry.app.executor_wiring import create_executor
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts
from gnomon.model.executors import CELERY_EXECUTOR
from gnomon.model.ids import GROUPS
from gnomon.model.records import Changes, MailRecord, TaskRecord, WorkerRecord
from gnomon.model.states import TaskInstanceState
from gnomon.services.executors.interface import AttemptEnded, AttemptEntered, Executor, ExecutorEvent
from gnomon.storage.store import load_cipher, migrations, open_database
from gnomon.storage.store.coordination import mailbox

ATTEMPTS_MAX = 100
"""Task instances that the tests of one world may use."""
REFRESH_S = 0.5
MAIL_MAX = 1000


class CeleryWorld:
    """The executor and its worker. `text`: the DAG file."""

    worker_id = CELERY_EXECUTOR

    def __init__(self, broker_url: str, text: str) -> None:
        self._folder = tempfile.TemporaryDirectory(
            prefix="gnx-", ignore_cleanup_errors=True
        )  # short: a socket's path has 107 bytes
        home = Path(self._folder.name)
        (home / "dags").mkdir()
        self._file = home / "dags" / "three.py"
        self._file.write_text(text)
        self._broker_url, self._queue = broker_url, f"gnomon-test-{uuid.uuid4().hex[:12]}"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("GNOMON_", "AIRFLOW_"))}
        environ = {
            **inherited,
            "GNOMON_HOME": str(home),
            "GNOMON__API__PORT": str(port),
            "GNOMON__CORE__EXECUTOR": CELERY_EXECUTOR,
            "GNOMON__CELERY__BROKER_URL": broker_url,
            "GNOMON__OPERATORS__DEFAULT_QUEUE": self._queue,
        }
        cfg = load_config(environ)
        migrations.upgrade_schema(cfg.database_url)
        self._clock = SystemClock()
        self._database = open_database(cfg.database_url, cipher=load_cipher(cfg))
        self._database.bind_key()
        self._store = World(self._database)
        self._store.dag(tasks=[f"t{number}" for number in range(ATTEMPTS_MAX)])
        self._run = self._store.run()
        self._numbers = itertools.count()
        self._places: dict[str, int] = {}
        """The number of the task instance by attempt id."""
        self._seen: set[int] = set()
        self._refresh_at = 0.0
        with (home / "api.log").open("ab") as log:
            self._api = subprocess.Popen(
                [sys.executable, "-m", "gnomon", "api-server"], env=environ, stdout=log, stderr=log
            )
        product = SimpleNamespace(dags=home / "dags", home=home)
        deployment: Any = SimpleNamespace(
            product=product, broker_url=broker_url, address=f"http://127.0.0.1:{port}", queue=self._queue
        )
        self._worker = CeleryWorker(deployment, (self._queue,), 2, "contract", shares_logs=True, environ={})
        self.executor: Executor = create_executor(cfg, self._store.me, "host", self._database, self._clock)

    def record(self) -> WorkerRecord:
        """What the store would say of the worker: nothing, because it stands for a broker."""
        return WorkerRecord(self.worker_id, "host", "", 2, 0, False)

    def attempt(self, task_id: str, **fields: Any) -> Attempt:
        """An attempt that its owner waits for."""
        number = next(self._numbers)
        attempt_id = str(uuid.uuid4())
        self._places[attempt_id] = number
        self._store.apply(Changes(tasks=[task(self._run, number, attempt=attempt_id, worker=self.worker_id)]))
        run = RunFacts(run_pk=self._run.run_pk, dag_id="d", run_id="m", run_type="manual", run_after=0, logical_at=0)
        facts: dict[str, Any] = {
            "attempt_id": attempt_id,
            "group_no": 1,
            "epoch": 1,
            "run": run,
            "task_id": task_id,
            "task_no": number,
            "file": str(self._file),
            "input_hash": "1",
            "queue": self._queue,
            "log": f"dag_id=d/{attempt_id}/attempt=1.log",
        }
        return Attempt(**{**facts, **fields})

    def another(self) -> Executor:
        raise NotImplementedError("nothing is connected to this worker")

    def wait(
        self, enough: Callable[[Sequence[ExecutorEvent]], bool], executor: Executor | None = None
    ) -> list[ExecutorEvent]:
        """The events until these are enough."""
        found: list[ExecutorEvent] = []
        deadline = time.monotonic() + PATIENCE_S
        while True:
            if time.monotonic() >= self._refresh_at:
                self.executor.refresh([])
                self._refresh_at = time.monotonic() + REFRESH_S
            found += self.executor.poll_events()
            found += self._read_mail()
            if enough(found):
                return found
            assert time.monotonic() < deadline, f"never enough: {found}"
            time.sleep(0.02)

    def _read_mail(self) -> list[ExecutorEvent]:
        with self._database.read() as tx:
            messages = mailbox.read_messages(tx, range(GROUPS), MAIL_MAX)
        found: list[ExecutorEvent] = []
        for message in messages:
            body = json.loads(message.body)
            if message.kind == "attempt_entered":
                found.append(AttemptEntered(self.worker_id, body["attempt_id"], message.group_no, body["at"]))
                self._forget(message)
            elif message.kind == "result":
                result = msgspec.convert(body["result"], AttemptResult)
                found.append(AttemptEnded(self.worker_id, result))
                ended = task(self._run, self._places[result.attempt_id], TaskInstanceState.SUCCESS)
                self._forget(message, ended)
        return found

    def _forget(self, message: MailRecord, *rows: TaskRecord) -> None:
        """Store what the message says, and delete it, in one transaction."""
        self._store.apply(Changes(tasks=list(rows), mail_deleted=[message.mail_pk]))

    def close(self) -> None:
        """End the processes, and remove the queue."""
        self.executor.close()
        print(self._worker.log()[-4000:])
        self._worker.stop()
        self._api.terminate()
        self._api.wait(PATIENCE_S)
        self._database.close()
        delete_queues(self._broker_url, (self._queue,))
        self._folder.cleanup()
