"""Finds or installs what the tests of the page need: Node with the packages of `web/`, and Chromium."""

from __future__ import annotations

import functools
import os
import subprocess

import pytest
from tests.debian_packages import prefer_program, require_program
from web.node import has_node, install_packages, run

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HEADLESS_SHELL = "chromium-headless-shell"
"""Chromium without the windows and the services of a browser: a test of the page takes a quarter less of the processor."""


@functools.cache
def require_chromium() -> str:
    """The path of a Chromium; installed from Debian's packages in CI. Skips the test elsewhere when there is none."""
    return require_program(CHROMIUM_NAMES, "chromium")


@functools.cache
def require_light_chromium() -> str:
    """The same, but for the one without windows where there is one, or where CI can install it."""
    return prefer_program(HEADLESS_SHELL, HEADLESS_SHELL) or require_chromium()


@functools.cache
def require_node() -> None:
    """The packages of `web/` are installed. Skips the test when there is no Node, which does not happen in CI."""
    if not has_node():
        assert not os.environ.get("CI"), "CI needs Node 20 or later with npm"
        pytest.skip("there is no Node on the PATH; install Node 20 or later to check the sources of the page")
    install_packages(with_tools=True)


def run_node(*arguments: str) -> None:
    """Run a program of the packages; it must succeed."""
    require_node()
    try:
        run("node", *arguments)
    except subprocess.CalledProcessError as error:
        pytest.fail(f"{error.stdout}{error.stderr}")
