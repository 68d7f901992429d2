"""Names of the template context that Airflow 3 removed, in templates and in functions of a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gnomon.airflow_compat.migration.repository.findings import Finding, Severity
from gnomon.author_code.context.template_variables import VARIABLES_WITH_DATE

REMOVED_NAMES = frozenset(
    {
        "execution_date",
        "next_execution_date",
        "next_ds",
        "next_ds_nodash",
        "prev_execution_date",
        "prev_execution_date_success",
        "prev_ds",
        "prev_ds_nodash",
        "yesterday_ds",
        "yesterday_ds_nodash",
        "tomorrow_ds",
        "tomorrow_ds_nodash",
        "triggering_dataset_events",
    }
)
"""Airflow 3.0 removed these names; `conf` too, which is too common a name to be searched for."""
TEMPLATE_SUFFIXES = frozenset({".sql", ".sh", ".bash", ".hql", ".j2", ".jinja", ".jinja2", ".html"})
"""Files that tasks render as templates."""
_CONTEXT_NAMES = ("context", "kwargs", "ctx", "ti_context")
_BLOCK = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_NAME = re.compile(r"(?<![\w.])(" + "|".join(sorted(REMOVED_NAMES, key=len, reverse=True)) + r")(?!\w)(?!\s*=)")


def iterate_removed_names(tree: ast.Module) -> Iterator[Finding]:
    """Yield a finding for each name, at its first line in the file."""
    seen_names: set[str] = set()
    for name, line in sorted(_iterate_names(tree), key=lambda pair: pair[1]):
        if name not in seen_names:
            seen_names.add(name)
            yield make_finding(name, line)


def iterate_names_of_text(text: str) -> Iterator[Finding]:
    """Yield a finding for each name in the templates of a text file, at its first line."""
    seen_names: set[str] = set()
    for block in _BLOCK.finditer(text):
        for match in _NAME.finditer(block[0]):
            if match[1] not in seen_names:
                seen_names.add(match[1])
                yield make_finding(match[1], text.count("\n", 0, block.start() + match.start()) + 1)


def make_finding(name: str, line: int) -> Finding:
    """Return the finding for a name: a note where Gnomon still has the name."""
    if name in VARIABLES_WITH_DATE:
        return Finding(line, Severity.NOTE, "template-name", f"{name} left Airflow with 3.0; Gnomon still provides it")
    return Finding(
        line, Severity.MISSING, "template-name", f"{name} left Airflow with 3.0, and Gnomon does not provide it"
    )


def _iterate_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "{" in node.value:
            for block in _BLOCK.finditer(node.value):
                yield from ((match[1], node.lineno) for match in _NAME.finditer(block[0]))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            yield from ((argument.arg, argument.lineno) for argument in arguments if argument.arg in REMOVED_NAMES)
        elif isinstance(node, ast.Subscript) and _reads_context(node) and node.slice.value in REMOVED_NAMES:  # type: ignore[attr-defined]
            yield str(node.slice.value), node.lineno  # type: ignore[attr-defined]


def _reads_context(node: ast.Subscript) -> bool:
    """Whether an expression is `context["name"]`, by one of the usual names of the context."""
    return isinstance(node.value, ast.Name) and node.value.id in _CONTEXT_NAMES and isinstance(node.slice, ast.Constant)
