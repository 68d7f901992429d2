"""pip or uv of this environment: installs packages with the user's own configuration, and says in one sentence why it could not."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from typing import IO

from gnomon.ground.config.masking import without_passwords
from gnomon.model.errors.product import ResourceUnavailable, UserError
from gnomon.model.sentences import say

TIMEOUT_S = 1800.0
"""The longest time of one installation."""
_OUTPUT_END_S = 5.0
"""How long the rest of the output is read after the installer has ended."""
_PROGRESS = re.compile(r"(Collecting|Downloading|Installing collected packages|Building|Resolved|Prepared|Installed) ?")
"""The lines of pip and uv that say what happens; those for packages that are installed already are left out."""
_SOUGHT = re.compile(r"INFO: pip is (?:still )?looking at multiple versions of (\S+)")
_NETWORK = re.compile(
    r"NewConnectionError|Failed to establish|Temporary failure|Name or service not known|ConnectTimeout|Could not connect"
    r"|client error \(Connect\)|dns error|ProxyError|Read timed out",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"No matching distribution found|was not found in the (package registry|provided)|not found in the package registry",
    re.IGNORECASE,
)
_NAMED = re.compile(r"No matching distribution found for (.+)")
"""pip names the one of several packages that it did not find."""

_BUILD = re.compile(r"did not run successfully|Failed building wheel|Failed to build", re.IGNORECASE)
_BUILT = re.compile(r"Failed (?:building wheel for|to build) [`'\"]?([A-Za-z0-9][\w.-]*(?:==[\w.]+)?)")
_CAUSE = re.compile(r"^\s*(?:[│|]\s*)?((?:\w*Error|Exception|fatal error): .+)", re.MULTILINE)
"""The last such line of the output of a build says what it lacks."""
_BUILD_REMEDY = "Install what it names (often a compiler and a library of the system with its header files), and run the command again"

_OFFLINE_REMEDY = (
    "Connect this machine, or set a reachable index in the configuration of pip or uv (a folder of wheels: "
    "PIP_NO_INDEX=1 PIP_FIND_LINKS=FOLDER), and run the command again"
)


def find_installer() -> list[str]:
    """Return the words of the command that installs into this environment: its own pip, else uv, else a pip in PATH.

    Raises UserError when there is none.
    """
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable]
    if pip := shutil.which("pip"):
        return [pip, "--python", sys.executable, "install", "--disable-pip-version-check", "--no-input"]
    raise UserError(say("environment_has_no_pip", file=sys.executable))


class PackageFailed(ResourceUnavailable):
    """A package is not on the index, does not build, or contradicts another one: others may be installed all the same."""


class PackageInstaller:
    """Installs packages with one command line, `words` (`find_installer`). Index addresses come from the configuration of pip or uv."""

    def __init__(self, words: Sequence[str], on_progress: Callable[[str], object] = lambda _: None) -> None:
        """`on_progress` is called with what pip or uv does now, such as `downloading apache_airflow_providers_http-5.2.1.whl (70 kB)`."""
        self._words = list(words)
        self._on_progress = on_progress

    def unpack(self, requirements: Sequence[str], folder: Path) -> None:
        """Install packages without their requirements into the folder, by one call. Raises ResourceUnavailable with the reason when that fails."""
        self._run("--no-deps", "--target", str(folder), *requirements, what=", ".join(requirements))

    def install(self, requirements: Sequence[str], *, with_requirements: bool) -> None:
        """Install packages into this environment. Raises ResourceUnavailable with the reason when that fails, PackageFailed when
        one of them is the reason.
        """
        deps = () if with_requirements else ("--no-deps",)
        self._run(*deps, *requirements, what=", ".join(requirements))

    def _run(self, *arguments: str, what: str) -> None:
        command = [*self._words, *arguments]
        try:
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
                text=True,
                errors="replace",
            )
        except OSError as error:
            raise ResourceUnavailable(
                say("installer_cannot_be_run", things=what, file=self._words[0], error=str(error))
            ) from None
        with process:
            code, errors = self._follow(process)
        if code is None:
            raise ResourceUnavailable(
                say(
                    "packages_were_not_installed_in_time",
                    things=what,
                    duration=TIMEOUT_S,
                    text=" ".join(self._words[:4]),
                )
            )
        if code != 0:
            text = without_passwords(errors)
            raise (ResourceUnavailable if _NETWORK.search(text) else PackageFailed)(_describe_failure(what, text))

    def _follow(self, process: subprocess.Popen[str]) -> tuple[int | None, str]:
        """Report the progress until the process ends. Returns its exit code (None: it took too long and was killed) and what it wrote to stderr."""
        assert process.stdout is not None and process.stderr is not None
        errors: list[str] = []
        readers = [
            Thread(target=self._read, args=(process.stdout, []), daemon=True),
            Thread(target=self._read, args=(process.stderr, errors), daemon=True),
        ]
        try:
            for reader in readers:
                reader.start()
            code = process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            process.kill()  # after Ctrl-C too; a process that has ended is not signalled
        for reader in readers:
            reader.join(_OUTPUT_END_S)
        return code, "".join(errors)

    def _read(self, stream: IO[str], lines: list[str]) -> None:
        for line in stream:
            lines.append(line)
            description = describe_progress(line)
            if description is not None:
                self._on_progress(description)


def describe_progress(line: str) -> str | None:
    """What a line of pip or uv says that it does; None for a line that a user need not see."""
    if sought := _SOUGHT.match(line.strip()):
        return f"looking for a version of {sought[1]} that all packages accept"
    match = _PROGRESS.match(line.strip())
    if match is None:
        return None
    text = without_passwords(line.strip())
    words = text.split()
    if words[0] == "Downloading" and len(words) > 1:
        words[1] = words[1].rpartition("/")[2].removesuffix(".metadata")
    if words[0] == "Installing":
        packages = text.partition(": ")[2].split(", ")
        return f"installing {len(packages)} package{'s' if len(packages) != 1 else ''}"
    return " ".join([words[0].lower(), *words[1:]])


def _describe_failure(what: str, text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(error|×|╰)", line, re.IGNORECASE)] or lines[-1:] or ["no message"]
    if _NETWORK.search(text):
        return f"{what} could not be downloaded, because no package index answers. {_OFFLINE_REMEDY}"
    if _UNKNOWN.search(text):
        named = _NAMED.search(text)
        what = named[1] if named else what
        return f"{what} is not on the package index, the index does not answer, or it has no version for Python {sys.version_info.major}.{sys.version_info.minor}: {errors[-1]}"
    if _BUILD.search(text):
        built, causes = _BUILT.search(text), _CAUSE.findall(text)
        unbuilt = f"{built[1]} is not built" if built else "one of these packages is not built"
        return f"{what} could not be installed: {unbuilt} for this machine, and building it failed: {causes[-1] if causes else errors[-1]}. {_BUILD_REMEDY}"
    return f"{what} could not be installed: {errors[-1]}"
