"""The packages that an unpacked provider package imports, found in its source without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from gnomon.airflow_compat.migration.repository.guarded_code import iterate_unguarded


def list_imported_packages(folder: Path, files: Iterable[Path]) -> dict[str, str]:
    """Return the top-level name of each package that one of the `files` below `folder` needs to be imported, with the first such module.

    Imports inside functions, behind `TYPE_CHECKING`, and those whose ImportError is handled are left out.
    """
    packages: dict[str, str] = {}
    for file in sorted(file for file in files if file.suffix == ".py"):
        try:
            tree = ast.parse(file.read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        for name in _iterate_names(tree):
            packages.setdefault(
                name, ".".join(file.relative_to(folder).with_suffix("").parts).removesuffix(".__init__")
            )
    return packages


def _iterate_names(tree: ast.Module) -> Iterator[str]:
    for node in iterate_unguarded(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]
