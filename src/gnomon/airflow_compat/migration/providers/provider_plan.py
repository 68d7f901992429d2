"""What an installation of provider packages consists of: the packages, the providers that they need, and other packages, each with its reason.

A provider package declares Airflow as a requirement; Gnomon takes its place. What remains are its other requirements, the
providers that it needs in turn, and packages that it imports without declaring them because Airflow declares them.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from gnomon.airflow_compat.migration.providers.airflow_requirements import REQUIREMENTS_BY_IMPORT
from gnomon.airflow_compat.migration.providers.package_imports import list_imported_packages
from gnomon.author_code.loading.provider_names import AIRFLOW_PACKAGES, BUILT_IN, PREFIX, shorten
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

Unpack = Callable[[Sequence[str], Path], None]
"""Puts packages, without what they require, into a folder (`PackageInstaller.unpack`)."""
_OBJECT_STORAGE_USERS = ("apache-airflow-providers-common-io", "astronomer-cosmos")
"""Packages whose modules use ObjectStoragePath when they are imported."""
_OBJECT_STORAGE = "universal-pathlib>=0.3.8"
"""What Gnomon's extra `object-storage` brings for that, with fsspec, which it requires."""
_ROUNDS = 5
"""So often a provider is looked at again because another one needs another version of it."""
_SHOWN = 4
"""So many packages are named as the reason of another one."""


@dataclass(frozen=True, slots=True)
class PlannedPackage:
    """One package of the installation."""

    requirement: str
    reason: str
    is_provider: bool


@dataclass(slots=True)
class _Provider:
    """A provider package that the plan contains."""

    requirement: Requirement
    reasons: list[str]
    version: str = ""
    rounds: int = 0
    needs: list[Requirement] = field(default_factory=list)
    imports: Mapping[str, str] = field(default_factory=dict)


def build_plan(requirements: Iterable[str], unpack: Unpack, airflow_version: str) -> list[PlannedPackage]:
    """Return what must be installed for these provider packages (`normalize_package`), the providers first.

    The packages are downloaded together: those that are asked for, then those that these need, and so on; `unpack` is called once
    for each such round, because a call of the installer takes seconds.
    `airflow_version`: the version of Airflow that Gnomon stands for. Raises UserError for a package that needs another one, and the
    errors of `unpack`.
    """
    providers: dict[str, _Provider] = {}
    pending: list[tuple[Requirement, str]] = [(Requirement(text), "asked for") for text in requirements]
    while pending:
        changed = _add(pending, providers)
        for name in changed:
            providers[name].rounds += 1
            if providers[name].rounds > _ROUNDS:
                raise UserError(
                    say("no_version_satisfies_all", package=name, requirement_text=str(providers[name].requirement))
                )
        if changed:
            _inspect([providers[name] for name in changed], unpack, airflow_version)
        pending = [
            (need, f"needed by {shorten(name)}")
            for name in changed
            for need in providers[name].needs
            if _is_provider(need)
        ]
    return [*_list_providers(providers), *_list_others(providers)]


def _add(pending: Iterable[tuple[Requirement, str]], providers: dict[str, _Provider]) -> list[str]:
    """Add the requirements to the providers. Returns the names of those whose package has to be looked at (again)."""
    changed: dict[str, None] = {}
    for requirement, reason in pending:
        name = canonicalize_name(requirement.name)
        if name in BUILT_IN:
            continue
        provider = providers.setdefault(name, _Provider(Requirement(name), []))
        if reason not in provider.reasons:
            provider.reasons.append(reason)
        has_extras = requirement.extras <= provider.requirement.extras
        provider.requirement.specifier &= requirement.specifier
        provider.requirement.extras |= requirement.extras
        if not (
            provider.version
            and provider.requirement.specifier.contains(provider.version, prereleases=True)
            and has_extras
        ):
            changed[name] = None
    return list(changed)


def _is_provider(requirement: Requirement) -> bool:
    return canonicalize_name(requirement.name).startswith(PREFIX)


