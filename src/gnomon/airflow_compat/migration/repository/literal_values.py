"""Values that can be read from source without running it: constants, dates, timedeltas, and names that are assigned one of these."""

from __future__ import annotations

import ast
import datetime as dt
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

UNKNOWN = object()
"""The value is computed when the file runs."""
_SPANS = frozenset({"days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks"})
_DATES = frozenset(
    {"datetime.datetime", "pendulum.datetime", "airflow.utils.timezone.datetime", "airflow.sdk.timezone.datetime"}
)

_DATE_PARTS = ("year", "month", "day", "hour", "minute", "second")


def read_assignments(tree: ast.Module) -> dict[str, ast.expr]:
    """Return the expression of each name that the module assigns exactly once at its top level."""
    assignments: dict[str, ast.expr | None] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    assignments[target.id] = None if target.id in assignments else node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            assignments[node.target.id] = None if node.target.id in assignments else node.value
    return {name: value for name, value in assignments.items() if value is not None}


class LiteralReader:
    """Reads expressions of one file. `names`: its imports; `assigned`: `read_assignments`."""

    def __init__(self, names: Mapping[str, str], assigned: Mapping[str, ast.expr]) -> None:
        self._names = names
        self._assigned = assigned

    def resolve(self, node: ast.expr | None, depth: int = 5) -> ast.expr | None:
        """Return the expression that a name stands for, or the expression itself."""
        while isinstance(node, ast.Name) and node.id in self._assigned and depth:
            node, depth = self._assigned[node.id], depth - 1
        return node

    def read(self, node: ast.expr | None) -> Any:
        """Return the value of the expression, or UNKNOWN."""
        node = self.resolve(node)
        if node is None:
            return UNKNOWN
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return self._read_call(node) if isinstance(node, ast.Call) else UNKNOWN

    def read_mapping(self, node: ast.expr | None) -> dict[str, ast.expr]:
        """Return the entries of a dict display, or of a call `dict(...)`, by their keys; empty for other expressions."""
        node = self.resolve(node)
        if isinstance(node, ast.Dict):
            return {
                key.value: value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            }
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            return {word.arg: word.value for word in node.keywords if word.arg is not None}
        return {}

    def _read_call(self, node: ast.Call) -> Any:
        path = self.find_path(node.func)
        if path is None:
            return UNKNOWN
        arguments = [self.read(argument) for argument in node.args]
        words = {word.arg: self.read(word.value) for word in node.keywords if word.arg is not None}
        try:
            if (
                path == "datetime.timedelta"
                and UNKNOWN not in arguments
                and not set(words) - _SPANS
                and UNKNOWN not in words.values()
            ):
                return dt.timedelta(*arguments, **words)
            if path in _DATES and UNKNOWN not in arguments:
                parts: dict[str, Any] = dict(zip(_DATE_PARTS, arguments, strict=False))
                parts |= {name: words[name] for name in _DATE_PARTS if name in words}
                parts["tzinfo"] = _find_zone(words.get("tz", words.get("tzinfo", "UTC")))
                return dt.datetime(**parts)  # noqa: DTZ001 - the zone is one of the parts
        except (TypeError, ValueError, OverflowError):
            return UNKNOWN
        return UNKNOWN

    def find_path(self, node: ast.expr) -> str | None:
        """Return the dotted path of a function or class, by the imports of the file."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        return ".".join([self._names.get(node.id, node.id), *reversed(parts)])


def _find_zone(zone: Any) -> dt.tzinfo:
    if not isinstance(zone, str):
        return dt.UTC
    try:
        return ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        return dt.UTC
