"""A home that is taken, full, or not ours to write: a sentence, and the rest keeps running."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.chaos import journal
from tests.chaos.home import Home, home
from tests.chaos.processes import until
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
DISK = "48m"
"""Of the small disk: a home takes a few megabytes, and standalone wants 16 free when it starts."""
FULL_S = 4.0
DAGS = (
    journal.HEAD
    + """
with DAG("steady", schedule="@daily", start_date=BEGIN, catchup=True, max_active_runs=2, is_paused_upon_creation=False):
    @task
    def one(ti=None): work(ti, 0.2)
    @task
    def two(ti=None): work(ti, 0.2)
    one() >> two()
"""
)


def _finish(here: Home) -> None:
    here.finish("steady", DAGS)


def test_a_second_standalone_is_told_whose_home_it_is_and_disturbs_nothing() -> None:
    with home() as here:
        here.dag_file("steady", DAGS)
        here.start()
        until(lambda: journal.starts(here), "a task")
        assert here.process is not None
        before = {role: here.pids(role) for role in ("worker", "scheduler", "dag-processor", "api-server")}
        second = here.cli("standalone", "--port", "0")
        assert second.returncode == 1
        assert second.stderr.count("\n") == 1, second.stderr
        assert f"another gnomon standalone runs in {here.folder}" in second.stderr
        assert f"process {here.process.pid}" in second.stderr
        assert "GNOMON_HOME" in second.stderr
        assert {role: here.pids(role) for role in before} == before
        _finish(here)
        assert journal.audit(here, retries=0) == []
        here.stop()


@pytest.fixture
def small_disk() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="gnd"))
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        folder.rmdir()
        pytest.skip(f"a small disk needs the right to mount: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)
    folder.rmdir()


def _fill(disk: Path) -> Path:
    """Not a byte is left."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
    return ballast


def test_a_disk_that_is_full_for_a_while_stops_only_what_must_be_written(small_disk: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="gnj") as elsewhere:
        here = Home(small_disk)
        here.journal, here.said_in = Path(elsewhere) / "journal", Path(elsewhere) / "stderr"
        here.env["CHAOS_JOURNAL"] = str(here.journal)
        here.dags = Path(elsewhere) / "dags"
        here.dags.mkdir()
        here.env["GNOMON__CORE__DAGS_FOLDER"] = str(here.dags)
        try:
            here.dag_file("steady", DAGS)
            here.start()
            until(lambda: len(journal.starts(here)) >= 3, "tasks that run")
            before = {role: here.pids(role) for role in ("worker", "scheduler", "dag-processor", "api-server")}
            ballast = _fill(small_disk)
            told = until(lambda: _refusal(here), "a command that the full disk refuses")
            here.dag_file("late", DAGS.replace('"steady"', '"late"').replace('"@daily"', "None"))
            time.sleep(FULL_S)
            ballast.unlink()
            freed = time.time()
            until(lambda: any(note.at > freed for note in journal.starts(here)), "a task after room was made")
            until(lambda: "late" in here.cli("dags", "list").stdout, "the DAG that came while the disk was full")
            resumed_s = min(note.at for note in journal.starts(here) if note.at > freed) - freed
            _finish(here)
            found = journal.audit(here, retries=0)
            states = Counter(attempt.state for attempt in here.records([run.run_pk for _, run in here.runs()])[1])
            print(f"full: {told.strip()!r}; the next task began {resumed_s:.1f} s after room was made; {dict(states)}")
            assert found == []
            assert {role: here.pids(role) for role in before} == before, "a service died of it"
            assert here.cli("db", "check").returncode == 0
            assert "Traceback" not in here.said(), here.said()[-4000:]
            assert "no room left on the disk" in here.said()
            here.stop()
        except BaseException:
            print(here.said()[-6000:])
            raise
        finally:
            here.end()


def _refusal(here: Home) -> str:
    """What a command says that had to write; empty when it still could."""
    done = here.cli("variables", "set", "big", "x" * 100_000)
    if done.returncode == 0:
        return ""
    assert "Traceback" not in done.stderr
    assert "no room left on the disk" in done.stderr, done.stderr
    return done.stderr


def test_a_disk_that_is_full_from_the_start_is_named(small_disk: Path) -> None:
    here = Home(small_disk)
    _fill(small_disk)
    done = here.cli("standalone", "--port", "0")
    assert done.returncode == 1
    assert f"the disk of {small_disk} is full" in done.stderr
    assert "GNOMON_HOME" in done.stderr
    assert not (small_disk / "gnomon.db").exists()


AS_ANYBODY = """
import ctypes, os, sys
for capability in (1, 2):
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
os.execv(sys.executable, [sys.executable, "-m", "gnomon", *sys.argv[1:]])
"""
"""Root without the capabilities to pass over the rights of files (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH) is as anybody."""


def test_a_home_that_may_only_be_read_is_refused_in_words_and_stays_as_it_is() -> None:
    with home() as here:
        here.dag_file("steady", DAGS)
        here.start()
        until(lambda: journal.starts(here), "a task")
        here.stop()
        before = _protect(here.folder, writable=False)
        try:
            for words in (
                ["standalone", "--port", "0"],
                ["scheduler"],
                ["worker"],
                ["dag-processor"],
                ["variables", "set", "k", "v"],
            ):
                done = subprocess.run(
                    [sys.executable, "-c", AS_ANYBODY, *words],
                    env=here.env,
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=PATIENCE_S,
                )
                print(words[0], done.returncode, done.stderr.strip())
                assert done.returncode == 1, words
                assert "Traceback" not in done.stderr
                assert str(here.folder) in done.stderr
                assert "GNOMON_HOME" in done.stderr or "owner" in done.stderr
        finally:
            after = _protect(here.folder, writable=True)
        assert after == before
        here.start()
        _finish(here)
        assert journal.audit(here) == []
        here.stop()


def _protect(folder: Path, *, writable: bool) -> set[tuple[str, int]]:
    """Nobody may write in the folder, or its owner again; returns what is in it, with sizes."""
    places = [folder, *folder.rglob("*")]
    for place in places:
        right = 0o755 if place.is_dir() else 0o644
        place.chmod(right if writable else right & 0o555)
    return {(str(place), place.stat().st_size if place.is_file() else 0) for place in places}
