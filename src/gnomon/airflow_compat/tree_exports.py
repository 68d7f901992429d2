"""What the modules of the tree export: their `__all__`, read from the source text without importing them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from gnomon.author_code.loading.dialect import TREE

LAZY = "make_lazy_exports"


def list_modules() -> list[str]:
    """The names of all modules and packages of the tree, sorted."""
    root = Path(TREE)
    parts = (path.relative_to(root).with_suffix("").parts for path in root.rglob("*.py"))
    return sorted(".".join(part for part in names if part != "__init__") for names in parts)


def has_module(module: str) -> bool:
    """Whether the tree has that module or package."""
    return _find_file(module) is not None


@cache
def read_exports(module: str) -> tuple[str, ...]:
    """The names in `__all__` of the module; none when the tree has no such module, or the module no `__all__`."""
    path = _find_file(module)
    names: list[str] = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body if path is not None else ():
        if isinstance(node, ast.ImportFrom) and any(alias.name == "__all__" for alias in node.names):
            names += read_exports(node.module or "")
        elif isinstance(node, ast.Assign | ast.AugAssign) and "__all__" in _list_targets(node):
            names += read_lazy_homes(node) or ast.literal_eval(node.value)
    return tuple(names)


def read_lazy_homes(node: ast.stmt) -> dict[str, str]:
    """The homes in a statement that calls `make_lazy_exports` with a dict; empty for any other statement."""
    call = node.value if isinstance(node, ast.Assign) else None
    if not isinstance(call, ast.Call) or ast.unparse(call.func).rpartition(".")[2] != LAZY:
        return {}
    homes: dict[str, str] = ast.literal_eval(call.args[1]) if isinstance(call.args[1], ast.Dict) else {}
    return homes


def _find_file(module: str) -> Path | None:
    base = Path(TREE, *module.split("."))
    return next((path for path in (base.with_name(f"{base.name}.py"), base / "__init__.py") if path.is_file()), None)


def _list_targets(node: ast.Assign | ast.AugAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)]
