"""PgBouncer between Gnomon and PostgreSQL: with sessions of its own all works, with shared ones the address is refused with a sentence."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.debian_packages import require_program
from tests.patience import PATIENCE_S
from tests.postgres import own_schema

from gnomon.storage.store import migrations, notify_on_commit, open_database
from gnomon.storage.store.errors import InvalidAddress

pytestmark = pytest.mark.postgres
_USER = "postgres"
"""The user of the pooler where tests run as root, as whom PgBouncer refuses to run."""


@contextmanager
def _pooler(pool_mode: str, folder: Path) -> Iterator[str]:
    """The address of an empty schema behind a PgBouncer with this mode, which sets the search path of each session of the server."""
    program = require_program(("pgbouncer",), "pgbouncer")
    with own_schema() as url:
        server = conninfo_to_dict(url)
        schema = str(server["options"]).split("search_path=")[1].split()[0]
        host = str(server.get("host") or "/var/run/postgresql")
        user = _USER if os.geteuid() == 0 else str(server.get("user") or pwd.getpwuid(os.geteuid()).pw_name)
        if user == _USER and _USER not in {entry.pw_name for entry in pwd.getpwall()}:
            pytest.skip(f"tests run as root, and there is no user {_USER!r} as whom PgBouncer could run")
        password = f" password={server['password']}" if server.get("password") else ""
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"GRANT ALL ON SCHEMA {schema} TO {user}".encode())
            row = connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", [user]).fetchone()
            if row != (True,):
                pytest.skip(f"the user {user!r} of PgBouncer is no superuser of this server")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        reset = f"SET search_path TO {schema}"
        (folder / "pgbouncer.ini").write_text(
            f"[databases]\npooled = host={host} port={server.get('port') or 5432} dbname={server['dbname']} user={user}{password} connect_query='{reset}'\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {pool_mode}\n"
            f"server_reset_query = RESET ALL; {reset}\nlogfile = {folder / 'pgbouncer.log'}\n"
        )
        folder.chmod(0o777)
        as_user = {"user": user} if os.geteuid() == 0 else {}
        process = subprocess.Popen(
            [program, str(folder / "pgbouncer.ini")],
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **as_user,
        )  # type: ignore[call-overload]
        try:
            address = f"postgresql://anyone@127.0.0.1:{port}/pooled"
            _wait_for(address, process)
            yield address
        finally:
            process.terminate()
            process.wait()


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            assert process.poll() is None, "PgBouncer has ended"
            assert time.monotonic() < until
        else:
            return


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that PgBouncer's user can reach."""
    path = Path("/tmp") / f"gnomon-pooler-{os.getpid()}"
    path.mkdir()
    yield path
    shutil.rmtree(path)


def test_a_pooler_that_shares_sessions_is_refused_with_the_remedy(folder: Path) -> None:
    with _pooler("transaction", folder) as address:
        for opens in (migrations.upgrade_schema, open_database):
            with pytest.raises(
                InvalidAddress, match=r"pooler .* pool_mode = session, in \[database\] sql_alchemy_conn"
            ):
                opens(address)


def test_with_sessions_of_their_own_schema_transactions_and_notifications_work(folder: Path) -> None:
    with _pooler("session", folder) as address:
        migrations.upgrade_schema(address)
        listening, sending = open_database(address), open_database(address)
        try:
            descriptor = listening.notification_fileno()
            assert descriptor is not None
            with sending.write() as tx:
                notify_on_commit(tx)
            until = time.monotonic() + PATIENCE_S
            while not listening.poll_notifications():
                assert time.monotonic() < until
        finally:
            listening.close()
            sending.close()
