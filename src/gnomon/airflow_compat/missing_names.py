"""What happens when a file asks for a name of Airflow that is not in the tree: words, refusals, clear errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from gnomon.airflow_compat.coverage_row import CoverageStatus

TABLE = "docs/reference/airflow-coverage.md"


class NameNotProvided(ImportError):
    """A name of Airflow that the dialect does not have; the message says why and where the coverage table is."""


def make_getattr(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module of the tree: names from the coverage table that need no code of their own."""
    return lambda name: _make_stand_in(module, name)


def make_lazy_exports(module: str, homes: Mapping[str, str]) -> tuple[list[str], Callable[[str], Any]]:
    """(`__all__`, `__getattr__`) of a module of the tree whose names are loaded when they are first asked for.

    `homes`: name to the module that has it, with `:name` when it is called otherwise there, with `:` alone when it is
    the module.
    """

    def find(name: str) -> Any:
        if name not in homes:
            return _make_stand_in(module, name)
        home, colon, other = homes[name].partition(":")
        found = import_module(home)
        value = found if colon and not other else getattr(found, other or name)
        setattr(sys.modules[module], name, value)
        return value

    return list(homes), find


def _make_stand_in(module: str, name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    from gnomon.airflow_compat import coverage, stand_ins  # the table is read only when a name is missing

    row = coverage.find_row(module, name)
    if row is None or row.status is CoverageStatus.PROVIDED:
        return _import_submodule(module, name)
    if row.status is CoverageStatus.LATER:
        raise NameNotProvided(f"{module}.{name} is not supported yet: {row.why}. See {TABLE}.")
    value = stand_ins.make_inert(name, row.why) if row.status is CoverageStatus.WORD else stand_ins.make_refusing(name, row.why)
    setattr(sys.modules[module], name, value)
    return value


def _import_submodule(package: str, name: str) -> ModuleType:
    """The submodule of that name; NameNotProvided when there is none."""
    if hasattr(sys.modules[package], "__path__"):
        try:
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{name}":
                raise
    raise NameNotProvided(f"{package}.{name} does not exist here. {TABLE} lists the names of Airflow that do.",
                          name=package)


class MissingModules(MetaPathFinder):
    """Asked last: says of a module of Airflow that is not in the tree why, and names the coverage table."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("airflow.") or _is_provider_package(fullname):
            return None
        from gnomon.airflow_compat import coverage

        row = coverage.find_module_row(fullname)
        why = "" if row is None or not row.why else f" is not supported yet: {row.why}"
        raise ModuleNotFoundError(
            f"No module named {fullname!r}: {fullname}{why or ' does not exist here'}. "
            f"{TABLE} lists the names of Airflow that do.",
            name=fullname,
        )


def install_finder() -> None:
    """Missing modules of Airflow are explained from now on."""
    if not any(isinstance(finder, MissingModules) for finder in sys.meta_path):
        sys.meta_path.append(MissingModules())


def _is_provider_package(name: str) -> bool:
    """Packages that anybody may install: whether one is there is asked by trying, and Python's own words say it best."""
    ours = "airflow.providers.standard"
    return name.startswith("airflow.providers.") and name != ours and not name.startswith(f"{ours}.")
