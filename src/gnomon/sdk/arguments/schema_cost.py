"""Whether a value can be checked against a JSON Schema in time proportional to both: then a process that serves many may check it itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gnomon.config.pattern_cost import is_linear

SCHEMA_PARTS_MAX = 2_000
"""A larger schema takes long to compile."""
DEPTH_MAX = 30
"""A deeper one may meet the limit of recursion."""
_LINEAR_FORMATS = frozenset({"date", "date-time", "time"})
"""Formats whose expressions read each character a fixed number of times, whatever the text is."""
_LINEAR_KEYWORDS = frozenset({
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "required", "minProperties",
    "maxProperties", "title", "description", "description_md", "description_html", "default", "examples", "section", "values_display", "custom_html_form", "custom_html", "source",
    "readOnly", "writeOnly", "deprecated",
})  # fmt: skip
_INNER_KEYWORDS = frozenset({"items", "additionalItems", "contains", "additionalProperties", "not", "if", "then", "else", "anyOf", "oneOf", "allOf"})


def is_cheap(schema: Mapping[str, Any]) -> bool:
    """False when the check may take long, or when that cannot be told: a pattern with groups, a reference, a keyword that is not known here."""
    parts = 0
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    while waiting:
        part, depth = waiting.pop()
        parts += 1
        if not isinstance(part, Mapping):
            continue
        for keyword, rule in part.items():
            parts += 1
            if keyword == "format" and isinstance(rule, str) and rule in _LINEAR_FORMATS:
                continue
            if keyword == "pattern" and isinstance(rule, str) and is_linear(rule):
                continue
            if keyword == "properties" and isinstance(rule, Mapping):
                inner = list(rule.values())
            elif keyword in _INNER_KEYWORDS:
                inner = list(rule) if isinstance(rule, list | tuple) else [rule]
            elif keyword in _LINEAR_KEYWORDS:
                parts += _count_values(rule) if keyword in ("enum", "const") else 0
                inner = []
            else:
                return False
            waiting += [(one, depth + 1) for one in inner]
        if parts + len(waiting) > SCHEMA_PARTS_MAX or depth > DEPTH_MAX:
            return False
    return True


def _count_values(rule: Any) -> int:
    """The values in a list of allowed values, also the inner ones; more than SCHEMA_PARTS_MAX are not counted on."""
    count, waiting = 0, [rule]
    while waiting and count <= SCHEMA_PARTS_MAX:
        value = waiting.pop()
        count += 1
        if isinstance(value, list | tuple):
            waiting += value
        elif isinstance(value, Mapping):
            waiting += value.values()
    return count
