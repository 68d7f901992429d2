"""One name, one thing: no two classes of the package share a name, and no two modules of one floor."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import gnomon

ROOT = Path(__file__).parents[2]
PACKAGE = Path(gnomon.__file__).parent
DIALECT = PACKAGE / "airflow_compat" / "tree"
"""Airflow's names at Airflow's paths: they repeat by definition."""

CLASSES_WITH_TWO_HOMES: dict[str, str] = {}
"""Class names that exist twice, each with the reason. The list may only become shorter."""

MODULES_WITH_TWO_HOMES: dict[str, str] = {
    "__init__": "Python's name for a package",
    "__main__": "Python's name for what `python -m` runs",
    "settings": "what each process takes from the options: one in dagfiles, scheduler, worker, triggerer; the classes carry the package's name",
    "service": "the entry of each process: `gnomon.<package>.service` for dag-processor, scheduler, worker, triggerer, API",
}
"""Module names that exist twice on a floor, each with the reason. The list may only become shorter."""


def _files() -> Iterator[Path]:
    return (file for file in sorted(PACKAGE.rglob("*.py")) if DIALECT not in file.parents)


def _name(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts)


def _floors() -> dict[str, int]:
    """The number of the floor of each package, as the import contract lists them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "floors")
    return {name.strip(" ()"): number for number, layer in enumerate(layers) for name in layer.split("|")}


def _twice(homes: dict[tuple[int | str, str], list[str]]) -> dict[str, list[str]]:
    return {name: files for (_, name), files in homes.items() if len(files) > 1}


def test_a_class_name_means_one_thing() -> None:
    homes: dict[tuple[int | str, str], list[str]] = defaultdict(list)
    for file in _files():
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef):
                homes["package", node.name].append(_name(file))
    twice = _twice(homes)
    assert {name: files for name, files in twice.items() if name not in CLASSES_WITH_TWO_HOMES} == {}
    assert set(CLASSES_WITH_TWO_HOMES) - set(twice) == set(), "these exceptions are no longer needed: remove them"


def test_a_module_name_means_one_thing_on_its_floor() -> None:
    floors = _floors()
    homes: dict[tuple[int | str, str], list[str]] = defaultdict(list)
    for file in _files():
        package = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if package in floors:
            homes[floors[package], file.stem].append(_name(file))
    twice = _twice(homes)
    assert {name: files for name, files in twice.items() if name not in MODULES_WITH_TWO_HOMES} == {}
