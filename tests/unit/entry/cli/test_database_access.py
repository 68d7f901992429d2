"""A command beside a standalone that is starting: it waits for the schema, and never for one that nobody makes."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from tests.unit.entry.cli.conftest import Gnomon

from gnomon.entry.app.checks import LOCK_FILE
from gnomon.entry.cli.database_access import READY_S
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import run_folder
from gnomon.storage.store import migrations


def _standalone(home: Home, pid: int) -> None:
    (run_folder(home.cfg.home) / LOCK_FILE).write_text(f"http://localhost:8080, started by process {pid}")


def _dead_pid() -> int:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def test_it_waits_while_a_standalone_makes_the_database(gnomon: Gnomon, empty_home: Home) -> None:
    _standalone(empty_home, os.getpid())
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            migrations.upgrade_schema(empty_home.cfg.database_url)

    empty_home.sleep = sleep
    assert gnomon("pools", "list").code == 0
    assert len(pauses) == 3


def test_it_gives_up_with_the_remedy_when_the_standalone_does_not_come_up(
    gnomon: Gnomon, empty_home: Home, clock: VirtualClock
) -> None:
    _standalone(empty_home, os.getpid())
    began = clock.monotonic()
    code, out, err = gnomon("pools", "list")
    assert (code, out) == (1, "") and "gnomon db migrate" in err
    assert READY_S <= clock.monotonic() - began < READY_S + 1


@pytest.mark.parametrize("text", ["", "garbage", "dead"])
def test_without_a_living_standalone_it_does_not_wait(
    text: str, gnomon: Gnomon, empty_home: Home, clock: VirtualClock
) -> None:
    if text == "dead":
        _standalone(empty_home, _dead_pid())
    else:
        (run_folder(empty_home.cfg.home) / LOCK_FILE).write_text(text)
    began = clock.monotonic()
    assert gnomon("pools", "list").code == 1
    assert clock.monotonic() == began


def test_an_older_schema_is_refused_with_the_remedy(
    gnomon: Gnomon, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnomon.storage.store import schema_revision

    monkeypatch.setattr(schema_revision, "HEAD", "the next one")
    code, out, err = gnomon("dags", "list")
    assert (code, out) == (1, "") and "run `gnomon db migrate`" in err


def test_a_file_that_is_no_database_is_refused_in_words(gnomon: Gnomon, empty_home: Home) -> None:
    path = Path(empty_home.cfg.home) / "gnomon.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"this is no database, and longer than a header of one hundred bytes " * 9)
    with pytest.raises(sqlite3.DatabaseError), sqlite3.connect(path) as connection:
        connection.execute("SELECT * FROM sqlite_master")
    connection.close()
    code, out, err = gnomon("dags", "list")
    assert (code, out) == (1, "") and str(path) in err and "Traceback" not in err