def _inspect(providers: Sequence[_Provider], unpack: Unpack, airflow_version: str) -> None:
    """Download the packages and read what they declare and import."""
    with TemporaryDirectory(prefix="gnomon-provider-") as folder:
        unpack([str(_without_extras(provider.requirement)) for provider in providers], Path(folder))
        distributions_by_name = {
            canonicalize_name(distribution.metadata["Name"]): distribution
            for distribution in metadata.distributions(path=[folder])
        }
        for provider in providers:
            _read(
                provider,
                distributions_by_name[canonicalize_name(provider.requirement.name)],
                Path(folder),
                airflow_version,
            )


def _read(provider: _Provider, distribution: metadata.Distribution, folder: Path, airflow_version: str) -> None:
    """Fill in what the unpacked package declares and imports. Raises UserError when it needs another version of Airflow."""
    provider.version = distribution.version
    extras = ["", *sorted(provider.requirement.extras)]
    declared = [Requirement(text) for text in distribution.requires or ()]
    needs = [
        _without_marker(declared_requirement)
        for declared_requirement in declared
        if declared_requirement.marker is None
        or any(declared_requirement.marker.evaluate({"extra": extra}) for extra in extras)
    ]
    provider.imports = list_imported_packages(folder, [folder / str(file) for file in distribution.files or ()])
    for need in needs:
        if canonicalize_name(need.name) in AIRFLOW_PACKAGES - {
            "apache-airflow-task-sdk"
        } and not need.specifier.contains(airflow_version, prereleases=True):
            raise UserError(
                say(
                    "provider_needs_other_airflow",
                    package=provider.requirement.name,
                    version=str(provider.version),
                    requirement_text=str(need),
                    airflow_version=airflow_version,
                    short_name=shorten(provider.requirement.name),
                )
            )
    provider.needs = [need for need in needs if canonicalize_name(need.name) not in AIRFLOW_PACKAGES]


def _without_extras(requirement: Requirement) -> Requirement:
    bare = Requirement(str(requirement))
    bare.extras = set()
    return bare


def _without_marker(requirement: Requirement) -> Requirement:
    requirement.marker = None
    return requirement


def _list_providers(providers: Mapping[str, _Provider]) -> list[PlannedPackage]:
    return [
        PlannedPackage(f"{name}=={provider.version}", _join(provider.reasons), True)
        for name, provider in providers.items()
    ]


def _join(words: Sequence[str]) -> str:
    """The words in one line: many packages need common-compat."""
    return ", ".join(words) if len(words) <= _SHOWN else f"{', '.join(words[:_SHOWN])} and {len(words) - _SHOWN} more"


def _list_others(providers: Mapping[str, _Provider]) -> list[PlannedPackage]:
    """The packages that are no providers: those declared, then those that are imported, come with Airflow and are not declared."""
    declared: dict[str, list[str]] = {}
    for name, provider in providers.items():
        for need in provider.needs:
            if not _is_provider(need):
                declared.setdefault(str(need), []).append(shorten(name))
    planned = [PlannedPackage(text, f"declared by {_join(names)}", False) for text, names in sorted(declared.items())]
    names_declared = {canonicalize_name(Requirement(text).name) for text in declared}
    undeclared: dict[str, list[str]] = {}
    for name, provider in providers.items():
        for module in provider.imports:
            text = REQUIREMENTS_BY_IMPORT.get(module)
            if text is None or canonicalize_name(Requirement(text).name) in names_declared or _can_be_imported(module):
                continue
            undeclared.setdefault(text, []).append(shorten(name))
    users = [shorten(name) for name in providers if name in _OBJECT_STORAGE_USERS]
    if (
        users
        and canonicalize_name(Requirement(_OBJECT_STORAGE).name) not in names_declared
        and not _can_be_imported("upath")
    ):
        planned.append(
            PlannedPackage(_OBJECT_STORAGE, f"needed by ObjectStoragePath, which {_join(users)} uses", False)
        )
    planned += [
        PlannedPackage(text, f"imported by {_join(names)}, and declared by Airflow alone", False)
        for text, names in sorted(undeclared.items())
    ]
    return planned


def _can_be_imported(module: str) -> bool:
    return module in sys.stdlib_module_names or importlib.util.find_spec(module) is not None


def is_installed(requirement: str) -> bool:
    """Return whether this environment has a version that satisfies the requirement."""
    parsed = Requirement(requirement)
    try:
        return parsed.specifier.contains(metadata.version(parsed.name), prereleases=True) and not parsed.extras
    except metadata.PackageNotFoundError:
        return False
