"""The contracts of pyproject.toml hold, and they notice when somebody breaks them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gnomon

ROOT = Path(__file__).parents[2]
PACKAGE = Path(gnomon.__file__).parent
BREACHES = {
    "model/ids.py": "import time",
    "engine/step.py": "from gnomon.timetables.ambient import Ambient",
    "sdk/dag.py": "import gnomon.store",
    "worker/service.py": "import gnomon.scheduler.service",
    "userhost/lane.py": "import sqlite3",
    "clock/clocks.py": "import pendulum",
}
"""A line that each of these files must not have."""


def _contracts(tree: Path) -> subprocess.CompletedProcess[str]:
    """What the linter says of the package in this folder."""
    program = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    return subprocess.run(
        [sys.executable, "-c", program, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True, text=True, check=False, timeout=300,
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a copy of the package."""
    shutil.copytree(PACKAGE, tmp_path / "gnomon", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_every_import_points_down(tree: Path) -> None:
    done = _contracts(tree)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_an_upward_import_breaks_its_contract(tree: Path) -> None:
    for name, line in BREACHES.items():
        file = tree / "gnomon" / name
        file.write_text(f"{file.read_text()}\n{line}\n")
    done = _contracts(tree)
    assert done.returncode == 1, done.stdout
    for name in BREACHES:
        assert f"gnomon.{name.removesuffix('.py').replace('/', '.')} " in done.stdout
    assert "0 kept, 6 broken" in done.stdout


def test_a_package_on_no_floor_breaks_the_contract(tree: Path) -> None:
    (tree / "gnomon" / "helpers").mkdir()
    (tree / "gnomon" / "helpers" / "__init__.py").write_text("")
    done = _contracts(tree)
    assert done.returncode == 1, done.stdout
    assert "helpers" in done.stdout
