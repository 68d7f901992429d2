"""A real scheduler process that stops itself at one exact place: `python -m tests.chaos.stopping WINDOW SIGNAL TTL_S`.

The windows are those of WINDOWS in docs/contributing/ownership.md. Nothing in the product knows of them: the places are between the
methods of `SchedulerService`.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import uuid
from dataclasses import replace

from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config, run_folder
from gnomon.ground.wakeups import Listener, StopFlag
from gnomon.rules.engine import events as e
from gnomon.rules.engine.step_context import StepResult
from gnomon.services.executors.local import LocalExecutor
from gnomon.services.scheduler import lease
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import build_scheduler_settings
from gnomon.storage.store import CommitUncertain, FencedError, open_database

FENCED = 7
"""Exit code of a scheduler whose write was refused because another has taken over."""


class StoppingScheduler(SchedulerService):
    """A scheduler that stops once, in its window, and continues there after SIGCONT."""

    window = ""
    signal = signal.SIGSTOP

    def _collect(self) -> tuple[list[e.EngineEvent], list[int]]:
        events, letters = super()._collect()
        if any(isinstance(event, e.AuthorCodeEntered) for event in events):
            self._stop_in("submitted, start not recorded")
        if any(isinstance(event, e.ResultReceived) for event in events):
            self._stop_in("ended, not committed")
        return events, letters

    def _commit(self, decided: StepResult) -> None:
        if decided.submits:
            self._stop_in("before commit")
            self._doubt_in("outcome unknown, not stored")
        super()._commit(decided)
        if decided.submits:
            self._stop_in("committed, not submitted")
            self._doubt_in("outcome unknown, stored")
        if decided.acknowledges:
            self._stop_in("committed, not acknowledged")

    def _stop_in(self, window: str) -> None:
        if self.window == window:
            self.window = ""
            print("stopped", flush=True)
            os.kill(os.getpid(), self.signal)

    def _doubt_in(self, window: str) -> None:
        if self.window == window:
            self.window = ""
            print("stopped", flush=True)
            raise CommitUncertain("the connection ended inside COMMIT (a test cut it)")


def main() -> int:
    window, number, ttl_s = sys.argv[1:]
    lease.LEASE_TTL_S = float(ttl_s)  # type: ignore[attr-defined]
    cfg = load_config(os.environ)
    scheduler_id = str(uuid.uuid4())
    db = open_database(cfg.database_url, role="scheduler")
    service = StoppingScheduler(
        settings=replace(build_scheduler_settings(cfg), beat_s=float(ttl_s) / 4),
        db=db,
        executor=LocalExecutor(scheduler_id),
        clock=SystemClock(),
        listener=Listener(run_folder(cfg.home), f"scheduler-{os.getpid()}"),
        new_id=lambda: str(uuid.uuid4()),
        scheduler_id=scheduler_id,
        host=socket.gethostname(),
    )
    service.window, service.signal = window, signal.Signals(int(number))
    stop = StopFlag().install_handlers()
    service.tick()
    print(f"owns {len(service.lease.epochs)}", flush=True)
    try:
        service.run(stop)
    except FencedError:
        print(f"refused {service.refused_commits}", flush=True)
        return FENCED
    print(f"refused {service.refused_commits}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
