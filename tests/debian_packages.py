"""Programs that tests need: found on this machine; in CI installed from Debian's packages, and elsewhere the test is skipped with the reason."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

INSTALL_LIMIT_S = 600
FOLDERS = ("/usr/sbin", "/sbin")
"""Looked into after PATH, which lacks them for users who are not root."""


def require_program(names: tuple[str, ...], package: str) -> str:
    """The path of the first of these programs that there is. Skips the test where there is none; with CI=true it is installed, or the test fails."""
    path, problem = _find_or_install(names, package)
    if path is None and problem is not None:
        pytest.fail(f"there is no {names[0]}, and `apt-get install {package}` did not bring it: {problem}")
    if path is None:
        pytest.skip(f"there is no {names[0]} on this machine; `apt-get install {package}` brings it")
    return path


def prefer_program(name: str, package: str) -> str | None:
    """The path of a program that is better than another; with CI=true it is installed. None: there is none, and it could not be installed."""
    return _find_or_install((name,), package)[0]


def _find_or_install(names: tuple[str, ...], package: str) -> tuple[str | None, str | None]:
    """The path of the first of them, or None; and what kept it from being installed, or None where nothing is installed."""
    path = _find(names)
    if path is not None or os.environ.get("CI", "").lower() != "true":
        return path, None
    problem = _install(package)
    return _find(names), problem


def _find(names: tuple[str, ...]) -> str | None:
    folders = os.pathsep.join((os.environ.get("PATH", ""), *FOLDERS))
    return next((path for name in names if (path := shutil.which(name, path=folders))), None)


def _install(package: str) -> str:
    """Install it, with new lists if those of this machine lack it; returns what apt-get said last."""
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", package]
    said = ""
    for command in (install, ["apt-get", "update", "-q"], install):
        try:
            done = subprocess.run(
                command,
                check=False,
                capture_output=True,
                text=True,
                timeout=INSTALL_LIMIT_S,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{type(error).__name__}: {error}"
        if command is install and done.returncode == 0:
            return ""
        said = f"{done.stdout}{done.stderr}".strip()[-400:]
    return said
