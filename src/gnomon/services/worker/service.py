"""The worker as a process of its own: `gnomon worker`, or one of the services of `gnomon standalone`."""

from __future__ import annotations

import resource
from dataclasses import replace

from gnomon.author_code.loading.folder_digest import create_folder_recorder
from gnomon.ground import log
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config, environment
from gnomon.ground.config.host_name import current_host_name
from gnomon.ground.metrics import ProcessFigures
from gnomon.ground.wakeups import Notifier, change_notifier
from gnomon.services.worker import drain
from gnomon.services.worker.loop import WorkerService
from gnomon.services.worker.settings import build_worker_settings
from gnomon.services.worker.worker_store import DatabaseWorkerStore
from gnomon.storage.store import load_cipher, open_database
from gnomon.storage.store.coordination.service_figures import FiguresWriter

events = log.get_logger("worker")

DESCRIPTORS = 16_384
"""The limit of open files that the worker sets: each child takes one."""


def main(cfg: Config, stop_grace_s: float | None = None) -> int:
    """Run attempts until SIGTERM or Ctrl-C, then until running attempts have ended or their grace is over. Returns the exit code.

    `stop_grace_s`: running attempts are ended at once, with so much time between SIGTERM and SIGKILL; None: as the options say.
    """
    clock = SystemClock()
    requests = drain.StopRequests(clock)
    _raise_descriptor_limit()
    settings = build_worker_settings(cfg, environment())
    if stop_grace_s is not None:
        settings = replace(settings, shutdown_grace_s=0.0, stop_grace_s=stop_grace_s)
    figures = ProcessFigures()

    record_folder = create_folder_recorder(cfg, clock)

    def refresh() -> None:
        worker.record_figures(figures)
        record_folder(figures)

    def create_writer(worker_id: str) -> FiguresWriter:
        writer = FiguresWriter(figures, "worker", worker_id, current_host_name(), clock)
        writer.refresh = refresh
        return writer

    worker_store = DatabaseWorkerStore(
        lambda: open_database(
            cfg.database_url,
            role="worker",
            synchronous=cfg.text("database", "synchronous"),
            cipher=load_cipher(cfg),
            announce_changes=change_notifier(settings.run_folder).notify,
        ),
        Notifier(settings.run_folder).notify,
        create_writer,
    )
    worker = WorkerService(settings, worker_store, clock)
    worker.start()
    events.info("worker_started", worker=worker.worker_id, slots=settings.slots, address=worker.address)
    try:
        drain.run(worker, requests, clock, settings.shutdown_grace_s)
    finally:
        worker_store.close()
        worker.close()
    events.info("worker_stopped", worker=worker.worker_id)
    return 0


def _raise_descriptor_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
