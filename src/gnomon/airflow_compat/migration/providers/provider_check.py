"""Which modules of an installed provider package can be imported, and why the others cannot."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import metadata
from pathlib import PurePosixPath

from gnomon.author_code.loading.provider_names import find_package, shorten
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Command, say

TIME_LIMIT_S = 300.0
"""The longest time for the imports of one package; the module that is imported then counts as one that does not end."""
_NOT_IMPORTED = ("get_provider_info", "version_compat", "__init__")
_OPTIONAL = ("AirflowOptionalProviderFeatureException",)
_LIBRARY = re.compile(r"(\S+): cannot open shared object file")
"""What the dynamic linker says of a library of the system that is not there."""


class ImportVerdict(Enum):
    """What an attempt to import a module showed; the value is its text in tables."""

    IMPORTS = "imports"
    NEEDS_PACKAGE = "needs a package"
    """It needs an optional package, a provider, or a library of the system, that is not installed."""
    MISSING_NAME = "Gnomon lacks a name"
    FAILS = "fails"


@dataclass(frozen=True, slots=True)
class ModuleImport:
    """One module of a provider package."""

    module: str
    verdict: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProviderReport:
    """All modules of a provider package."""

    package: str
    version: str
    modules: list[ModuleImport]

    def count(self, verdict: ImportVerdict) -> int:
        """The number of modules with that verdict."""
        return sum(module.verdict == verdict.value for module in self.modules)


def check_provider(package: str) -> ProviderReport:
    """Import every module of the package in a process of its own. Raises UserError when the package is not installed."""
    try:
        distribution = metadata.distribution(package)
    except metadata.PackageNotFoundError:
        raise UserError(
            say("provider_is_not_installed", package=package, command=Command("providers install", (shorten(package),)))
        ) from None
    modules = sorted(_list_modules(distribution))
    return ProviderReport(package, distribution.version, list(_import_all(modules)))


def _list_modules(distribution: metadata.Distribution) -> Iterator[str]:
    for file in distribution.files or ():
        path = PurePosixPath(str(file))
        if (
            path.suffix != ".py"
            or path.parts[:2] != ("airflow", "providers")
            or "example_dags" in path.parts
            or "tests" in path.parts
        ):
            continue
        if path.stem not in _NOT_IMPORTED:
            yield ".".join(path.with_suffix("").parts)


def _import_all(modules: Sequence[str]) -> Iterator[ModuleImport]:
    """Import in child processes: one that a module ends is followed by another for the modules after it."""
    rest = list(modules)
    while rest:
        answers, ending = _run_probe(rest)
        done = {answer["module"]: answer for answer in answers if "kind" in answer}
        started = [answer["module"] for answer in answers if "kind" not in answer]
        yield from (_judge(done[module]) for module in rest if module in done)
        unfinished = [module for module in started if module not in done]
        if not started:
            raise UserError(say("import_process_did_not_start", reason=ending))
        yield from (ModuleImport(module, ImportVerdict.FAILS.value, ending) for module in unfinished)
        rest = rest[rest.index(started[-1]) + 1 :]


def _run_probe(modules: Sequence[str]) -> tuple[list[Mapping[str, str]], str]:
    """The lines of the child process, and how it ended."""
    command = [sys.executable, "-m", "gnomon.airflow_compat.migration.providers.import_probe", *modules]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=TIME_LIMIT_S, stdin=subprocess.DEVNULL
        )
        output, ending = (
            done.stdout,
            f"its import ended the process (exit code {done.returncode}) {done.stderr.strip()[-200:]}",
        )
    except subprocess.TimeoutExpired as error:
        output = error.stdout.decode() if isinstance(error.stdout, bytes) else error.stdout or ""
        ending = f"its import did not end within {TIME_LIMIT_S:g} s"
    return [json.loads(line) for line in output.splitlines() if line.endswith("}")], ending.strip()


def _judge(answer: Mapping[str, str]) -> ModuleImport:
    module, kind = answer["module"], answer["kind"]
    if not kind:
        return ModuleImport(module, ImportVerdict.IMPORTS.value)
    missing, text = answer["missing"], answer["text"]
    provider = find_package(missing) if missing else None
    if provider is not None:
        return ModuleImport(module, ImportVerdict.NEEDS_PACKAGE.value, f"gnomon providers install {shorten(provider)}")
    if kind == "NameNotProvided" or (kind == "ModuleNotFoundError" and missing.startswith("airflow.")):
        return ModuleImport(module, ImportVerdict.MISSING_NAME.value, text)
    if kind == "ModuleNotFoundError" and missing:
        return ModuleImport(module, ImportVerdict.NEEDS_PACKAGE.value, missing.partition(".")[0])
    if kind in _OPTIONAL:
        return ModuleImport(module, ImportVerdict.NEEDS_PACKAGE.value, text)
    if kind == "ImportError" and (library := _LIBRARY.match(text)):
        return ModuleImport(module, ImportVerdict.NEEDS_PACKAGE.value, f"{library[1]}, a library of the system")
    return ModuleImport(module, ImportVerdict.FAILS.value, f"{kind}: {text}")
