"""A test that is marked pure fails when it starts a process, opens a database file or connects to a server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S
from tests.purity import PURE_FOLDERS

ROOT = Path(__file__).parents[2]
CONFTEST = """
from tests.purity import PurityGuard

def pytest_configure(config):
    config.pluginmanager.register(PurityGuard())
"""
TESTS = """
import os, socket, sqlite3, subprocess, sys
import psycopg
import pytest

def popen(): subprocess.run([sys.executable, "-c", ""])
def fork():
    pid = os.fork()
    if not pid: os._exit(0)
    os.waitpid(pid, 0)
def spawn(): os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}), 0)
def system(): os.system("true")
def database_file(): sqlite3.connect("some.db").close()
def connection():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
def postgres():
    psycopg.BaseConnection(psycopg.pq.PGconn.connect(b"host=/nowhere"))
def database_file_that_is_swallowed():
    try:
        sqlite3.connect("/nowhere/some.db")
    except Exception: pass

EFFECTS = [popen, fork, spawn, system, database_file, connection, postgres, database_file_that_is_swallowed]

@pytest.mark.pure
@pytest.mark.parametrize("effect", EFFECTS)
def test_impure(effect): effect()

@pytest.mark.parametrize("effect", EFFECTS[:5])
def test_ordinary(effect): effect()

@pytest.mark.pure
def test_pure(tmp_path):
    sqlite3.connect(":memory:").close()
    (tmp_path / "file").touch()

@pytest.fixture
def a_process(): popen()

@pytest.fixture(scope="module")
def shared_process(): popen()

def test_ordinary_comes_first(shared_process): pass
@pytest.mark.pure
def test_impure_by_what_is_shared(shared_process): pass
@pytest.mark.pure
def test_impure_by_its_fixture(a_process): pass
"""


def _run(folder: Path, *arguments: str) -> tuple[int, str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text(
        "[pytest]\naddopts = -p no:cacheprovider\nmarkers =\n    pure: x\n    ordinary: x\n    soak: x\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-rfE", *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "CI": "true"},
        capture_output=True,
        text=True,
        check=False,
        timeout=4 * PATIENCE_S,
    )
    return run.returncode, run.stdout + run.stderr


def test_pure_tests_fail_by_what_they_and_their_fixtures_do_and_others_do_not(tmp_path: Path) -> None:
    (tmp_path / "test_effects.py").write_text(TESTS)
    _, output = _run(tmp_path)
    assert re.search(r"= 8 failed, 7 passed, 2 errors in", output), output
    for effect, name in {
        "starts a process": "popen",
        "opens a database file": "database_file",
        "connects to a server": "postgres",
    }.items():
        assert re.search(
            rf"FAILED test_effects\.py::test_impure\[{name}\] - Failed: This pure test {effect}", output
        ), output
    assert "ERROR test_effects.py::test_impure_by_what_is_shared - Failed: This pure test starts a process" in output
    assert "in its fixture shared_process: mark it" in output
    assert "ERROR test_effects.py::test_impure_by_its_fixture" in output


def test_a_test_is_not_marked_both_pure_and_ordinary(tmp_path: Path) -> None:
    (tmp_path / "test_both.py").write_text(
        "import pytest\npytestmark = pytest.mark.pure\n@pytest.mark.ordinary\ndef test_both(): pass\n"
    )
    code, output = _run(tmp_path)
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "test_both.py::test_both is marked both pure and ordinary" in output


def test_a_run_of_the_pure_tests_imports_no_module_without_one(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("import pytest\n@pytest.mark.pure\ndef test_one(): pass\n")
    (tmp_path / "test_other.py").write_text("raise RuntimeError('imported')\n")
    in_folder = tmp_path / PURE_FOLDERS[0] / "test_of_folder.py"
    in_folder.parent.mkdir(parents=True)
    in_folder.write_text("def test_of_folder(): pass\n")
    code, output = _run(tmp_path, "-m", "pure and not soak")
    assert code == 0 and "2 passed" in output, output
    for arguments in ((), ("-m", "pure or soak"), ("-m", "pure", "test_other.py")):
        code, output = _run(tmp_path, *arguments)
        assert code == pytest.ExitCode.INTERRUPTED and "imported" in output, output


def test_a_run_without_soak_tests_makes_no_items_of_them(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(
        "import pytest\n"
        "@pytest.mark.soak\n@pytest.mark.parametrize('n', [1, 2])\ndef test_long(n): pass\n"
        "def test_short(): pass\n"
    )
    for arguments, result in (
        (("-m", "not soak"), "1 test collected"),
        (("-m", "pure and not soak"), "no tests collected"),
        (("-m", "not soak", "test_one.py"), "1/3 tests collected (2 deselected)"),
        (("-m", "soak"), "2/3 tests collected (1 deselected)"),
        ((), "3 tests collected"),
    ):
        _, output = _run(tmp_path, "--collect-only", *arguments)
        assert result in output, output


def test_the_pure_folders_are_folders() -> None:
    """One that is moved takes its tests out of `make quick`."""
    assert [folder for folder in PURE_FOLDERS if not any((ROOT / folder).rglob("test_*.py"))] == []
