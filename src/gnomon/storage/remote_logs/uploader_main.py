"""`python -m gnomon.storage.remote_logs.uploader_main SPOOL`: uploads the logs of one worker, whose pipe is the standard input.

It is a process of its own, so that the worker, which forks tasks, has neither threads nor the libraries of stores, and waits for no network.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from functools import cache

from gnomon.author_code.processes.process_title import name_service
from gnomon.ground import log
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import current_config
from gnomon.ground.log import read_log_files
from gnomon.storage.remote_logs.log_uploader import LogUploader
from gnomon.storage.remote_logs.remote_log_folder import open_remote_log_folder
from gnomon.storage.remote_logs.upload_spool import UploadSpool
from gnomon.storage.store import Database, load_cipher, open_database

TAKE_OVER_S = 30.0
"""Interval between two looks for spools of workers that have ended."""
_INPUT = 0


def main(spool_id: str) -> int:
    """Upload until the worker has ended, then try the rest once. Returns the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the end of the worker ends this process
    cfg = current_config()
    name_service("log-uploader", cfg.home)
    log.configure(
        "log-uploader",
        cfg.text("logging", "logging_level").upper(),
        cfg.text("logging", "style").lower(),
        files=read_log_files(cfg),
    )
    clock = SystemClock()

    @cache
    def open_store() -> Database:
        return open_database(cfg.database_url, role="log-uploader", clock=clock, cipher=load_cipher(cfg))

    remote = open_remote_log_folder(cfg, open_store, tells_reasons=True)
    if remote is None:
        return 0
    spool = UploadSpool(cfg.logs_folder, spool_id)
    uploader = LogUploader(cfg.logs_folder, spool, remote, clock)
    os.set_blocking(_INPUT, False)
    take_over_at = clock.monotonic()
    while True:
        now = clock.monotonic()
        if now >= take_over_at:
            spool.take_over()
            take_over_at = now + TAKE_OVER_S
        retry_at = uploader.upload_due()
        until = min(take_over_at, retry_at or take_over_at)
        if select.select([_INPUT], [], [], max(0.0, until - clock.monotonic()))[0] and not os.read(_INPUT, 65_536):
            break
    spool.mark_all_ready()
    uploader.upload_due(at_once=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
