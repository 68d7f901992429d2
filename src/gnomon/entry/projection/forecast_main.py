"""The process of the monitor's forecasts: reads the store, draws futures at idle priority, and writes a ForecastReport as JSON.

`python -m gnomon.entry.projection.forecast_main READY`; its home is that of the environment. Nothing is written to the store but summaries of durations.

After a forecast that took little, and has all its futures, the process ends. After another one it stays, writes a byte to the file descriptor READY, and makes the next one for each byte that it reads: that draws only what has changed, and futures that are missing.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
from contextlib import closing

import msgspec

from gnomon.author_code.processes.kernel import die_with_parent
from gnomon.entry.projection.forecast_report import ForecastReporter
from gnomon.entry.projection.idle_process import MEMORY_BYTES, become_idle
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config
from gnomon.ground.config.environment import environment
from gnomon.model.baselines import ForecastReport
from gnomon.model.errors.product import GnomonError
from gnomon.storage.store import load_cipher, open_database

STAYS_FROM_S = 2.0
"""A forecast that draws all DAGs in less processor time is made by a new process each time: it would keep more memory than it is worth."""
UNASKED_S = 600.0
"""A process that is not asked for so long ends."""


def main() -> int:
    """Write reports; the exit code is 1 after an error, which stands on stderr."""
    ready = int(sys.argv[1])
    die_with_parent(signal.SIGKILL)
    become_idle()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    reporter = ForecastReporter()
    try:
        while True:
            began_s = time.process_time()
            _write(_report(reporter))
            if reporter.is_complete and reporter.has_drawn_all and time.process_time() - began_s < STAYS_FROM_S:
                return 0
            os.write(ready, b".")
            if not select.select([0], [], [], UNASKED_S)[0] or not os.read(0, 1):
                return 0
    except (GnomonError, MemoryError) as error:
        sys.stderr.write(f"{error or 'it needed more memory than it may have'}\n")
        return 1


def _report(reporter: ForecastReporter) -> ForecastReport:
    cfg = load_config(environment())
    with closing(open_database(cfg.database_url, role="forecast", cipher=load_cipher(cfg))) as db:
        return reporter.report(cfg, db, SystemClock().now())


def _write(report: ForecastReport) -> None:
    """In place of what is on stdout, which is a file."""
    os.lseek(1, 0, os.SEEK_SET)
    os.ftruncate(1, 0)
    with open(1, "wb", closefd=False) as file:
        file.write(msgspec.json.encode(report))


if __name__ == "__main__":
    raise SystemExit(main())
