"""`gnomon kubernetes worker`: a worker with one slot and without a database, which claims one attempt, runs it, and ends."""

from __future__ import annotations

import threading
from pathlib import Path

from gnomon.ground import log
from gnomon.ground.clock import Clock, SystemClock
from gnomon.ground.config import Config, environment, run_folder
from gnomon.ground.config.host_name import current_host_name
from gnomon.ground.wakeups import StopFlag
from gnomon.model.errors import ConfigurationError
from gnomon.model.sentences import render, say
from gnomon.services.worker.loop import TICK_S, WorkerService, describe_stop
from gnomon.services.worker.remote.attempt_relay import AttemptRelay
from gnomon.services.worker.remote.execution_client import ExecutionClient
from gnomon.services.worker.remote.http_store import HttpWorkerStore
from gnomon.services.worker.remote.log_forwarder import LogForwarder
from gnomon.services.worker.settings import build_worker_settings

events = log.get_logger("worker")

_GOOD_OUTCOMES = frozenset({"success", "skipped", "up_for_reschedule", "deferred", "awaiting_input"})


class _CarriedAttempt:
    """The one message of this worker, in a thread of its own; `is_over` is set when the attempt has ended or is not to run."""

    def __init__(self, relay: AttemptRelay, attempt_id: str, token: str) -> None:
        self._relay = relay
        self._attempt_id = attempt_id
        self._token = token
        self.outcome = ""
        self.is_over = threading.Event()
        self._thread = threading.Thread(target=self._carry, name="attempt", daemon=True)

    def start(self) -> None:
        """Claim the attempt and give it to the worker."""
        self._thread.start()

    def _carry(self) -> None:
        try:
            self.outcome = self._relay.carry(self._attempt_id, self._token)
        except Exception:
            events.exception("attempt_not_carried", attempt=self._attempt_id)
            self.outcome = "could not be handled"
        finally:
            self.is_over.set()


def main(cfg: Config, attempt_id: str, token_file: Path, api_url: str) -> int:
    """Claim the attempt and run it. Returns 0 when it ended without a failure; 1 when it failed, was lost, or could not be claimed."""
    token = read_token(token_file)
    clock = SystemClock()
    client = ExecutionClient(api_url, clock)
    run_folder(cfg.home).mkdir(parents=True, exist_ok=True)
    is_stopped = StopFlag().install_handlers()
    settings = build_worker_settings(cfg, environment(), 1)
    store = HttpWorkerStore(client)
    worker = WorkerService(settings, store, clock)
    forwarder = LogForwarder(client, cfg.logs_folder)
    relay = AttemptRelay(
        client,
        store,
        lambda: (worker.worker_id, worker.address),
        current_host_name(),
        1,
        cfg.dags_folder,
        clock,
        forwarder,
        claim_patience_s=_CLAIM_PATIENCE_S,
    )
    carried = _CarriedAttempt(relay, attempt_id, token)
    worker.start()
    relay.start()
    forwarder.start()
    carried.start()
    events.info("worker_started", worker=worker.worker_id, attempt=attempt_id)
    reason = describe_stop()
    try:
        worker.wake_on(is_stopped.fileno())
        while not carried.is_over.is_set() and not is_stopped():
            worker.run_once(_TURN_S)
        if is_stopped():
            reason = render(say("pod_was_told_to_stop"))
            _run_on(worker, carried, clock, settings.shutdown_grace_s)
    finally:
        worker.stop(reason)
        carried.is_over.wait(_LAST_REPORT_S)
        relay.close()
        forwarder.close()
        worker.close()
    events.info("worker_stopped", attempt=attempt_id, outcome=carried.outcome)
    return 0 if carried.outcome in _GOOD_OUTCOMES else 1


def read_token(path: Path) -> str:
    """The token in the file. Raises ConfigurationError with the place."""
    try:
        token = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(say("token_cannot_be_read", file=str(path), error=str(error))) from error
    if not token:
        raise ConfigurationError(say("token_file_is_empty", file=str(path)))
    return token


def _run_on(worker: WorkerService, carried: _CarriedAttempt, clock: Clock, grace_s: float) -> None:
    """Let the attempt go on for the grace after a stop signal."""
    deadline = clock.monotonic() + grace_s
    worker.refuse_attempts()
    while not carried.is_over.is_set() and worker.running and (remaining_s := deadline - clock.monotonic()) > 0:
        worker.run_once(min(remaining_s, _TURN_S))


_TURN_S = min(TICK_S, 0.1)
"""The end of the thread of the attempt does not wake the loop."""
_LAST_REPORT_S = 5.0
_CLAIM_PATIENCE_S = 600.0
"""How long the claim is tried again while the api-server is away: no other message about the attempt will come."""
