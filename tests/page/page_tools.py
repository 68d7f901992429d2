"""Finds or installs what the tests of the page need: Node with the packages of `web/`, and Chromium."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL_LIMIT_S = 600


@functools.cache
def require_chromium() -> str:
    """The path of a Chromium; installed from Debian's packages in CI. Skips the test elsewhere when there is none."""
    found = next((path for path in map(shutil.which, CHROMIUM_NAMES) if path), None)
    if found is None and os.environ.get("CI"):
        subprocess.run(["apt-get", "install", "-y", "-q", "chromium"], check=True, capture_output=True, timeout=INSTALL_LIMIT_S)
        found = shutil.which("chromium")
    if found is None:
        pytest.skip("there is no Chromium on the PATH; install the package chromium to run the tests of the page")
    return found


@functools.cache
def require_node() -> str:
    """The path of Node, with the packages of `web/` installed. Skips the test when there is no Node, which does not happen in CI."""
    found, npm = shutil.which("node"), shutil.which("npm")
    if found is None or npm is None:
        assert not os.environ.get("CI"), "CI needs Node 20 or later with npm"
        pytest.skip("there is no Node on the PATH; install Node 20 or later to check the sources of the page")
    if not (WEB / "node_modules" / ".package-lock.json").exists():
        subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=WEB, check=True, capture_output=True, timeout=INSTALL_LIMIT_S)
    return found


def run_node(*arguments: str) -> None:
    """Run a program of the packages; it must succeed."""
    done = subprocess.run([require_node(), *arguments], cwd=WEB, capture_output=True, text=True, timeout=INSTALL_LIMIT_S, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
