"""Processor time of the consumer of `gnomon celery worker` and of the publisher of a scheduler for one message of the broker, without any attempt.

    python -m bench.celery_consumer

A process in place of the worker answers each message at once: the slot is free, and the outcome follows with the next answer. With Redis the consumer is also measured with
kombu's own record of unacknowledged messages, which `gnomon.services.worker.remote.redis_unacked` replaces.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import tempfile
import time
import uuid
from contextlib import suppress
from pathlib import Path

from bench.celery_rate import BROKERS, delete_queue, find_fault
from bench.figures import show
from bench.processes import cpu_s
from gnomon.services.executors.celery_broker import CeleryPublisher, CelerySettings, create_celery_app
from gnomon.services.worker.remote import celery_consumer, redis_unacked

MESSAGES = 4_000
FIRST = 200
"""Messages before the measurement begins: the connection and the first imports."""
PAUSE_S = 0.001
"""Between two answers."""
END_S = 5.0
"""How long the consumer may take to end."""
TOGETHER = 8
"""Messages that a busy scheduler gives to the publisher at a time."""


def consumer(messages: int = MESSAGES) -> None:
    for name, url in BROKERS.items():
        reason = find_fault(url)
        if reason:
            show(f"messages through {name}", f"left out: {reason}")
            continue
        variants = ("", "kombu's record of unacknowledged messages") if name == "Redis" else ("",)
        for variant in variants:
            published, consumed = measure(url, messages, keeps_late=not variant)
            show(
                f"messages through {name}{', with ' if variant else ''}{variant}",
                f"publisher {published:.3f} ms, consumer {consumed:.3f} ms",
            )


def measure(url: str, messages: int, *, keeps_late: bool = True) -> tuple[float, float]:
    """Milliseconds of the publisher and of the consumer for a message. `keeps_late`: unacknowledged messages of Redis are written later."""
    queue = f"gnomon-bench-{uuid.uuid4().hex[:12]}"
    with tempfile.TemporaryDirectory(prefix="gnb-") as folder:
        address = Path(folder) / "intake.sock"
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(address))
        listener.listen()
        try:
            published = _publish(url, queue, messages)
            pid = _fork_consumer(url, queue, str(address), keeps_late=keeps_late)
            try:
                return published, _answer(listener, pid, messages)
            finally:
                _end(pid)
        finally:
            listener.close()
            delete_queue(url, queue)


def _publish(url: str, queue: str, messages: int) -> float:
    publisher = CeleryPublisher(create_celery_app(CelerySettings(url)), lambda _: "t" * 200)
    began, sent = time.process_time(), 0
    for number in range(0, messages, TOGETHER):
        for one in range(number, min(messages, number + TOGETHER)):
            publisher.publish(f"{one:036d}", queue)
        while sent < min(messages, number + TOGETHER):
            sent += len(publisher.take_published())
            time.sleep(PAUSE_S)
    spent = time.process_time() - began
    publisher.close()
    return spent * 1000 / messages


def _fork_consumer(url: str, queue: str, address: str, *, keeps_late: bool) -> int:
    pid = os.fork()
    if pid:
        return pid
    with suppress(BaseException):
        if not keeps_late:
            redis_unacked.UnackedWriter.begin_connection = lambda *_: None  # type: ignore[method-assign]
        celery_consumer.consume(
            create_celery_app(CelerySettings(url)),
            celery_consumer.ConsumerSettings((queue,), TOGETHER, 1, "bench", "ERROR"),
            address,
            lambda: None,
        )
    os._exit(0)


def _answer(listener: socket.socket, pid: int, messages: int) -> float:
    """Answer all messages; milliseconds of the consumer for one of those after the first."""
    sock, _ = listener.accept()
    before, kept = 0.0, b""
    with sock, sock.makefile() as lines:
        for number in range(1, messages + 1):
            attempt_id = json.loads(lines.readline())[0]
            if number == FIRST:
                before = cpu_s([pid])
            sock.sendall(kept + _encode(attempt_id, None))
            kept = _encode(attempt_id, "success")
            time.sleep(PAUSE_S)
        return (cpu_s([pid]) - before) * 1000 / (messages - FIRST)


def _encode(attempt_id: str, outcome: str | None) -> bytes:
    return json.dumps([attempt_id, outcome]).encode() + b"\n"


def _end(pid: int) -> None:
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + END_S
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        if time.monotonic() >= deadline:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)


if __name__ == "__main__":
    consumer()
