"""One name, one thing: no two classes of the package share a name, and no two modules of one row of a layer."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.layer_contracts import list_rows

import gnomon

PACKAGE = Path(gnomon.__file__).parent
DIALECT = PACKAGE / "airflow_compat" / "tree"
"""Airflow's names at Airflow's paths: they repeat by definition."""

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where statements have statements."""
CLASSES_WITH_TWO_HOMES: dict[str, str] = {}
"""Class names that exist twice, each with the reason. The list may only become shorter."""

MODULES_WITH_TWO_HOMES: dict[str, str] = {
    "__init__": "Python's name for a package",
    "__main__": "Python's name for what `python -m` runs",
    "settings": "what each process takes from the options: one in dagfiles, scheduler, worker, triggerer; the classes carry the package's name",
    "service": "the entry of each process: `gnomon.<package>.service` for dag-processor, scheduler, worker, triggerer, API",
}
"""Module names that exist twice in a row, each with the reason. The list may only become shorter."""


def _files() -> Iterator[Path]:
    return (file for file in sorted(PACKAGE.rglob("*.py")) if DIALECT not in file.parents)


def _name(file: Path) -> str:
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts)


def _list_classes(tree: ast.Module) -> Iterator[str]:
    """The classes of a module at any depth. Only statements are looked at: no expression has a class."""
    rest: list[ast.AST] = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, ast.ClassDef):
            yield node.name
        for block in BLOCKS:
            rest += getattr(node, block, ())


def _row_of(file: Path) -> str:
    """The layer of a file, with the row of its package where the layer is divided into rows."""
    layer, *rest = file.relative_to(PACKAGE).parts
    numbers = [number for number, row in enumerate(list_rows(layer)) if rest and rest[0] in row]
    return f"{layer} {numbers}"


def _twice(homes: dict[tuple[str, str], list[str]]) -> dict[str, list[str]]:
    return {name: files for (_, name), files in homes.items() if len(files) > 1}


def test_a_class_name_means_one_thing() -> None:
    homes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for file in _files():
        for name in _list_classes(ast.parse(file.read_text())):
            homes["package", name].append(_name(file))
    twice = _twice(homes)
    assert {name: files for name, files in twice.items() if name not in CLASSES_WITH_TWO_HOMES} == {}
    assert set(CLASSES_WITH_TWO_HOMES) - set(twice) == set(), "these exceptions are no longer needed: remove them"


def test_a_class_is_found_wherever_it_stands() -> None:
    places: tuple[str, ...] = (
        "{}",
        "class Outer:\n {}",
        "def f():\n {}",
        "async def f():\n {}",
        "if x:\n pass\nelse:\n {}",
    )
    places += (
        "try:\n pass\nexcept E:\n {}\nelse:\n {}\nfinally:\n {}",
        "for x in y:\n {}\nelse:\n {}",
        "while x:\n {}",
    )
    places += ("with x:\n {}", "match x:\n case _:\n  {}")
    for place in places:
        names = iter(("One", "Two", "Three"))
        text = re.sub(r"\{\}", lambda _, names=names: f"class {next(names)}: pass", place)  # type: ignore[misc]
        assert {"One", "Two", "Three"} & set(re.findall("One|Two|Three", text)) == set(
            _list_classes(ast.parse(text))
        ) - {"Outer"}


def test_a_module_name_means_one_thing_in_its_row() -> None:
    homes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for file in _files():
        homes[_row_of(file), file.stem].append(_name(file))
    twice = _twice(homes)
    assert {name: files for name, files in twice.items() if name not in MODULES_WITH_TWO_HOMES} == {}
