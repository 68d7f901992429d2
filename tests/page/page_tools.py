"""Finds or installs what the tests of the page need: Node with the packages of `web/`, and Chromium."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.debian_packages import INSTALL_LIMIT_S, require_program

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@functools.cache
def require_chromium() -> str:
    """The path of a Chromium; installed from Debian's packages in CI. Skips the test elsewhere when there is none."""
    return require_program(CHROMIUM_NAMES, "chromium")


@functools.cache
def require_node() -> str:
    """The path of Node, with the packages of `web/` installed. Skips the test when there is no Node, which does not happen in CI."""
    found, npm = shutil.which("node"), shutil.which("npm")
    if found is None or npm is None:
        assert not os.environ.get("CI"), "CI needs Node 20 or later with npm"
        pytest.skip("there is no Node on the PATH; install Node 20 or later to check the sources of the page")
    if not (WEB / "node_modules" / ".package-lock.json").exists():
        subprocess.run(
            [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
            cwd=WEB,
            check=True,
            capture_output=True,
            timeout=INSTALL_LIMIT_S,
        )
    return found


def run_node(*arguments: str) -> None:
    """Run a program of the packages; it must succeed."""
    done = subprocess.run(
        [require_node(), *arguments], cwd=WEB, capture_output=True, text=True, timeout=INSTALL_LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
