"""Message brokers for tests of the CeleryExecutor: those of GNOMON_TEST_REDIS and GNOMON_TEST_RABBITMQ, else those of this machine.

On a machine without them tests are skipped with the reason; with CI=true that is a failure. Each test has queues of its own.
"""

from __future__ import annotations

import os
from urllib.parse import urlsplit

import pytest

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
