"""No local name is `found`, `one`, `given`, `wanted` or `left`: a name says what it holds. Fields of records keep theirs: they are stored or sent."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import gnomon

PACKAGE = Path(gnomon.__file__).parent

EMPTY_NAMES = frozenset({"found", "given", "left", "one", "wanted"})
"""They say that there is a result, an item or an argument, and not which."""

ALLOWED: dict[tuple[str, str, str], str] = {
    ("changes/operations/connection_operations.py", "add_connection", "given"): "the name of an argument of the API",
    ("changes/operations/connection_operations.py", "set_connection", "given"): "the name of an argument of the API",
}
"""(file, function, name) of the bindings that stay, each with the reason. The list may only become shorter."""


class _Bindings(ast.NodeVisitor):
    """Collects (line, function, name) of every binding of an empty name outside the bodies of classes."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, str, str]] = []
        self._functions: list[str] = []
        self._is_class_body = False

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_in_scope(node, is_class_body=True)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._functions.append(node.name)
        self._visit_in_scope(node, is_class_body=False)
        self._functions.pop()

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store) and not self._is_class_body:
            self._add(node, node.id)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        was_class_body, self._is_class_body = self._is_class_body, False
        self.visit(node.target)
        self._is_class_body = was_class_body
        for part in (node.iter, *node.ifs):
            self.visit(part)

    def visit_arg(self, node: ast.arg) -> None:
        self._add(node, node.arg)

    def visit_alias(self, node: ast.alias) -> None:
        self._add(node, node.asname)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._add(node, node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._add(node, node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._add(node, node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._add(node, node.rest)
        self.generic_visit(node)

    def _visit_in_scope(self, node: ast.AST, *, is_class_body: bool) -> None:
        was_class_body, self._is_class_body = self._is_class_body, is_class_body
        self.generic_visit(node)
        self._is_class_body = was_class_body

    def _add(self, node: ast.expr | ast.arg | ast.alias | ast.excepthandler | ast.pattern, name: str | None) -> None:
        if name in EMPTY_NAMES:
            self.rows.append((node.lineno, self._functions[-1] if self._functions else "", name))


def _list_bindings(text: str) -> list[tuple[int, str, str]]:
    bindings = _Bindings()
    bindings.visit(ast.parse(text))
    return bindings.rows


@cache
def _list_package() -> list[tuple[str, int, str, str]]:
    """(file, line, function, name) of every binding of an empty name in the package."""
    files = sorted(PACKAGE.rglob("*.py"))
    return [(file.relative_to(PACKAGE).as_posix(), *row) for file in files for row in _list_bindings(file.read_text())]


@pytest.mark.pure
def test_local_names_say_what_they_hold() -> None:
    lines = [
        f"src/gnomon/{path}:{line}: {name!r} in {function or 'the module'}"
        for path, line, function, name in _list_package()
        if (path, function, name) not in ALLOWED
    ]
    assert not lines, (
        "these names say nothing. Rename each to the noun of what it holds (`runs`, `task`, `arguments`, `missing_names`, `remaining`); "
        "if it is the name of an argument that others send, add it to ALLOWED with the reason:\n" + "\n".join(lines)
    )


@pytest.mark.pure
def test_no_exception_is_left_over() -> None:
    bound = {(path, function, name) for path, _, function, name in _list_package()}
    assert set(ALLOWED) - bound == set(), "these exceptions are no longer needed: remove them"


@pytest.mark.pure
@pytest.mark.parametrize(
    "text",
    [
        "found = 1",
        "found: int = 1",
        "found += 1",
        "first, found = pair",
        "for found in rows: pass",
        "[found for found in rows]",
        "class Row:\n    names = [found for found in rows]",
        "if (found := find()): pass",
        "with open(path) as found: pass",
        "try: pass\nexcept OSError as found: pass",
        "def find(found): pass",
        "def find(*found, **other): pass",
        "key = lambda found: 1",
        "match value:\n    case [found]: pass",
        "match value:\n    case [*found]: pass",
        "match value:\n    case {**found}: pass",
        "import rows as found",
        "text = f'{[found for found in rows]}'",
    ],
)
def test_every_kind_of_binding_is_seen(text: str) -> None:
    assert [name for _, _, name in _list_bindings(text)] == ["found"]


@pytest.mark.pure
@pytest.mark.parametrize("text", ["class Row:\n    found: int", "row.found = 1", "print(found)", "call(found=1)"])
def test_fields_and_uses_are_no_bindings(text: str) -> None:
    assert _list_bindings(text) == []
