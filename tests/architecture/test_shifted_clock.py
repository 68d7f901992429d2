"""tests/shifted_clock.py gives another date to every process that tests start, and leaves timeouts as they are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from tests import shifted_clock
from tests.postgres import own_schema

pytestmark = [
    pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="LD_PRELOAD and the symbols that it replaces are Linux's"
    ),
    pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason=shifted_clock.NO_COMPILER),
]
SHIFT_S = 40_000_000
PROBE = """
import datetime, json, os, subprocess, sys, threading, time
now = [sys.executable, "-c", "import time; print(time.time())"]
reading, writing = os.pipe()
pid = os.posix_spawn(now[0], now, {}, file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1)])
os.waitpid(pid, 0)
time.sleep(0.001)
print(json.dumps({
    "own": time.time(), "datetime": datetime.datetime.now().timestamp(),
    "child": float(subprocess.check_output(now)), "child without variables": float(subprocess.check_output(now, env={})),
    "spawned without variables": float(os.read(reading, 100)),
    "monotonic": time.monotonic(), "has timed out": not threading.Event().wait(0.001),
}))
"""


def test_every_process_sees_the_other_date_and_no_timeout_changes(tmp_path: Path) -> None:
    library = shifted_clock.compiled(tmp_path, SHIFT_S)
    before, since = time.time(), time.monotonic()
    preloaded = ":".join(
        filter(None, [str(library), os.environ.get("LD_PRELOAD")])
    )  # the tests may run with a shifted clock
    output = subprocess.check_output([sys.executable, "-c", PROBE], env={**os.environ, "LD_PRELOAD": preloaded})
    seen, after, until = json.loads(output), time.time(), time.monotonic()
    assert since <= seen.pop("monotonic") <= until
    assert seen.pop("has timed out")
    for what, moment in seen.items():
        assert before - 1 <= moment - SHIFT_S <= after + 1, what  # a second: time() counts whole ticks


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2026-02-29 12:00", "UTC"], "day is out of range for month"),
        (["2028-02-29 12:00", "Nowhere/Else"], "No time zone found with key Nowhere/Else"),
        (["2028-02-29 12:00", "UTC", "--tzdata", "empty"], "fill it with `pip install --target empty tzdata==2024.1`"),
    ],
)
def test_a_wrong_argument_is_reported(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert shifted_clock.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_missing_compiler_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    assert shifted_clock.main(["2028-02-29 12:00", "UTC"]) == 2
    assert "no C compiler" in capsys.readouterr().err


@pytest.mark.postgres
def test_the_database_of_the_tests_has_the_clock_of_the_tests() -> None:
    with own_schema() as url, psycopg.connect(url) as connection:
        (found,) = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchall()
    assert abs(found[0] - time.time()) < 60
