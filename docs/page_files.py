"""The files that a page tells its reader to save.

The first line of a block names its file: `# dags/report.py`. A later block may print a part of a file anew instead of the whole file:
`# dags/report.py, add_up anew` replaces the function, the class or the DAG of that name.
"""

from __future__ import annotations

import ast
import re
import textwrap

Files = dict[str, str]
"""The text of each file that the page has told its reader to save so far, by its path below the home."""
_NAMED = re.compile(r"# ((?:dags|plugins|config|package)/[\w./-]+|[\w-]+\.(?:csv|toml))(?:, (\w+) anew)?\n")


class NoSuchPart(Exception):
    """A block replaces a part that its file does not have."""


def name_of(code: str) -> str | None:
    """The path of the file that the block is, or changes; None for a block that is not saved."""
    named = _NAMED.match(code)
    return named[1] if named else None


def save(code: str, files: Files) -> None:
    """Put the block into `files` if it names its file. Raises NoSuchPart."""
    named = _NAMED.match(code)
    if named is None:
        return
    name, part = named.groups()
    files[name] = code if part is None else _replaced(name, files.get(name, ""), part, code[named.end() :])


def _replaced(name: str, text: str, part: str, new: str) -> str:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.With) and _part_name(node) == part:
            first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))]) - 1
            lines = text.splitlines(keepends=True)
            return "".join([*lines[:first], textwrap.indent(new, " " * node.col_offset), *lines[node.end_lineno :]])
    raise NoSuchPart(f"{name} has no {part} that this block could replace")


def _part_name(node: ast.FunctionDef | ast.ClassDef | ast.With) -> str:
    if not isinstance(node, ast.With):
        return node.name
    call = node.items[0].context_expr
    first = call.args[0] if isinstance(call, ast.Call) and call.args else None
    return str(first.value) if isinstance(first, ast.Constant) else ""
