"""A Git repository on this machine, made by the program git."""

from __future__ import annotations

import os
import subprocess
import textwrap
from pathlib import Path


class GitRepository:
    """A repository with one branch, `main`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str) -> str:
        """The output of git in the repository."""
        names = {
            f"GIT_{who}_{what}": f"{what.lower()}@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        environment = {**os.environ, **names, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *words], cwd=self.folder, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, **files: str | None) -> str:
        """Commit these files (`a__b` is `a/b.py`; None: delete it); returns the id of the commit."""
        for name, text in files.items():
            path = self.folder / f"{name.replace('__', '/')}.py"
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=test")
        return self.git("rev-parse", "HEAD")
