"""Whether a value can be checked against a JSON Schema in time proportional to both: then a process that serves many may check it itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gnomon.ground.config.pattern_cost import is_linear

SCHEMA_PARTS_MAX = 2_000
"""A larger schema takes long to compile."""
WORK_MAX = 50_000
"""Parts of the schema times parts of the value: each part of the value may meet each part of the schema."""
CHARACTERS_MAX = 100_000
"""Characters of a value that a pattern or format may read."""
DEPTH_MAX = 30
"""A deeper one may meet the limit of recursion."""
_LINEAR_FORMATS = frozenset({"date", "date-time", "time"})
"""Formats whose expressions read each character a fixed number of times, whatever the text is."""
_LINEAR_KEYWORDS = frozenset(
    {
        "type",
        "enum",
        "const",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "required",
        "minProperties",
        "maxProperties",
        "title",
        "description",
        "description_md",
        "description_html",
        "default",
        "examples",
        "section",
        "values_display",
        "custom_html_form",
        "custom_html",
        "source",
        "readOnly",
        "writeOnly",
        "deprecated",
    }
)
_INNER_KEYWORDS = frozenset(
    {
        "items",
        "additionalItems",
        "contains",
        "additionalProperties",
        "not",
        "if",
        "then",
        "else",
        "anyOf",
        "oneOf",
        "allOf",
    }
)


def is_cheap(schema: Mapping[str, Any], value: Any) -> bool:
    """False when the check may take long, or when that cannot be told: a pattern with groups, a reference, a keyword that is not known here, a large value."""
    parts = _count_parts(schema)
    return parts is not None and _is_small(value, WORK_MAX // max(parts, 1))


def _is_small(value: Any, parts_max: int) -> bool:
    """Whether the value has at most so many parts, and CHARACTERS_MAX characters."""
    parts, characters, waiting = 0, 0, [value]
    while waiting:
        part = waiting.pop()
        parts += 1
        if isinstance(part, str):
            characters += len(part)
        elif isinstance(part, list | tuple):
            waiting += part
        elif isinstance(part, Mapping):
            waiting += part.values()
            characters += sum(len(key) for key in part if isinstance(key, str))
        if parts + len(waiting) > parts_max or characters > CHARACTERS_MAX:
            return False
    return True


def _count_parts(schema: Mapping[str, Any]) -> int | None:
    """The parts of the schema; None if it has too many, or one that may take long."""
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
                parts += _count_values(rule) if keyword in ("enum", "const", "required") else 0
                inner = []
            else:
                return None
            waiting += [(part, depth + 1) for part in inner]
        if parts + len(waiting) > SCHEMA_PARTS_MAX or depth > DEPTH_MAX:
            return None
    return parts


def _count_values(rule: Any) -> int:
    """The values in a list of allowed or required values, also the inner ones; more than SCHEMA_PARTS_MAX are not counted on."""
    count, waiting = 0, [rule]
    while waiting and count <= SCHEMA_PARTS_MAX:
        value = waiting.pop()
        count += 1
        if isinstance(value, list | tuple):
            waiting += value
        elif isinstance(value, Mapping):
            waiting += value.values()
    return count
