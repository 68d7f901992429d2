"""Imports between the files of a repository: a file does not run when a file that it imports cannot be imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from gnomon.airflow_compat.migration.repository.findings import Finding, Severity
from gnomon.airflow_compat.migration.repository.guarded_code import iterate_unguarded

_ROOTS = frozenset({"dags", "plugins", "src", "include"})
"""Names of folders from which files of a repository often import, besides their own folder and those above it."""


@dataclass(frozen=True, slots=True)
class SiblingImport:
    """A file of the repository that another one imports when it is loaded."""

    line: int
    path: str


def list_sibling_imports(path: str, tree: ast.Module, files: frozenset[str]) -> list[SiblingImport]:
    """The files among `files` that a file imports when it is imported itself, whose ImportError nothing handles. Paths are relative, with slashes."""
    sibling_imports = []
    for node in iterate_unguarded(tree):
        for level, module in _list_modules(node):
            target = _find_file(path, level, module, files)
            if target is not None and target != path:
                sibling_imports.append(SiblingImport(node.lineno, target))
    return sibling_imports


def _list_modules(node: ast.stmt) -> Iterator[tuple[int, str]]:
    """(level, dotted name) of the modules that a statement may import: for `from a import b`, a and a.b."""
    if isinstance(node, ast.Import):
        yield from ((0, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if module:
            yield node.level, module
        yield from ((node.level, f"{module}.{alias.name}".lstrip(".")) for alias in node.names if alias.name != "*")


def _find_file(path: str, level: int, module: str, files: frozenset[str]) -> str | None:
    folder = PurePosixPath(path).parent
    inside = module.replace(".", "/")
    if level:
        for _ in range(level - 1):
            folder = folder.parent
        return _pick(folder, inside, files)
    above = [folder, *folder.parents]
    named = {parent for file in files for parent in PurePosixPath(file).parents if parent.name in _ROOTS}
    return next((hit for root in [*above, *sorted(named)] if (hit := _pick(root, inside, files)) is not None), None)


def _pick(root: PurePosixPath, inside: str, files: frozenset[str]) -> str | None:
    return next(
        (
            str(candidate)
            for candidate in (root / f"{inside}.py", root / inside / "__init__.py")
            if str(candidate) in files
        ),
        None,
    )


def find_broken_imports(
    imports: Mapping[str, list[SiblingImport]], broken: Mapping[str, Finding]
) -> dict[str, Finding]:
    """A finding for each file that imports a broken one, also through others. `broken`: file to what keeps it from being imported."""
    importers: dict[str, list[tuple[str, int]]] = {}
    for path, siblings in imports.items():
        for sibling in siblings:
            importers.setdefault(sibling.path, []).append((path, sibling.line))
    findings: dict[str, Finding] = {}
    for cause, problem in broken.items():
        pending = [cause]
        while pending:
            target = pending.pop()
            for path, line in importers.get(target, ()):
                if path in findings or path in broken:
                    continue
                through = "" if target == cause else f"{target}, which imports "
                findings[path] = Finding(
                    line,
                    Severity.MISSING,
                    "sibling-import",
                    f"it imports {through}{cause}, which cannot be imported: line {problem.line}: {problem.message}",
                )
                pending.append(path)
    return findings
