"""A PostgreSQL for tests: $GNOMON_TEST_POSTGRES, the local server, or one started from Debian's binaries for this session.

On a machine without any of them tests are skipped with the reason; with CI=true that is a failure.
"""

from __future__ import annotations

import atexit
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql
from tests.patience import PATIENCE_S

_LOCAL = ("postgresql:///test?host=/var/run/postgresql", "postgresql://root@127.0.0.1:5432/test")
_BINARIES = Path("/usr/lib/postgresql")
_NAMED = os.environ.get("GNOMON_TEST_POSTGRES")
"""Read when this module is imported: each test runs without the variables of Gnomon (tests/conftest.py)."""


@contextmanager
def own_schema() -> Iterator[str]:
    """The address of an empty schema. It goes with the database of this process: to drop its tables one by one takes a second of the server."""
    server = _own_database(server_url())
    name = f"gnomon_test_{uuid.uuid4().hex[:12]}"
    _execute(server, sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
    options = quote(f"-csearch_path={name} -csynchronous_commit=off", safe="")
    yield f"{server}{'&' if '?' in server else '?'}options={options}"


@cache
def _own_database(server: str) -> str:
    """The address of a database of this process, dropped as it ends: notifications and sessions are those of a database."""
    name = f"gnomon_test_{uuid.uuid4().hex[:12]}"
    _execute(server, sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    atexit.register(_execute, server, sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
    return re.sub(r"^(\w+://[^/]*)/[^?]*", rf"\1/{name}", server)


def server_url() -> str:
    """The address of a server that answers; skips the test, or fails it in CI, when there is none."""
    found, reason = _find()
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no PostgreSQL in CI: {reason}")
        pytest.skip(f"no PostgreSQL: {reason}; set GNOMON_TEST_POSTGRES to an address")
    return found


@cache
def _find() -> tuple[str | None, str]:
    if _NAMED:
        return (_NAMED, "") if _answers(_NAMED) else (None, f"GNOMON_TEST_POSTGRES={_NAMED} does not answer")
    for url in _LOCAL:
        if _answers(url):
            return url, ""
    return start_server()


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=10).close()
    except psycopg.OperationalError:
        return False
    return True


def start_server() -> tuple[str | None, str]:
    """The address of a server of our own in a temporary folder, stopped when this process ends; or None and the reason."""
    server, reason = create_server()
    return (None if server is None else server.url), reason


class OwnServer:
    """A server of our own in a temporary folder, which a test may stop and start; it ends with this process."""

    def __init__(self, home: Path, control: Path, user: str, address: str = "", options: Sequence[str] = ()) -> None:
        """`address`: where it listens beside its socket, at a free port. `options`: settings such as `max_connections=20`."""
        self._address, self._options = address, tuple(options)
        self.port = _free_port(address) if address else 5432
        self.url = f"postgresql://root@/postgres?host={home}&port={self.port}"
        """Over its socket; `at(name)` is the address of a database over the network."""
        self._home = home
        self._control = str(control)
        self._user = user if os.getuid() == 0 else None
        self._data = str(home / "data")

    def create(self, initdb: Path) -> None:
        """Create its files and start it."""
        self._run(str(initdb), "-D", self._data, "-A", "trust", "-U", "root", "--no-sync")
        self._admit()
        self.start()

    def create_standby(self, primary: OwnServer) -> None:
        """Copy the primary, which listens at an address, and start as its standby."""
        self._run(
            str(Path(self._control).with_name("pg_basebackup")),
            "-D",
            self._data,
            "-d",
            primary.at("postgres", application_name="standby"),
            "-R",
            "--no-sync",
            "-c",
            "fast",
        )
        self.start()

    def promote(self) -> None:
        """The standby becomes a primary, and is one when this returns."""
        self._run(self._control, "-D", self._data, "-w", "promote")

    def at(self, database: str, **options: str) -> str:
        """The address of a database over the network."""
        return f"postgresql://root@{self._address}:{self.port}/{database}" + (
            "?" + "&".join(f"{name}={value}" for name, value in options.items()) if options else ""
        )

    def kill(self) -> None:
        """Kill all of its processes at once, as a machine that loses its power does."""
        found = self._pids()
        self.send_signal(signal.SIGKILL)
        while any(_runs(pid) for pid in found):
            time.sleep(0.01)
        # Until somebody reaps the dead process its id is taken, and a start would believe that it runs.
        for file in (Path(self._data) / "postmaster.pid", self._home / f".s.PGSQL.{self.port}.lock"):
            file.unlink(missing_ok=True)

    def send_signal(self, number: int) -> None:
        """To every process of the server; SIGSTOP freezes it, SIGCONT lets it go on."""
        for pid in self._pids():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def _pids(self) -> list[int]:
        """The first process of the server, and its children."""
        try:
            first = int((Path(self._data) / "postmaster.pid").read_text().split()[0])
            children = Path(f"/proc/{first}/task/{first}/children").read_text()
        except OSError:
            return []
        return [first, *map(int, children.split())]

    def _admit(self) -> None:
        if self._address:
            with (Path(self._data) / "pg_hba.conf").open("a") as file:
                file.write("host all all 0.0.0.0/0 trust\nhost replication all 0.0.0.0/0 trust\n")

    def start(self) -> None:
        """Start it; it answers when this returns."""
        options = " ".join(
            f"-c {option}"
            for option in (f"listen_addresses='{self._address}'", f"port={self.port}", "fsync=off", *self._options)
        )
        self._run(
            self._control,
            "-D",
            self._data,
            "-w",
            "-l",
            str(self._home / "log"),
            "-o",
            f"{options} -k {self._home}",
            "start",
        )

    def stop(self) -> None:
        """End all sessions and the server."""
        self._run(self._control, "-D", self._data, "-m", "immediate", "stop")

    def remove(self) -> None:
        """Stop it, if it runs, and delete its files."""
        self.send_signal(signal.SIGCONT)
        if (Path(self._data) / "postmaster.pid").exists():
            subprocess.run(
                [self._control, "-D", self._data, "-m", "immediate", "stop"],
                check=False,
                capture_output=True,
                user=self._user,
                cwd=self._home,
            )
        shutil.rmtree(self._home, ignore_errors=True)

    def _run(self, *command: str) -> None:
        subprocess.run(
            command,
            check=True,
            timeout=PATIENCE_S,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self._user,
            cwd=self._home,
        )


def create_server(
    address: str = "", options: Sequence[str] = (), primary: OwnServer | None = None
) -> tuple[OwnServer | None, str]:
    """A server of our own that runs, as a standby of `primary` if there is one; or None and the reason. The others are those of OwnServer."""
    folders = sorted(_BINARIES.glob("*/bin"))
    if not folders or not (folders[-1] / "initdb").exists():
        return None, f"no server answers at {' or '.join(_LOCAL)}, and {_BINARIES} has no initdb"
    user = _user()
    if user is None:
        return None, "PostgreSQL refuses to run as root, and there is no user `postgres` to run it as"
    home = Path(tempfile.mkdtemp(prefix="gnomon-pg-"))
    if os.getuid() == 0:
        os.chown(home, pwd.getpwnam(user).pw_uid, -1)
    server = OwnServer(home, folders[-1] / "pg_ctl", user, address, options)
    try:
        if primary is None:
            server.create(folders[-1] / "initdb")
        else:
            server.create_standby(primary)
    except (subprocess.SubprocessError, OSError) as error:
        shutil.rmtree(home, ignore_errors=True)
        return None, f"could not start a server from {folders[-1]}: {error}"
    atexit.register(server.remove)
    return server, ""


@contextmanager
def own_server(address: str = "", options: Sequence[str] = (), primary: OwnServer | None = None) -> Iterator[OwnServer]:
    """A server of one test, as `create_server`; skips the test, or fails it in CI, where none can be started."""
    server, reason = create_server(address, options, primary)
    if server is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no PostgreSQL of the test's own in CI: {reason}")
        pytest.skip(f"no PostgreSQL of the test's own: {reason}")
    try:
        yield server
    finally:
        server.remove()


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _free_port(address: str) -> int:
    with socket.socket() as probe:
        probe.bind((address, 0))
        return int(probe.getsockname()[1])


def _user() -> str | None:
    if os.getuid() != 0:
        return pwd.getpwuid(os.getuid()).pw_name
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return None


def _execute(url: str, statement: sql.Composed) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement)
