"""Which statements of a module run when it is imported, and which of them may fail without harm."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


class PlacedStatement(NamedTuple):
    """A statement, and what surrounds it."""

    node: ast.stmt
    is_guarded: bool
    """It is in a `try` that handles ImportError, in such a handler, behind a version test, or not run at all (TYPE_CHECKING)."""
    is_deferred: bool
    """It is inside a function: it runs when the function is called."""


def iterate_unguarded(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements that run when the module is imported, and whose ImportError nothing handles."""
    for placed in iterate_statements(tree.body):
        if not placed.is_guarded and not placed.is_deferred:
            yield placed.node


def iterate_statements(
    body: Sequence[ast.stmt], is_guarded: bool = False, is_deferred: bool = False
) -> Iterator[PlacedStatement]:
    """Yield all statements, outer ones first, in the order of the file."""
    pending = [(node, is_guarded, is_deferred) for node in reversed(body)]
    while pending:
        node, guarded, deferred = pending.pop()
        yield PlacedStatement(node, guarded, deferred)
        inner: list[tuple[ast.stmt, bool, bool]] = []
        for block, is_optional in _list_blocks(node):
            later = deferred or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            inner += [(child, guarded or is_optional, later) for child in block]
        pending += reversed(inner)


def _list_blocks(node: ast.stmt) -> list[tuple[Sequence[ast.stmt], bool]]:
    """Return the blocks of a statement, each with whether an ImportError in it does no harm."""
    if isinstance(node, ast.Try):
        handles = any(_handles_import_error(handler) for handler in node.handlers)
        return [
            (node.body, handles),
            *((handler.body, handles) for handler in node.handlers),
            (node.orelse, handles),
            (node.finalbody, False),
        ]
    if isinstance(node, ast.If):
        is_optional = _is_version_test(node.test)
        return [(node.body, is_optional), (node.orelse, is_optional)]
    return [(block, False) for name in ("body", "orelse") if isinstance(block := getattr(node, name, None), list)] + [
        (case.body, False) for case in getattr(node, "cases", ())
    ]


def _handles_import_error(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    if caught is None:
        return True
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(isinstance(name, ast.Name) and name.id in _IMPORT_ERRORS for name in names)


def _is_version_test(test: ast.expr) -> bool:
    """Whether a condition asks for the type checker, or for the version of Airflow or Python."""
    names = {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(test)
        if isinstance(node, ast.Name | ast.Attribute)
    }
    return any("TYPE_CHECKING" in name or "VERSION" in name.upper() or name.startswith("AIRFLOW_V_") for name in names)
