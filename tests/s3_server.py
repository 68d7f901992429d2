"""A server of S3 for tests: moto in a process of its own, whose objects live as long as it does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import fsspec

from gnomon.authoring.sdk.connections.connection import Connection

BUCKET = "logs-of-tests"
_SERVE = (
    "import sys; from moto.server import ThreadedMotoServer; server = ThreadedMotoServer('127.0.0.1', int(sys.argv[1]), verbose=False); server.start(); "
    "print(server.get_host_and_port()[1], flush=True); sys.stdin.read()"
)


class S3Server:
    """A running server with one bucket. The keys `tests` and `secret-of-tests` are those of its only user."""

    def __init__(self, port: int = 0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, str(port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self.files().mkdir(BUCKET)

    @property
    def connection(self) -> Connection:
        """A connection of Airflow's type aws."""
        extra = {"endpoint_url": f"http://127.0.0.1:{self.port}", "region_name": "eu-central-1"}
        return Connection("s3_of_tests", "aws", login="tests", password="secret-of-tests", extra=extra)

    def files(self) -> Any:
        """The file system of fsspec, without caches."""
        return fsspec.filesystem(
            "s3",
            key="tests",
            secret="secret-of-tests",
            endpoint_url=f"http://127.0.0.1:{self.port}",
            client_kwargs={"region_name": "eu-central-1"},
            skip_instance_cache=True,
            use_listings_cache=False,
        )

    def list_keys(self) -> list[str]:
        """All keys of the bucket."""
        return sorted(str(name).removeprefix(f"{BUCKET}/") for name in self.files().find(BUCKET))

    def close(self) -> None:
        """End the server. Its objects are gone."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


@contextmanager
def s3_server(port: int = 0) -> Iterator[S3Server]:
    """Run a server on this port of 127.0.0.1; 0: a free one."""
    server = S3Server(port)
    try:
        yield server
    finally:
        server.close()
