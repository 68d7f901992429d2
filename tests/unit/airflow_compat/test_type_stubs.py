"""The type stubs of the package `airflow`, from which editors complete its names."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path

import pytest

from gnomon.airflow_compat.type_stubs import render_stubs
from gnomon.author_code.loading import dialect


@pytest.fixture(autouse=True)
def _own_search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_stubs_are_as_generated_and_name_the_objects_of_their_modules() -> None:
    stubs = render_stubs()
    assert {path: path.read_text() for path in Path(dialect.TREE).rglob("*.pyi")} == stubs
    names = 0
    for path, text in stubs.items():
        parts = path.relative_to(dialect.TREE).with_suffix("").parts
        try:
            module = import_module(".".join(parts).removesuffix(".__init__"))
            names += sum(_is_same(module, node) for node in ast.parse(text).body if isinstance(node, ast.ImportFrom))
        except ImportError as error:  # only for an optional dependency
            if "extra" not in str(error):
                raise
    assert names > 150


def _is_same(module: object, node: ast.ImportFrom) -> bool:
    alias = node.names[0]
    if node.module == "typing":
        return False
    assert node.module is not None and alias.asname is not None
    package = import_module(node.module)
    found = (
        getattr(package, alias.name) if hasattr(package, alias.name) else import_module(f"{node.module}.{alias.name}")
    )
    assert getattr(module, alias.asname) is found, (module, alias.asname)
    return True
