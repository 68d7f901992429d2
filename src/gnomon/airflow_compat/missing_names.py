"""Imports of Airflow names that are not in the tree: they get a stand-in, or an error that names the reason."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from gnomon.airflow_compat.coverage_row import CoverageStatus
from gnomon.authoring.sdk.arguments.airflow_dialects import AIRFLOW_2, read_dialect

if TYPE_CHECKING:
    from importlib.abc import Loader

TABLE = "docs/reference/airflow-coverage.md"
_NO_REASON = "does not exist in Gnomon"


class NameNotProvided(ImportError):
    """A name of Airflow that the dialect does not have; the message says why and names the coverage table."""


def make_getattr(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module of the tree, for the stand-ins of the coverage table."""
    return lambda name: _make_stand_in(module, name)


def make_lazy_exports(module: str, homes: Mapping[str, str]) -> tuple[list[str], Callable[[str], Any]]:
    """(`__all__`, `__getattr__`) of a module of the tree whose names are imported when first used.

    `homes`: for each name the module that defines it; followed by `:other` when the name is different there, or by `:` alone
    when the name stands for the module itself.
    """

    def find(name: str) -> Any:
        if name not in homes:
            return _make_stand_in(module, name)
        return _load_home(module, name, homes[name])

    return list(homes), find


def _load_home(module: str, name: str, home: str) -> Any:
    """Import what stands at `home` (see `make_lazy_exports`), and keep it in the module."""
    place, colon, other = home.partition(":")
    imported = import_module(place)
    value = imported if colon and not other else getattr(imported, other or name)
    setattr(sys.modules[module], name, value)
    return value


def _make_stand_in(module: str, name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    from gnomon.airflow_compat import coverage, old_names, stand_ins  # start-up cost: needed only for a missing name

    path = old_names.find_old_path(module, name)
    row = coverage.find_row(module, name)
    if path is not None and (row is None or old_names.is_package_installed(path)):
        return old_names.load_old_name(module, name, path)
    if row is None or row.status is CoverageStatus.PROVIDED:
        return _load_unlisted(module, name)
    if row.status is CoverageStatus.LATER:
        raise NameNotProvided(f"{module}.{name} is not supported yet: {row.why}. See {TABLE}.")
    value = (
        stand_ins.make_inert(name, row.why)
        if row.status is CoverageStatus.WORD
        else stand_ins.make_refusing(name, row.why)
    )
    setattr(sys.modules[module], name, value)
    return value


def _load_unlisted(module: str, name: str) -> Any:
    """A name without a row in the coverage table: what the module imports in Airflow, a constant of it, or a submodule."""
    from gnomon.airflow_compat import old_names  # start-up cost: needed only for a missing name

    home = old_names.find_reexport(module, name)
    if home is not None:
        return _load_home(module, name, home)
    if old_names.has_plain_value(module, name):
        return copy.deepcopy(old_names.read_plain_values()[module][name])
    return _import_submodule(module, name)


def _import_submodule(package: str, name: str) -> ModuleType:
    """The submodule of that name. Raises NameNotProvided when there is none."""
    if hasattr(sys.modules[package], "__path__"):
        try:
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{name}":
                raise
            if _NO_REASON not in str(error):
                raise NameNotProvided(str(error), name=package) from error
    raise NameNotProvided(f"{package}.{name} {_NO_REASON}. {TABLE} lists the supported names of Airflow.", name=package)


class OldModuleLoader:
    """Makes a module of Airflow 1.10 whose names are those of the provider packages that have them since Airflow 2."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its `__getattr__`; nothing is imported before a name is asked for."""
        module.__dict__["__getattr__"] = make_getattr(module.__name__)


class MissingModules:
    """The last import finder: modules of Airflow 1.10 in the dialect of Airflow 2, and the packages that contain them in both dialects, so
    that an error can name the module; for another missing module of Airflow, raises an error with the reason and the coverage table.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("airflow.") or _is_provider_package(fullname):
            return None
        from gnomon.airflow_compat import coverage, old_names  # start-up cost: needed only for a missing module

        is_old, is_package = old_names.is_old_module(fullname), old_names.is_old_package(fullname)
        if is_package or (is_old and read_dialect().number == AIRFLOW_2):
            return ModuleSpec(fullname, cast("Loader", OldModuleLoader()), is_package=is_package)
        row = coverage.find_module_row(fullname)
        why = "" if row is None or not row.why else f" is not supported yet: {row.why}"
        if is_old:
            why = f": {old_names.describe_old_module(fullname)}"
        raise ModuleNotFoundError(
            f"No module named {fullname!r}: {fullname}{why or f' {_NO_REASON}'}. "
            f"{TABLE} lists the supported names of Airflow.",
            name=fullname,
        )


def install_finder() -> None:
    """Install the finder that explains missing modules of Airflow, once."""
    if not any(isinstance(finder, MissingModules) for finder in sys.meta_path):
        sys.meta_path.append(MissingModules())


def _is_provider_package(name: str) -> bool:
    """Whether the name belongs to a provider package that users install: then Python's own error is raised."""
    ours = "airflow.providers.standard"
    return name.startswith("airflow.providers.") and name != ours and not name.startswith(f"{ours}.")
