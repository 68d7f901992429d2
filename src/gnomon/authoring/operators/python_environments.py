"""Builds virtual environments for tasks, with pip or uv, and keeps them in a cache when a task asks for one.

A cache folder has one environment for each set of arguments, `venv-<hash>`. A lock file beside it lets one process build while
the others wait; a marker file, written last, says that the environment is complete.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from gnomon.authoring.operators.command_output import CommandFailed, run_logged
from gnomon.ground.config import current_config
from gnomon.ground.config.environment import environment
from gnomon.model.errors.authoring import AirflowException

INSTALL_METHODS = ("auto", "pip", "uv")
_MARKER = "install_complete_marker.json"
_PIP_CONF = "pip.conf"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class EnvironmentSpec:
    """The arguments of a virtual environment; equal arguments share one cached environment."""

    requirements: tuple[str, ...] = ()
    """Lines of a requirements file."""
    python_version: str | None = None
    """`3.11`; None: the interpreter of this process."""
    system_site_packages: bool = True
    pip_install_options: tuple[str, ...] = ()
    index_urls: tuple[str, ...] | None = None
    """None: the indexes that pip is configured for; empty: no index."""
    cache_key: str = ""

    def cache_name(self) -> str:
        """Return the folder of the environment in a cache: `venv-` and a hash of the arguments."""
        return f"venv-{hashlib.sha256(self.to_json().encode()).hexdigest()[:12]}"

    def to_json(self) -> str:
        """Return the arguments as JSON; index addresses without their passwords."""
        urls = None if self.index_urls is None else [_hide_password(url) for url in self.index_urls]
        return json.dumps({**asdict(self), "index_urls": urls}, sort_keys=True)


def uses_uv() -> bool:
    """Return whether environments are built with uv, by `[standard] venv_install_method`.

    Raises AirflowException for an unknown method, or for `uv` when the program is not installed.
    """
    method = current_config().get("standard", "venv_install_method", fallback="auto").strip().lower() or "auto"
    if method not in INSTALL_METHODS:
        raise AirflowException(
            f"[standard] venv_install_method is {method!r}; it must be one of {', '.join(INSTALL_METHODS)}."
        )
    has_uv = shutil.which("uv") is not None
    if method == "uv" and not has_uv:
        raise AirflowException(
            "[standard] venv_install_method is uv, and no program `uv` is in PATH. Install uv, or set the option to auto or pip."
        )
    return has_uv and method != "pip"


def build_environment(folder: Path, spec: EnvironmentSpec, task_id: str) -> Path:
    """Build the environment in `folder` and return the path of its interpreter.

    Raises AirflowException, with the last lines of output, when a command fails.
    """
    requirements = folder / "requirements.txt"
    requirements.write_text("\n".join(spec.requirements), encoding="utf-8")
    try:
        prepare_virtualenv(
            venv_directory=str(folder),
            python_bin=f"python{spec.python_version}" if spec.python_version else sys.executable,
            system_site_packages=spec.system_site_packages,
            requirements_file_path=str(requirements) if spec.requirements else None,
            pip_install_options=list(spec.pip_install_options),
            index_urls=None if spec.index_urls is None else list(spec.index_urls),
        )
    except (CommandFailed, FileNotFoundError) as error:
        raise AirflowException(
            f"The virtual environment of task {task_id!r} could not be built: {_describe_failure(error, spec)}"
        ) from error
    return folder / "bin" / "python"


def find_or_build_environment(cache: Path, spec: EnvironmentSpec, task_id: str) -> Path:
    """Return the interpreter of the cached environment; it is built first if the cache does not have it.

    Of several processes that need the same environment, one builds it and the others wait.
    """
    folder = cache / spec.cache_name()
    cache.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        marker = folder / _MARKER
        if marker.exists() and marker.read_text(encoding="utf-8") == spec.to_json():
            log.info("Reusing the virtual environment in %s", folder)
            return folder / "bin" / "python"
        if folder.exists():
            log.warning("The virtual environment in %s is not complete; it is built again", folder)
            shutil.rmtree(folder)
        folder.mkdir()
        try:
            python = build_environment(folder, spec, task_id)
            marker.write_text(spec.to_json(), encoding="utf-8")
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        log.info("The virtual environment was built in %s", folder)
        return python


def prepare_virtualenv(
    venv_directory: str,
    python_bin: str,
    system_site_packages: bool,
    requirements: list[str] | None = None,
    requirements_file_path: str | None = None,
    pip_install_options: list[str] | None = None,
    index_urls: list[str] | None = None,
) -> str:
    """Make a virtual environment, install the requirements, and return the path of its interpreter.

    Without requirements nothing is installed, not even pip. Raises ValueError when both kinds of requirements are given,
    CommandFailed when a command fails.
    """
    if requirements is not None and requirements_file_path is not None:
        raise ValueError("Give either requirements or requirements_file_path, not both.")
    Path(venv_directory).mkdir(parents=True, exist_ok=True)
    install_arguments = list(requirements or ()) if requirements_file_path is None else ["-r", requirements_file_path]
    with_uv = uses_uv()
    env = {**environment(), **(_make_index_variables(index_urls, with_uv))}
    if index_urls is not None:
        _write_pip_conf(Path(venv_directory) / _PIP_CONF, index_urls)
    run_logged(
        _make_venv_command(venv_directory, python_bin, system_site_packages, with_uv, bool(install_arguments)), env=env
    )
    python = f"{venv_directory}/bin/python"
    if install_arguments:
        installer = ["uv", "pip", "install", "--python", python] if with_uv else [python, "-m", "pip", "install"]
        run_logged([*installer, *(pip_install_options or ()), *install_arguments], env=env)
    return python


def _make_venv_command(folder: str, python_bin: str, site_packages: bool, with_uv: bool, with_pip: bool) -> list[str]:
    site = ["--system-site-packages"] if site_packages else []
    if with_uv:
        return [
            "uv",
            "venv",
            "--allow-existing",
            *(["--seed"] if with_pip else []),
            "--python",
            python_bin,
            *site,
            folder,
        ]
    return [python_bin, "-m", "venv", *([] if with_pip else ["--without-pip"]), *site, folder]


def _make_index_variables(index_urls: Sequence[str] | None, with_uv: bool) -> dict[str, str]:
    if index_urls is None or not with_uv:
        return {}
    if not index_urls:
        return {"UV_NO_INDEX": "1"}
    more = {"UV_INDEX": " ".join(index_urls[1:])} if len(index_urls) > 1 else {}
    return {"UV_DEFAULT_INDEX": index_urls[0], **more}


def _write_pip_conf(path: Path, index_urls: Sequence[str]) -> None:
    """Write the indexes into the configuration file that pip reads in the environment; it may hold passwords."""
    lines = [f"index-url = {index_urls[0]}"] if index_urls else ["no-index = true"]
    if len(index_urls) > 1:
        lines.append(f"extra-index-url = {' '.join(index_urls[1:])}")
    path.touch(mode=0o600)
    path.write_text("[global]\n" + "\n".join(lines) + "\n", encoding="utf-8")


def _describe_failure(error: CommandFailed | FileNotFoundError, spec: EnvironmentSpec) -> str:
    if isinstance(error, FileNotFoundError):
        return f"no program {error.filename!r} is in PATH. Install that Python, or give another python_version."
    remedy = (
        f" The requirements are {', '.join(spec.requirements)}: correct them, or the package index that the worker asks."
        if spec.requirements
        else ""
    )
    what, _, output = _hide_passwords(str(error)).partition("\n")
    return f"{what}{'' if what.endswith('.') else '.'}{remedy}\n{output}"


def _hide_password(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url


def _hide_passwords(text: str) -> str:
    return re.sub(r"(\w+://)[^\s/@]+@", r"\1***@", text)
