"""Airflow's names in every process of a Python environment: the `.pth` file that makes `import airflow` import Gnomon's package.

Python reads `.pth` files at its start (module `site` of the standard library) and adds their lines to `sys.path`, so that programs, notebooks
and editors find the package without a call.
"""

from __future__ import annotations

import os
import site
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from gnomon.author_code.loading.dialect import TREE
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

PTH_NAME = "gnomon_airflow_dialect.pth"
_AIRFLOW = ("apache-airflow", "apache-airflow-core", "apache-airflow-task-sdk")
"""Packages that contain `airflow` itself."""
_PROVIDERS = "apache-airflow-providers-"
_FIND_AIRFLOW = "import importlib.util as u; s = u.find_spec('airflow'); print('' if s is None else s.origin or next(iter(s.submodule_search_locations)))"


@dataclass(frozen=True, slots=True)
class DialectStatus:
    """What `import airflow` means in this environment."""

    enabled: bool
    file: str | None
    """The `.pth` file; None without one."""
    environment: str
    """The environment of this interpreter, in words."""
    python: str
    airflow: str | None
    """What a new process of this interpreter imports as `airflow`; None: nothing."""
    installed_airflow: str | None
    """The installed Airflow, with its version."""
    providers: tuple[str, ...]
    """Installed provider packages, with their versions."""


def read_status() -> DialectStatus:
    """The state of this environment. Starts one process of this interpreter."""
    airflow_file = _find_imported_airflow()
    files = [str(folder / PTH_NAME) for folder in _site_folders() if (folder / PTH_NAME).is_file()]
    return DialectStatus(
        enabled=airflow_file is not None and os.path.realpath(airflow_file).startswith(os.path.realpath(TREE) + os.sep),
        file=files[0] if files else None,
        environment=describe_environment(),
        python=sys.executable,
        airflow=airflow_file,
        installed_airflow=find_installed_airflow(),
        providers=tuple(sorted(_list_providers())),
    )


def describe_environment() -> str:
    """The environment of this interpreter: a virtual environment, or the installation of Python itself."""
    if sys.prefix != sys.base_prefix:
        return f"virtual environment {sys.prefix}"
    return f"Python installation {sys.prefix}"


def find_installed_airflow() -> str | None:
    """The installed Airflow with its version; None without one."""
    for name in _AIRFLOW:
        try:
            return f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue
    return None


def write_pth_file(*, user: bool = False) -> Path:
    """Write the file into this environment and return its path. `user`: into the packages of this user, not of the environment.

    Raises UserError beside an installed Airflow, where the environment is read only, and with `user` in a virtual environment.
    """
    installed = find_installed_airflow()
    if installed is not None:
        raise UserError(
            say("airflow_is_installed", name=installed, place=describe_environment(), package=installed.split()[0])
        )
    folder = _user_folder() if user else Path(sysconfig.get_path("purelib"))
    path = folder / PTH_NAME
    try:
        if user:
            folder.mkdir(parents=True, exist_ok=True)
        path.write_text(_pth_line(folder) + "\n")
    except OSError as error:
        remedy = "use a virtual environment (python -m venv)"
        if not user and sys.prefix == sys.base_prefix:
            remedy = f"enable it for your user alone (gnomon dialect enable --user), or {remedy}"
        raise UserError(
            say("file_cannot_be_written_here", file=str(path), error=error.strerror, remedy=remedy)
        ) from None
    return path


def remove_pth_files() -> list[Path]:
    """Remove the file from this environment and from the packages of this user; returns the removed paths. Raises UserError where it cannot."""
    removed = []
    for path in [folder / PTH_NAME for folder in _site_folders()]:
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UserError(say("file_cannot_be_removed", file=str(path), error=error.strerror)) from None
        removed.append(path)
    return removed


def _user_folder() -> Path:
    if not site.ENABLE_USER_SITE:
        raise UserError(say("environment_excludes_user_packages", place=describe_environment()))
    return Path(site.getusersitepackages())


def _pth_line(folder: Path) -> str:
    """The folder of the package: relative where Gnomon is installed in the same folder, so that an environment may be moved."""
    tree = Path(TREE)
    return str(tree.relative_to(folder.resolve())) if tree.is_relative_to(folder.resolve()) else TREE


def _site_folders() -> Iterator[Path]:
    folders = [sysconfig.get_path("purelib"), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    yield from map(Path, dict.fromkeys(folders))


def _list_providers() -> Iterator[str]:
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"] or ""
        if name.lower().startswith(_PROVIDERS):
            yield f"{name} {distribution.version}"


def _find_imported_airflow() -> str | None:
    """The file that a new process imports as `airflow`: this one may have enabled Airflow's names for itself."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", _FIND_AIRFLOW], capture_output=True, text=True, check=False, cwd=os.sep
    )
    return done.stdout.strip() or None
