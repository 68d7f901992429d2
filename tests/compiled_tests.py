"""A plugin of pytest for whole runs, `pytest -p tests.compiled_tests`: in a new checkout the modules of the tests are compiled once, and not by each of N processes.

pytest rewrites the assertions of each module and keeps the result (`tests/conftest.py`); the N processes begin together, so each of them would do all of it:
twelve seconds of a processor.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PROCESSES = os.cpu_count() or 1


def find_modules(folder: Path) -> list[Path]:
    """The modules of tests below the folder that pytest has not compiled yet."""
    return [
        module
        for module in sorted(folder.rglob("test_*.py"))
        if not any(module.parent.glob(f"__pycache__/{module.stem}.*-pytest-{pytest.__version__}.pyc"))
    ]


def compile_modules(modules: Sequence[Path], root: Path) -> None:
    """Have pytest collect them, in a process for each processor; what fails, fails again in the run."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-n0", "-p", "no:cacheprovider"]
    processes = [
        subprocess.Popen(
            [*command, *map(str, modules[first::PROCESSES])],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for first in range(min(PROCESSES, len(modules)))
    ]
    for process in processes:
        process.wait()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Before the processes of the run begin."""
    options = session.config.option
    is_whole = not hasattr(session.config, "workerinput") and not options.file_or_dir
    if is_whole and (getattr(options, "numprocesses", 0) or 0) > PROCESSES:
        modules = find_modules(TESTS)
        if len(modules) > PROCESSES:
            compile_modules(modules, session.config.rootpath)
