"""Names that modules of Airflow have besides their own: paths of Airflow 1.10 that Airflow 2 forwards, and names that a module imports.

`old_provider_paths.json`: module to {name: path since}, from the redirects of apache-airflow 2.10.5 (`__deprecated_classes` in
`airflow/contrib`, `executors`, `hooks`, `kubernetes`, `operators`, `sensors` and `utils/log`, with `airflow/hooks/dbapi.py`); those that
lead to `airflow.kubernetes.pre_7_4_0_compatibility` lead to the same names of the package cncf.kubernetes here.
`reexported_names.json`: module to {name: home}, from the module namespaces of apache-airflow 2.6.3, 2.8.4, 2.10.5 and 3.3.2; a home is written as in
`missing_names.make_lazy_exports`.
`plain_values.json`: module to {name: value}, the constants of those modules.
`internal_names.json`: module to the names that raise on use, because nothing of Gnomon corresponds to them; `*`: the module cannot be imported.
The last three are made by `tests/conformance/airflow_names.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gnomon.author_code.loading.provider_names import find_package, shorten

Table = Mapping[str, Mapping[str, str]]
_FOLDER = Path(__file__).parent
OPTION = "[core] airflow_dialect = 2"


@cache
def read_old_paths() -> Table:
    """Module of Airflow 1.10 to {name: its path since Airflow 2}."""
    return _read("old_provider_paths.json")


@cache
def read_reexports() -> Table:
    """Module to {name that it imports: the home of the name}."""
    return _read("reexported_names.json")


@cache
def read_plain_values() -> Mapping[str, Mapping[str, Any]]:
    """Module to {name: its value}: texts, numbers, lists and dicts."""
    values: Mapping[str, Mapping[str, Any]] = _read_json("plain_values.json")
    return values


@cache
def read_internal_names() -> Mapping[str, Sequence[str]]:
    """Module to the names that Airflow has in it and that nothing of Gnomon corresponds to."""
    names: Mapping[str, Sequence[str]] = _read_json("internal_names.json")
    return names


def is_internal(module: str, name: str) -> bool:
    """Whether Airflow has the name in that module, and nothing of Gnomon corresponds to it."""
    return name in read_internal_names().get(module, ())


def has_plain_value(module: str, name: str) -> bool:
    """Whether the name is a constant of the module."""
    return name in read_plain_values().get(module, ())


def find_old_path(module: str, name: str) -> str | None:
    """The path that the name of a module of Airflow 1.10 has since Airflow 2; None when there is none."""
    return read_old_paths().get(module, {}).get(name)


def find_reexport(module: str, name: str) -> str | None:
    """The home of a name that the module imports in Airflow; None when it does not."""
    return read_reexports().get(module, {}).get(name)


def is_old_module(module: str) -> bool:
    """Whether Airflow 2 forwards names of that module of Airflow 1.10."""
    return module in read_old_paths()


def is_old_package(module: str) -> bool:
    """Whether there are such modules below that one."""
    return any(old.startswith(f"{module}.") for old in read_old_paths())


def load_old_name(module: str, name: str, path: str) -> Any:
    """The object that stands at the new path. Raises ImportError with the package to install, or the version to ask for."""
    home, _, own = path.rpartition(".")
    try:
        return getattr(import_module(home), own)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{module}.{name} stands for {path}, which cannot be imported: {error}. {_describe_remedy(path)}",
            name=error.name,
        ) from error
    except (AttributeError, ImportError) as error:
        raise ImportError(
            f"{module}.{name} stands for {path}, which the installed package does not have: {error}. {_describe_old_version(path)}",
            name=home,
        ) from error


def is_package_installed(path: str) -> bool:
    """Whether the module of the path can be found."""
    try:
        return find_spec(path.rpartition(".")[0]) is not None
    except ImportError:
        return False


def describe_old_module(module: str) -> str:
    """Where the names of an old module or package are since Airflow 2, for a message."""
    paths = read_old_paths().get(module)
    if not paths:
        return f"Airflow 2 forwarded its modules to provider packages; import from these, or set {OPTION}"
    homes = sorted({path.rpartition(".")[0] for path in paths.values()})
    return f"since Airflow 2, its names are in {' and '.join(homes)}; import them from there, or set {OPTION}"


def _describe_remedy(path: str) -> str:
    package = find_package(path)
    return f"Run `gnomon providers install {shorten(package)}`" if package else "See docs/reference/airflow-coverage.md"


def _describe_old_version(path: str) -> str:
    package = find_package(path)
    return f"An older version of {package} has it" if package else "See docs/reference/airflow-coverage.md"


def _read(name: str) -> Table:
    table: Table = _read_json(name)
    return table


def _read_json(name: str) -> Any:
    return json.loads((_FOLDER / name).read_text(encoding="utf-8"))
