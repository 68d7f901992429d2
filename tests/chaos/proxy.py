"""A TCP proxy to PostgreSQL whose connections a test can cut and restore."""

from __future__ import annotations

import socket
import threading

import psycopg
from tests.patience import PATIENCE_S

from gnomon.storage.store.address import parse_address


class Wire:
    """Listens on a port of its own and forwards bytes to the server, until it is cut."""

    def __init__(self, url: str) -> None:
        info = psycopg.conninfo.conninfo_to_dict(parse_address(url).target)
        self._target = (str(info.get("host") or "localhost"), int(info.get("port") or 5432))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port = self._listener.getsockname()[1]
        self._ends: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        info.update(
            host="127.0.0.1",
            port=str(self._port),
            sslmode="disable",
            gssencmode="disable",
            user=info.get("user") or "root",
        )
        rest = "&".join(f"{key}={value}" for key, value in info.items() if key != "dbname")
        self.url = f"postgresql:///{info['dbname']}?{rest}"
        """The URL of the server through this proxy."""
        self._run(self._accept, self._listener)

    def cut(self) -> None:
        """Close every connection and refuse new ones."""
        _end(self._listener)
        for end in self._ends:
            _end(end)
        for thread in self._threads:
            thread.join(timeout=PATIENCE_S)
        for end in (self._listener, *self._ends):
            end.close()
        self._ends, self._threads = [], []

    def mend(self) -> None:
        """Accept connections again at the same address."""
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._run(self._accept, self._listener)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = self._connect()
            self._ends += [client, server]
            self._run(_carry, client, server)
            self._run(_carry, server, client)

    def _connect(self) -> socket.socket:
        host, port = self._target
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        server = socket.socket(socket.AF_UNIX)
        server.connect(f"{host}/.s.PGSQL.{port}")
        return server

    def _run(self, what: object, *args: socket.socket) -> None:
        thread = threading.Thread(target=what, args=args, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()


def _carry(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    _end(source)
    _end(target)


def _end(one: socket.socket) -> None:
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
