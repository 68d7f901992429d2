"""A standalone with the CeleryExecutor, and workers that know the broker, the api-server and the DAG files, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.acceptance.product import Product, product
from tests.brokers import delete_queues
from tests.commands import start_service
from tests.patience import PATIENCE_S


class CeleryWorker:
    """One `gnomon celery worker` with a home of its own."""

    def __init__(
        self,
        deployment: CeleryProduct,
        queues: tuple[str, ...],
        concurrency: int,
        name: str,
        *,
        shares_logs: bool,
        environ: Mapping[str, str],
        script: tuple[str, ...] = (),
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="w-", ignore_cleanup_errors=True)
        self.home = Path(self._folder.name)
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("GNOMON_", "AIRFLOW_"))}
        self.env = {
            **inherited,
            "GNOMON_HOME": str(self.home),
            "GNOMON__CELERY__BROKER_URL": deployment.broker_url,
            "GNOMON__WORKERS__SHUTDOWN_GRACE": "0",
            "GNOMON__CORE__DAGS_FOLDER": str(deployment.product.dags),
            "GNOMON__CORE__EXECUTION_API_SERVER_URL": f"{deployment.address}/execution",
            "GNOMON__LOGGING__BASE_LOG_FOLDER": str((deployment.product.home if shares_logs else self.home) / "logs"),
            **environ,
        }
        with (self.home / "worker.log").open("a") as log:
            words = ("celery", "worker", "-q", ",".join(queues), "-c", str(concurrency), "-H", f"{name}@%h")
            if script:
                self.process = subprocess.Popen(
                    [sys.executable, *script, *words], env=self.env, stdout=log, stderr=log, start_new_session=True
                )
            else:
                self.process = start_service(*words, env=self.env, stdout=log, stderr=log)

    def log(self) -> str:
        return (self.home / "worker.log").read_text()

    def freeze(self) -> None:
        """Stop every process of the worker; its connections stay open."""
        for pid in [self.process.pid, *descendants(self.process.pid)]:
            os.kill(pid, signal.SIGSTOP)

    def kill(self) -> None:
        """Kill every process of the worker at once, as a machine that loses its power does."""
        found = [self.process.pid, *descendants(self.process.pid)]
        for number in (signal.SIGSTOP, signal.SIGKILL):  # none learns of the death of another one and ends in order
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
        self.process.wait(PATIENCE_S)

    def stop(self) -> None:
        """Stop it in order, and remove its home."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                self.kill()
        self._folder.cleanup()


class CeleryProduct:
    """The deployment of one test."""

    def __init__(self, running: Product, broker_url: str, queue: str) -> None:
        self.product = running
        self.broker_url = broker_url
        self.queue = queue
        self._workers: list[CeleryWorker] = []

    @property
    def address(self) -> str:
        """Of the page and the API. Another one after a restart."""
        said = self.product.said
        return said[said.index("http://") :].split()[0].rstrip("/")

    def start_worker(
        self,
        *queues: str,
        concurrency: int = 4,
        shares_logs: bool = True,
        environ: Mapping[str, str] | None = None,
        name: str = "",
        script: tuple[str, ...] = (),
    ) -> CeleryWorker:
        """Start a worker of these queues; none: of the default queue. `shares_logs`: it writes into the folder of logs of the standalone. `script`: what Python runs in the place of `gnomon`."""
        worker = CeleryWorker(
            self,
            queues or (self.queue,),
            concurrency,
            name or f"w{len(self._workers)}",
            shares_logs=shares_logs,
            environ=environ or {},
            script=script,
        )
        self._workers.append(worker)
        return worker

    def stop(self) -> None:
        """Stop all workers; their logs go to the output, which pytest shows when the test has failed."""
        for worker in self._workers:
            print(worker.log()[-4000:])
            worker.stop()
        self._workers.clear()


@contextmanager
def celery_product(
    broker_url: str, files: Mapping[str, str], environ: Mapping[str, str] | None = None
) -> Iterator[CeleryProduct]:
    """A standalone without a local worker; its tasks go to a queue that no other test has."""
    queue = f"gnomon-test-{uuid.uuid4().hex[:12]}"
    settings = {
        "GNOMON__CORE__EXECUTOR": "CeleryExecutor",
        "GNOMON__CELERY__BROKER_URL": broker_url,
        "GNOMON__OPERATORS__DEFAULT_QUEUE": queue,
        "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        **(environ or {}),
    }
    with product(files, settings) as running:
        made = CeleryProduct(running, broker_url, queue)
        try:
            yield made
        finally:
            made.stop()
            delete_queues(broker_url, (queue, f"{queue}-other"))


def descendants(pid: int) -> list[int]:
    """The processes below a process, by the parents that /proc names."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    found: list[int] = []
    wanted = [pid]
    while wanted:
        parent = wanted.pop()
        below = [child for child, above in parents.items() if above == parent]
        found += below
        wanted += below
    return found
