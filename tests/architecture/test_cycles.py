"""No modules and no folders import one another in a circle, also not for type checking and not inside functions."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import gnomon

PACKAGE = Path(gnomon.__file__).parent
DIALECT = PACKAGE / "airflow_compat" / "tree"


def modules(package: Path) -> dict[str, Path]:
    """The modules of a package by their dotted names, without the dialect's thin files."""
    found = {}
    for file in sorted(package.rglob("*.py")):
        if DIALECT not in file.parents:
            parts = (package.name, *file.relative_to(package).with_suffix("").parts)
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imports(tree: ast.AST, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that a module imports anywhere in its text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in known:
                    yield inner
                elif node.module in known:
                    yield node.module


@cache
def read_imports(package: Path) -> dict[str, set[str]]:
    """What each module of the package imports of it; the files are read once."""
    known = modules(package)
    return {name: set(imports(ast.parse(file.read_text()), known)) for name, file in known.items()}


def cycle(package: Path) -> list[str] | None:
    """One circle of imports, None when there is none."""
    return _circle_of({name: imported - {name} for name, imported in read_imports(package).items()})


def folder_cycles(package: Path) -> list[list[str]]:
    """For each folder, one circle of imports among what stands in it, where there is one; a folder in it counts as one thing."""
    graphs: dict[str, dict[str, set[str]]] = {}
    for name, all_imported in read_imports(package).items():
        for imported in all_imported:
            inside, one, other = _split(name, imported)
            if one and other and one != other:
                graphs.setdefault(inside, {}).setdefault(one, set()).add(other)
    return [circle for graph in graphs.values() if (circle := _circle_of(graph)) is not None]


def _split(name: str, imported: str) -> tuple[str, str, str]:
    """The folder that both names have in common, and what of each stands directly in it (empty: the folder itself)."""
    parts = zip(name.split("."), imported.split("."), strict=False)
    common = [one for one, _ in itertools.takewhile(lambda pair: pair[0] == pair[1], parts)]
    return ".".join(common), *(".".join(one.split(".")[: len(common) + 1][len(common) :]) for one in (name, imported))


def _circle_of(graph: dict[str, set[str]]) -> list[str] | None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def test_no_modules_import_one_another_in_a_circle() -> None:
    assert cycle(PACKAGE) is None


def test_no_folders_import_one_another_in_a_circle() -> None:
    """The folders and files of each folder stand in an order; `__init__` files of the folders above count for neither side."""
    assert folder_cycles(PACKAGE) == []


def test_a_circle_of_folders_is_found(tmp_path: Path) -> None:
    for name, text in {"a/x": "import sample.b.y", "b/y": "pass", "b/z": "import sample.a.w", "a/w": "pass"}.items():
        file = tmp_path / "sample" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert cycle(tmp_path / "sample") is None
    assert [set(circle) for circle in folder_cycles(tmp_path / "sample")] == [{"a", "b"}]


@pytest.mark.parametrize(
    "line",
    [
        "import sample.two",
        "from sample import two",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from sample.two import f",
        "def g():\n    from sample.two import f",
    ],
)
def test_a_circle_is_found(tmp_path: Path, line: str) -> None:
    package = tmp_path / "sample"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text(line)
    (package / "two.py").write_text("def f():\n    import sample.one")
    found = cycle(package)
    assert found is not None
    assert set(found) == {"sample.one", "sample.two"}
