"""The import contracts of pyproject.toml hold, and an import that breaks one is reported."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import gnomon

ROOT = Path(__file__).parents[2]
PACKAGE = Path(gnomon.__file__).parent
BREACHES = {
    "model/ids.py": "import time",
    "planning/plan.py": "import time",
    "engine/step.py": "from gnomon.rules.timetables.system_time import now",
    "planning/walk.py": "from gnomon.rules.timetables.system_time import now",
    "dependencies/resolver.py": "from gnomon.rules.timetables.system_time import now",
    "sdk/dags/dag.py": "import gnomon.storage.store",
    "worker/service.py": "import gnomon.services.scheduler.service",
    "report/next_runs.py": "import pydantic",
    "timetable_host/request_queue.py": "import sqlite3",
    "clock/clocks.py": "import pendulum",
}
"""For each file, an import that breaks a contract."""


def _contracts(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run the import linter on the package in this folder."""
    program = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    return subprocess.run(
        [sys.executable, "-c", program, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, capture_output=True, text=True, check=False, timeout=300,
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder that contains a copy of the package."""
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
    assert "0 kept, 7 broken" in done.stdout


def test_a_package_on_no_floor_breaks_the_contract(tree: Path) -> None:
    (tree / "gnomon" / "helpers").mkdir()
    (tree / "gnomon" / "helpers" / "__init__.py").write_text("")
    done = _contracts(tree)
    assert done.returncode == 1, done.stdout
    assert "helpers" in done.stdout


def test_the_architecture_page_shows_the_floors_of_the_contract() -> None:
    """A row of the page may combine adjacent floors."""
    floors = _floors()
    for shown in _rows_of_the_page():
        joined: set[str] = set()
        while floors and joined < shown:
            joined |= floors.pop(0)
        assert joined == shown
    assert not floors, "the page does not show these floors"


def _floors() -> list[set[str]]:
    """The packages of each floor in pyproject.toml, from top to bottom."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["id"] == "floors")
    return [set(re.findall(r"\w+", layer)) for layer in layers if layer != "(__main__)"]


def _rows_of_the_page() -> list[set[str]]:
    """The packages in each row of the table of floors, from top to bottom."""
    page = (ROOT / "docs" / "discussions" / "architecture.md").read_text()
    table = page.partition("| floor | packages |")[2].partition("\n\n")[0]
    return [set(re.findall(r"`(\w+)`", row.split("|")[2])) for row in table.splitlines()[2:]]
