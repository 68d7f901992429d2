"""The example repository: its workflow says what a change would do to a month, and refuses one that breaks a promise."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

EXAMPLE = Path(__file__).parents[2] / "examples" / "nightly-report"
CHANGES = {
    "cron": ("dags/report.py", 'at="04:30"', 'at="05:00"', "22 runs are different: 22 moves", True),
    "calendar": ("dags/office.py", 'subdivision="BE"', 'subdivision="BB"', "vanish", True),
    "pool": (
        "month.toml",
        "etl = 2",
        "etl = 1",
        "extract.customers waits 40 min longer for pool etl with 1 slot",
        False,
    ),
    "task": (
        "dags/load.py",
        "minutes=50",
        "minutes=95",
        "load.facts takes longer: 1 h 35 min instead of 50 min",
        False,
    ),
}
"""Of each kind: the file, what is replaced by what, what the summary must say, and whether the change may land."""


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example as a repository with one commit on main."""
    folder = tmp_path_factory.mktemp("origin") / "nightly-report"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    _git(folder, "init", "-q", "-b", "main")
    _git(folder, "add", "-A")
    _commit(folder)
    return folder


@pytest.mark.parametrize("kind", CHANGES)
def test_the_workflow_says_what_a_change_does_to_a_month(tmp_path: Path, origin: Path, kind: str) -> None:
    file, before, after, words, may_land = CHANGES[kind]
    branch = tmp_path / "checkout"
    _git(tmp_path, "clone", "-q", str(origin), str(branch))
    changed = (branch / file).read_text().replace(before, after)
    assert changed != (branch / file).read_text()
    (branch / file).write_text(changed)
    _git(branch, "add", "-A")
    _commit(branch)
    summary, code = _run_workflow(branch, tmp_path)
    assert words in summary.replace("\\", "")
    assert (code == 0) is may_land, summary
    assert ("'report ends before 07:00' does not hold" in summary.replace("\\", "")) is not may_land


def test_its_own_tests_pass() -> None:
    assert _run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"], EXAMPLE, {}).returncode == 0


def _run_workflow(branch: Path, folder: Path) -> tuple[str, int]:
    """What the step of the comparison has written, and its exit code."""
    workflow = yaml.safe_load((branch / ".github" / "workflows" / "schedule.yml").read_text())
    (script,) = [
        step["run"] for step in workflow["jobs"]["schedule"]["steps"] if "gnomon simulate" in step.get("run", "")
    ]
    bin_folder, summary = folder / "bin", folder / "summary.md"
    bin_folder.mkdir()
    (bin_folder / "gnomon").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gnomon "$@"\n')
    (bin_folder / "gnomon").chmod(0o755)
    environ = {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "GNOMON_HOME": str(folder / "home"),
        "RUNNER_TEMP": str(folder),
        "GITHUB_BASE_REF": "main",
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    done = _run(["bash", "-e", "-c", script], branch, environ)
    assert "Traceback" not in done.stderr, done.stderr
    return summary.read_text(), done.returncode


def _commit(folder: Path) -> None:
    _git(folder, "-c", "user.name=An Author", "-c", "user.email=author@example.org", "commit", "-q", "-m", "change")


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)


def _run(command: list[str], folder: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environ}, capture_output=True, text=True, timeout=300, check=False
    )
