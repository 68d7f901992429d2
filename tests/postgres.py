"""A PostgreSQL for tests: $GNOMON_TEST_POSTGRES, the local server, or one started from Debian's binaries for this session.

On a machine without any of them tests are skipped with the reason; with CI=true that is a failure.
"""

from __future__ import annotations

import atexit
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
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
    """The address of an empty schema, dropped afterwards."""
    server = _own_database(server_url())
    name = f"gnomon_test_{uuid.uuid4().hex[:12]}"
    _execute(server, sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
    try:
        options = quote(f"-csearch_path={name} -csynchronous_commit=off", safe="")
        yield f"{server}{'&' if '?' in server else '?'}options={options}"
    finally:
        _execute(server, sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name)))


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
    folders = sorted(_BINARIES.glob("*/bin"))
    if not folders or not (folders[-1] / "initdb").exists():
        return None, f"no server answers at {' or '.join(_LOCAL)}, and {_BINARIES} has no initdb"
    user = _user()
    if user is None:
        return None, "PostgreSQL refuses to run as root, and there is no user `postgres` to run it as"
    home = Path(tempfile.mkdtemp(prefix="gnomon-pg-"))
    if os.getuid() == 0:
        os.chown(home, pwd.getpwnam(user).pw_uid, -1)
    control = str(folders[-1] / "pg_ctl")

    def run(*command: str) -> None:
        subprocess.run(
            command, check=True, timeout=PATIENCE_S, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            user=user if os.getuid() == 0 else None, cwd=home,
        )

    data = str(home / "data")
    try:
        run(str(folders[-1] / "initdb"), "-D", data, "-A", "trust", "-U", "root", "--no-sync")
        run(control, "-D", data, "-w", "-o", f"-c listen_addresses='' -k {home} -c fsync=off", "start")
    except (subprocess.SubprocessError, OSError) as error:
        shutil.rmtree(home, ignore_errors=True)
        return None, f"could not start a server from {folders[-1]}: {error}"

    def stop() -> None:
        run(control, "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(home, ignore_errors=True)

    atexit.register(stop)
    return f"postgresql://root@/postgres?host={home}", ""


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
