"""A Python environment as a user has it: a virtual environment in which Gnomon is installed, and nothing of Airflow."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import gnomon

ENTRY_POINTS = "[console_scripts]\ngnomon = gnomon.entry.cli.main:main\n\n[pytest11]\ngnomon = gnomon.airflow_compat.pytest_plugin\n"


class ScratchEnvironment:
    """A virtual environment that finds the packages of this one by `.pth` lines; Gnomon has an entry in it, as after an installation."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=120)
        self.folder = folder
        self.python = str(folder / "bin" / "python")
        self.packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
        source = str(Path(gnomon.__file__).parent.parent)
        others = [path for path in sys.path if path.endswith("-packages") and path != source]
        (self.packages / "their_packages.pth").write_text("\n".join([source, *others]) + "\n")
        self.add_distribution("gnomon", "0.1.0", ENTRY_POINTS)

    def add_distribution(self, name: str, version: str, entry_points: str = "") -> Path:
        """Make a package count as installed; returns the folder of its metadata."""
        folder = self.packages / f"{name.replace('-', '_')}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (folder / "entry_points.txt").write_text(entry_points)
        return folder

    def run(
        self, *arguments: str, home: Path, cwd: Path | None = None, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the environment's Python to its end."""
        return subprocess.run(
            [self.python, *arguments],
            env=self.environ(home, **environ),
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def environ(self, home: Path, **environ: str) -> dict[str, str]:
        """The variables of a user: no setting of these tests, and a home of its own."""
        inherited = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith(("GNOMON_", "AIRFLOW_", "PYTHON", "PYTEST_", "COV_"))
        }
        return {**inherited, "GNOMON_HOME": str(home), "HOME": str(home), **environ}
