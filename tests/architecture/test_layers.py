"""The import contracts of pyproject.toml hold, and an import that breaks one is reported."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.architecture.layer_contracts import PUBLIC_FOLDERS, ROOT, count_contracts, list_layers, list_rows

import gnomon

PACKAGE = Path(gnomon.__file__).parent
BREACHES = {
    "model/ids.py": "import time",
    "ground/clock/clocks.py": "import pendulum",
    "ground/log/events.py": "import gnomon.ground.metrics",
    "rules/calendars/calendar.py": "import gnomon.rules.timetables.base",
    "rules/planning/plan.py": "import time",
    "rules/engine/step.py": "from gnomon.rules.timetables.system_time import now",
    "rules/planning/walk.py": "from gnomon.rules.timetables.system_time import now",
    "rules/dependencies/resolver.py": "from gnomon.rules.timetables.system_time import now",
    "authoring/sdk/dags/dag.py": "import gnomon.storage.store",
    "authoring/sdk/tasks/operator.py": "import gnomon.authoring.operators",
    "authoring/sdk/nodes/edges.py": "import gnomon.authoring.sdk.dags.dag",
    "rules/engine/lifecycle/tallies.py": "import gnomon.rules.engine.admission.admission_pass",
    "storage/store/drivers/sqlite.py": "import gnomon.storage.store.ownership.commit",
    "queries/report/waits/edge_wording.py": "import gnomon.queries.report.listings.run_list",
    "api/common/paths.py": "import gnomon.api.access.permissions",
    "author_code/loading/plugins.py": "import gnomon.author_code.runner",
    "author_code/timetable_host/request_queue.py": "import sqlite3",
    "storage/store/statements.py": "import gnomon.storage.remote_logs",
    "queries/report/next_runs.py": "import pydantic",
    "queries/accounts/logins.py": "import gnomon.queries.report",
    "changes/actions/actor.py": "import gnomon.changes.operations",
    "services/worker/service.py": "import gnomon.services.scheduler.service",
    "entry/app/standalone.py": "import gnomon.entry.cli",
}
"""For each file, an import that breaks a contract."""


def _contracts(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run the import linter on the package in this folder."""
    program = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    return subprocess.run(
        [sys.executable, "-c", program, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
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
    assert f"0 kept, {count_contracts()} broken" in done.stdout


def test_a_folder_in_no_layer_breaks_the_contract(tree: Path) -> None:
    (tree / "gnomon" / "helpers").mkdir()
    (tree / "gnomon" / "helpers" / "__init__.py").write_text("")
    done = _contracts(tree)
    assert done.returncode == 1, done.stdout
    assert "helpers" in done.stdout


def test_the_folder_list_shows_the_layers() -> None:
    """Each folder with code of Gnomon is a layer, which says what it is for in at most forty lines."""
    folders = {folder.name for folder in PACKAGE.iterdir() if folder.is_dir() and folder.name != "__pycache__"}
    assert {name for name in folders if (PACKAGE / name / "__init__.py").exists()} - PUBLIC_FOLDERS == set(
        list_layers()
    )
    assert len(folders - PUBLIC_FOLDERS) <= 14
    for layer in list_layers():
        described = ast.get_docstring(ast.parse((PACKAGE / layer / "__init__.py").read_text()))
        assert described is not None, layer
        assert "An example: " in described, layer
        assert len(described.splitlines()) <= 40, layer


def test_the_architecture_page_shows_the_layers_of_the_contract() -> None:
    assert [name for name, _ in _rows_of_the_page()] == list_layers()
    for layer, packages in _rows_of_the_page():
        if rows := list_rows(layer):
            assert packages == set.union(*rows), layer


def _rows_of_the_page() -> list[tuple[str, set[str]]]:
    """The layer and the packages of each row of the table of layers, from top to bottom."""
    page = (ROOT / "docs" / "contributing" / "architecture.md").read_text()
    table = page.partition("| layer | packages |")[2].partition("\n\n")[0]
    cells = [[set(re.findall(r"`(\w+)`", cell)) for cell in row.split("|")[1:3]] for row in table.splitlines()[2:]]
    return [(name.pop(), packages) for name, packages in cells]
