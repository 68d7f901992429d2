"""`gnomon celery worker`: two processes. One consumes messages; the other has the loop of a worker and its relay, without a database."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from gnomon.author_code.loading.folder_digest import create_folder_recorder
from gnomon.author_code.processes.kernel import become_subreaper, die_with_parent, own_children
from gnomon.author_code.processes.process_title import name_service
from gnomon.author_code.processes.termination import kill_descendants, reap_children
from gnomon.ground import log
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config, environment, run_folder
from gnomon.ground.config.host_name import current_host_name
from gnomon.ground.metrics import ProcessFigures
from gnomon.ground.metrics.definitions import WORKER_REFUSED_MESSAGES
from gnomon.services.executors.celery_broker import CelerySettings, create_celery_app
from gnomon.services.worker import drain
from gnomon.services.worker.file_zygote import ORPHAN_GRACE_S
from gnomon.services.worker.loop import WorkerService
from gnomon.services.worker.remote.attempt_relay import AttemptRelay
from gnomon.services.worker.remote.broker_probe import BrokerProbe
from gnomon.services.worker.remote.celery_consumer import ConsumerSettings, consume
from gnomon.services.worker.remote.execution_client import ExecutionClient
from gnomon.services.worker.remote.http_store import HttpWorkerStore
from gnomon.services.worker.remote.lease_watch import LeaseWatch, SharedLease
from gnomon.services.worker.remote.log_forwarder import LogForwarder
from gnomon.services.worker.remote.message_carrier import ABOUT_ALL, ENDS_REST, RESTS
from gnomon.services.worker.remote.shared_numbers import SharedCount
from gnomon.services.worker.remote.worker_figures import RemoteWorkerFigures
from gnomon.services.worker.settings import build_worker_settings

events = log.get_logger("worker")

START_WAIT_S = 30.0
FROZEN_S = 3.5
"""How much later than its attempts should stand still a worker process that does not move is ended. Its attempts then get ORPHAN_GRACE_S; all of it is over before the time to live."""
LOOK_S = 0.25
"""Between two looks at the worker process."""
ORPHANS_S = ORPHAN_GRACE_S + 0.5
"""After this time nothing that the worker process had started is left, also if its zygotes could not end it."""
OUTCOME_S = 0.2
"""How long the consumer may not know that the result of an attempt is reported. It counts for messages that come twice, and at the end."""
CLOSE_S = 10.0
"""How long the consumer may take to leave the broker once the worker process has ended: a broker that does not answer must not keep it, or no supervisor starts it again."""


def main(cfg: Config, broker: CelerySettings, consumer: ConsumerSettings, api_url: str) -> int:
    """Run attempts until SIGTERM or Ctrl-C, then until running attempts have ended or their grace is over. Returns the exit code."""
    app = create_celery_app(broker)
    client = ExecutionClient(api_url, SystemClock())  # a wrong address is an error now
    folder = run_folder(cfg.home)
    folder.mkdir(parents=True, exist_ok=True)
    intake = folder / f"celery-{os.getpid()}.sock"
    lease, refused, is_all_ended = SharedLease(), SharedCount(), threading.Event()
    become_subreaper()  # of what the worker process leaves behind when it is killed
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setpgid(0, 0)  # Ctrl-C reaches only the consumer, which ends this process in order
            die_with_parent(signal.SIGTERM)
            name_service("worker", cfg.home)
            code = _run_worker(
                cfg, client, BrokerProbe(broker.broker_url, client.host), consumer, intake, lease, refused
            )
        except BaseException:
            events.exception("worker_crashed")
        finally:
            os._exit(code)
    try:
        _await_intake(intake)
        threading.Thread(
            target=_end_with_worker, args=(pid, lease, is_all_ended), name="worker-watch", daemon=True
        ).start()
        code = consume(
            app, consumer, str(intake), lambda: _end_worker_later(pid, cfg.number("workers", "shutdown_grace")), refused
        )
    finally:
        _signal(pid, signal.SIGTERM)
    is_all_ended.wait()
    return code


def _run_worker(
    cfg: Config,
    client: ExecutionClient,
    probe: BrokerProbe,
    consumer: ConsumerSettings,
    intake_path: Path,
    lease: SharedLease,
    refused: SharedCount,
) -> int:
    clock = SystemClock()
    requests, slots = drain.StopRequests(clock), consumer.concurrency
    settings = build_worker_settings(cfg, environment(), slots)
    store = HttpWorkerStore(client, probe.is_reachable)
    worker = WorkerService(settings, store, clock)
    worker.on_lease = lambda until: lease.put(until + FROZEN_S)
    forwarder = LogForwarder(client, cfg.logs_folder)
    relay = AttemptRelay(
        client,
        store,
        lambda: (worker.worker_id, worker.address),
        current_host_name(),
        slots,
        cfg.dags_folder,
        clock,
        forwarder,
        queues=consumer.queues,
    )
    record_folder = create_folder_recorder(cfg, clock)

    def refresh(written: ProcessFigures) -> None:
        worker.record_figures(written)
        written.put(WORKER_REFUSED_MESSAGES, refused.get())
        record_folder(written)

    figures = RemoteWorkerFigures(refresh, clock)
    store.take_figures, store.on_clock = figures.take, figures.record_clock
    worker.start()
    relay.start()
    forwarder.start()
    intake = MessageIntake(intake_path, relay)
    events.info("worker_started", worker=worker.worker_id, slots=slots)
    try:
        drain.run(worker, requests, clock, 0.0)
    finally:
        forwarder.close()
        relay.close()
        intake.close()
        worker.close()
    events.info("worker_stopped", worker=worker.worker_id)
    return 0


def _await_intake(path: Path) -> None:
    deadline = time.monotonic() + START_WAIT_S
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)


def _end_with_worker(pid: int, lease: SharedLease, is_all_ended: threading.Event) -> None:
    """When the worker process ends, no message can be handled: this process ends as well, and a supervisor starts both again.

    The broker delivers again what was not acknowledged; a message that comes twice runs nothing. A worker process that stands still is ended.
    """
    watch = LeaseWatch(lease)
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        if watch.is_over(time.monotonic()):
            events.error(
                "worker_process_stands_still",
                next="it is ended: schedulers may soon give its attempts to another worker",
            )
            _signal(pid, signal.SIGKILL)
        time.sleep(LOOK_S)
    os.kill(os.getpid(), signal.SIGTERM)
    _end_orphans()
    is_all_ended.set()
    time.sleep(CLOSE_S)
    events.warning(
        "consumer_ended",
        waited_s=CLOSE_S,
        reason="the worker process has ended, and the broker did not let the consumer go",
    )
    os._exit(1)


def _end_orphans() -> None:
    """Zygotes end their children when the worker process has ended. Orphans of a zygote that had ended before, or does not move, are ended here."""
    deadline = time.monotonic() + ORPHANS_S
    while own_children() and time.monotonic() < deadline:
        reap_children()
        time.sleep(0.05)
    kill_descendants()


def _end_worker_later(pid: int, grace_s: float) -> None:
    """Running attempts may go on for the grace; then the worker process ends them."""
    timer = threading.Timer(grace_s, _signal, args=(pid, signal.SIGTERM))
    timer.daemon = True
    timer.start()


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


class MessageIntake:
    """The socket to which the consumer process gives messages, a JSON list in each line (number, attempt, token), and from which it learns the outcomes (number, outcome).

    Each connection has a thread. An outcome that is null says that the slot of the attempt is free. One with the number ABOUT_ALL: RESTS, ENDS_REST.
    """

    def __init__(self, path: Path, relay: AttemptRelay) -> None:
        self.address = str(path)
        self._relay = relay
        relay.on_rest = self._tell_rest
        self._answers: set[OutcomeLines] = set()
        """Of the connections."""
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        path.unlink(missing_ok=True)
        before = os.umask(0o077)
        try:
            self._listener.bind(self.address)
        finally:
            os.umask(before)
        self._listener.listen(64)
        threading.Thread(target=self._accept, name="message-intake", daemon=True).start()

    def close(self) -> None:
        """Stop listening, and remove the socket."""
        self._listener.close()
        Path(self.address).unlink(missing_ok=True)

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(sock,), name="message", daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        """Until the consumer ends. One that was killed may leave a part of a line, or data that was not read: the broker gives its messages again."""
        answers = OutcomeLines(sock)
        self._answers.add(answers)
        with sock, sock.makefile("r", encoding="utf-8") as lines, suppress(ConnectionError):
            for line in lines:
                if line.endswith("\n"):
                    number, attempt_id, token = msgspec.json.decode(line)
                    self._relay.accept(
                        attempt_id, token, partial(answers.put_end, number), partial(answers.put_free, number)
                    )
        self._answers.discard(answers)
        answers.close()

    def _tell_rest(self, is_resting: bool) -> None:
        for answers in tuple(self._answers):
            answers.put_rest(is_resting)


class OutcomeLines:
    """The answers of one connection. A line that frees a slot is sent at once; the outcome that follows it waits for the next one, so that the consumer is woken once for an attempt."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._guard = threading.Lock()
        self._freed: set[int] = set()
        self._kept: list[bytes] = []
        self._has_kept = threading.Event()
        self._is_closed = False
        threading.Thread(target=self._send_kept, name="outcomes", daemon=True).start()

    def put_free(self, number: int) -> None:
        """The attempt of the message needs its slot no more."""
        with self._guard:
            self._freed.add(number)
            self._send(_encode_line(number, None))

    def put_rest(self, is_resting: bool) -> None:
        """Nothing can be claimed for now, or it can be tried again."""
        with self._guard:
            self._send(_encode_line(ABOUT_ALL, RESTS if is_resting else ENDS_REST))

    def put_end(self, number: int, outcome: str) -> None:
        """The message is handled."""
        with self._guard:
            if number not in self._freed:
                self._send(_encode_line(number, outcome))
                return
            self._freed.remove(number)
            self._kept.append(_encode_line(number, outcome))
        self._has_kept.set()

    def close(self) -> None:
        """End the thread."""
        self._is_closed = True
        self._has_kept.set()

    def _send(self, line: bytes) -> None:
        kept_lines, self._kept = self._kept, []
        try:
            self._sock.sendall(b"".join((*kept_lines, line)))
        except OSError:
            return  # the consumer process has ended

    def _send_kept(self) -> None:
        while self._has_kept.wait() and not self._is_closed:
            time.sleep(OUTCOME_S)
            self._has_kept.clear()
            with self._guard:
                if self._kept:
                    self._send(b"")


def _encode_line(number: int, outcome: str | None) -> bytes:
    return msgspec.json.encode((number, outcome)) + b"\n"
