"""Which Python expressions of schedules may be evaluated for somebody who has no access to this machine: those that can only create values."""

from __future__ import annotations

import ast

from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.rules import calendars, timetables

TEXT_MAX = 2_000
"""The longest expression, in characters."""
_VALUES = frozenset({"UTC", "date", "datetime", "time", "timedelta", "timezone"})
_CLASSES = frozenset(name for name in (*timetables.__all__, *calendars.__all__) if name[0].isupper())
_NODES = (
    ast.Expression,
    ast.Call,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.keyword,
    ast.Starred,
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.Dict,
    ast.UnaryOp,
    ast.USub,
    ast.UAdd,
)
"""No attributes, no operators, no comprehensions: an expression of these calls the constructors that it names, and nothing else."""


def refuse_code(tree: ast.Expression, text: str) -> None:
    """Raise UserError when the expression has another part than built-in timetables, calendars, dates, spans and literals.

    `tree`: of `text`, made by the process that evaluates it: how deep an expression can be parsed depends on the process.
    """
    if len(text) > TEXT_MAX:
        raise UserError(say("expression_is_too_long", most=TEXT_MAX))
    for node in ast.walk(tree):
        is_plain = isinstance(node, _NODES) and (not isinstance(node, ast.Name) or node.id in _VALUES | _CLASSES)
        if not is_plain:
            part = ast.get_source_segment(text, node) if isinstance(node, ast.expr) else None
            raise UserError(say("expression_would_run_code", text=part or text))
