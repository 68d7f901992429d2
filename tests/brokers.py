"""Message brokers for tests of the CeleryExecutor: those of GNOMON_TEST_REDIS and GNOMON_TEST_RABBITMQ, else those of this machine.

On a machine without them tests are skipped with the reason; with CI=true that is a failure. Each test has queues of its own.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.patience import PATIENCE_S

ADDRESSES = {
    "redis": os.environ.get("GNOMON_TEST_REDIS", "redis://127.0.0.1:6379/9"),
    "rabbitmq": os.environ.get("GNOMON_TEST_RABBITMQ", "amqp://guest:guest@127.0.0.1:5672//"),
}
BROKERS = tuple(ADDRESSES)


def require_broker(name: str) -> str:
    """The address of a broker that answers; skips the test, or fails it in CI, when there is none."""
    from kombu import Connection

    url = ADDRESSES[name]
    try:
        with Connection(url, connect_timeout=2) as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
    except Exception as error:  # each transport has exceptions of its own
        reason = f"no {name} answers at {urlsplit(url).hostname}: {type(error).__name__}: {error}; set GNOMON_TEST_{name.upper()}, or install and start {name}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return url


def delete_queues(url: str, names: tuple[str, ...]) -> None:
    """Remove the queues that a test made."""
    from kombu import Connection

    with Connection(url) as connection:
        for name in names:
            try:
                connection.default_channel.queue_delete(name)
            except Exception:  # it may not exist
                continue


@contextmanager
def own_rabbitmq(**settings: int) -> Iterator[str]:
    """The address of a RabbitMQ of the test's own, with these settings of its application `rabbit`."""
    server = shutil.which("rabbitmq-server")
    if server is None:
        reason = "no RabbitMQ of the test's own: the package rabbitmq-server is not installed"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    with (
        socket.socket() as probe,
        socket.socket() as other,
        tempfile.TemporaryDirectory(prefix="gnr-", ignore_cleanup_errors=True) as folder,
    ):
        probe.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        port, distribution = probe.getsockname()[1], other.getsockname()[1]
        (Path(folder) / "rabbitmq.conf").write_text(f"listeners.tcp.default = 127.0.0.1:{port}\n")
        shutil.chown(folder, "rabbitmq")
        probe.close()
        other.close()
        env = {
            **os.environ,
            "RABBITMQ_NODENAME": f"gnomon{port}@localhost",
            "RABBITMQ_MNESIA_BASE": folder,
            "RABBITMQ_LOG_BASE": folder,
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq",
            "RABBITMQ_PID_FILE": f"{folder}/pid",
            "RABBITMQ_DIST_PORT": str(distribution),
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": " ".join(
                f"-rabbit {name} {value}" for name, value in settings.items()
            ),
        }
        with (Path(folder) / "said").open("wb") as said:
            process = subprocess.Popen([server], env=env, stdout=said, stderr=said, start_new_session=True)
        url = f"amqp://guest:guest@127.0.0.1:{port}//"
        try:
            _await(url, process, Path(folder) / "said")
            yield url
        finally:
            _kill_group(process)


def _await(url: str, process: subprocess.Popen[bytes], said: Path) -> None:
    from kombu import Connection

    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            with Connection(url, connect_timeout=2) as connection:
                connection.ensure_connection(max_retries=1, timeout=2)
            return
        except Exception:  # it is starting
            assert time.monotonic() < deadline and process.poll() is None, said.read_text()[-3000:]
            time.sleep(0.5)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """The script of RabbitMQ runs its server as another user, in the same group of processes."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait(PATIENCE_S)
