"""The part of JSON Schema that params use: checks a value, says what is wrong with it, or that a keyword is not known."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

# Words that describe and do not constrain; `section` and its like are for the trigger form.
_ANNOTATION_KEYWORDS = frozenset({
    "title", "description", "description_md", "description_html", "default", "examples", "$schema", "$id", "$comment",
    "readOnly", "writeOnly", "deprecated", "section", "values_display", "custom_html_form", "custom_html", "source",
    "contentMediaType", "contentEncoding", "definitions", "$defs",
})


class SchemaKeywordUnknown(ValueError):
    """The schema has a word that is not understood, so the value cannot be checked."""


def find_schema_violation(value: Any, schema: Mapping[str, Any], path: str = "") -> str | None:
    """What is wrong with the value, in words; None when the schema takes it. SchemaKeywordUnknown for a foreign schema."""
    for word, rule in schema.items():
        if word in _ANNOTATION_KEYWORDS:
            continue
        check = _CHECKS.get(word)
        if check is None:
            raise SchemaKeywordUnknown(
                f"the JSON-schema keyword {word!r} is not understood; these are: {', '.join(sorted(_CHECKS))}"
            )
        if word == "additionalProperties":
            rule = (rule, schema.get("properties", {}))
        found = check(value, rule, path)
        if found is not None:
            return found
    return None


def _at(path: str) -> str:
    return f" at {path}" if path else ""


def _type(value: Any, rule: Any, path: str) -> str | None:
    names = [rule] if isinstance(rule, str) else list(rule)
    for name in names:
        if name not in _TYPES:
            raise SchemaKeywordUnknown(f"the JSON-schema type {name!r} is not known; use {', '.join(_TYPES)}")
        if _TYPES[name](value):
            return None
    return f"{value!r}{_at(path)} is not of type {' or '.join(names)}"


_TYPES: dict[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: not isinstance(value, bool) and (
        isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    ),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list | tuple),
    "object": lambda value: isinstance(value, Mapping),
}


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _enum(value: Any, rule: Any, path: str) -> str | None:
    if any(_equal(value, item) for item in rule):
        return None
    return f"{value!r}{_at(path)} is not one of {', '.join(map(repr, rule))}"


def _const(value: Any, rule: Any, path: str) -> str | None:
    return None if _equal(value, rule) else f"{value!r}{_at(path)} is not {rule!r}"


def _is_number(value: Any) -> bool:
    return _TYPES["number"](value)


def _bound(words: str, holds: Callable[[Any, Any], bool]) -> Callable[..., str | None]:
    def check(value: Any, rule: Any, path: str) -> str | None:
        if not _is_number(value) or holds(value, rule):
            return None
        return f"{value!r}{_at(path)} is not {words} {rule}"

    return check


def _multiple(value: Any, rule: Any) -> bool:
    return math.isclose(value / rule, round(value / rule), abs_tol=1e-9)


def _size(kind: Any, words: str, holds: Callable[[int, int], bool]) -> Callable[..., str | None]:
    def check(value: Any, rule: Any, path: str) -> str | None:
        if not isinstance(value, kind) or holds(len(value), rule):
            return None
        return f"{value!r}{_at(path)} has {words} {rule}"

    return check


def _pattern(value: Any, rule: Any, path: str) -> str | None:
    if not isinstance(value, str) or re.search(rule, value):
        return None
    return f"{value!r}{_at(path)} does not match the pattern {rule!r}"


def _format(value: Any, rule: Any, path: str) -> str | None:
    check = _FORMATS.get(rule)
    if check is None or not isinstance(value, str) or check(value):
        return None
    return f"{value!r}{_at(path)} is not a {rule}"


def _reads(parse: Callable[[str], Any]) -> Callable[[str], bool]:
    def check(value: str) -> bool:
        try:
            parse(value)
        except ValueError:
            return False
        return True

    return check


def _moment(value: str) -> dt.datetime:
    """RFC 3339: a date, a time and an offset."""
    moment = dt.datetime.fromisoformat(value)
    if moment.tzinfo is None or len(value) < len("2026-01-01T00:00Z"):
        raise ValueError(value)
    return moment


def _compile(value: str) -> re.Pattern[str]:
    try:
        return re.compile(value)
    except re.error as error:
        raise ValueError(str(error)) from error


_DURATION = re.compile(r"P(?!$)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?!$)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?")
_FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _reads(dt.date.fromisoformat),
    "date-time": _reads(_moment),
    "time": _reads(dt.time.fromisoformat),
    "duration": lambda value: _DURATION.fullmatch(value) is not None,
    "email": lambda value: "@" in value.strip("@"),
    "uri": lambda value: re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", value) is not None,
    "regex": _reads(_compile),
}
"""Other formats (`multiline`, ...) say how the form shows the field; they refuse nothing."""


def _items(value: Any, rule: Any, path: str) -> str | None:
    if not isinstance(value, list | tuple) or rule is True:
        return None
    rules = rule if isinstance(rule, list) else [rule] * len(value)
    for index, (item, one) in enumerate(zip(value, rules, strict=False)):
        found = find_schema_violation(item, one, f"{path}[{index}]")
        if found:
            return found
    return None


def _unique(value: Any, rule: Any, path: str) -> str | None:
    if not rule or not isinstance(value, list | tuple):
        return None
    for index, item in enumerate(value):
        if any(_equal(item, other) for other in value[:index]):
            return f"{item!r}{_at(path)} stands in the list twice"
    return None


def _properties(value: Any, rule: Any, path: str) -> str | None:
    if not isinstance(value, Mapping):
        return None
    for name, one in rule.items():
        found = find_schema_violation(value[name], one, f"{path}[{name!r}]") if name in value else None
        if found:
            return found
    return None


def _required(value: Any, rule: Any, path: str) -> str | None:
    if not isinstance(value, Mapping):
        return None
    missing = [name for name in rule if name not in value]
    return f"{value!r}{_at(path)} lacks {', '.join(map(repr, missing))}" if missing else None


def _additional(value: Any, rule: Any, path: str) -> str | None:
    rule, known = rule
    if not isinstance(value, Mapping) or rule is True:
        return None
    for name in value:
        if name in known:
            continue
        found = f"{name!r}{_at(path)} is not a known key" if rule is False else find_schema_violation(
            value[name], rule, f"{path}[{name!r}]")
        if found:
            return found
    return None


def _any_of(value: Any, rule: Any, path: str) -> str | None:
    found = [find_schema_violation(value, one, path) for one in rule]
    return None if None in found else " and ".join(filter(None, found))


def _one_of(value: Any, rule: Any, path: str) -> str | None:
    found = [find_schema_violation(value, one, path) for one in rule]
    if found.count(None) == 1:
        return None
    return f"{value!r}{_at(path)} fits {found.count(None)} of {len(rule)} alternatives and must fit exactly one"


def _all_of(value: Any, rule: Any, path: str) -> str | None:
    return next((found for found in (find_schema_violation(value, one, path) for one in rule) if found), None)


def _not(value: Any, rule: Any, path: str) -> str | None:
    return f"{value!r}{_at(path)} is one of the values that are excluded" if find_schema_violation(value, rule, path) is None else None


_CHECKS: dict[str, Callable[[Any, Any, str], str | None]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _bound("at least", lambda value, rule: value >= rule),
    "maximum": _bound("at most", lambda value, rule: value <= rule),
    "exclusiveMinimum": _bound("greater than", lambda value, rule: value > rule),
    "exclusiveMaximum": _bound("less than", lambda value, rule: value < rule),
    "multipleOf": _bound("a multiple of", _multiple),
    "minLength": _size(str, "fewer characters than", lambda size, rule: size >= rule),
    "maxLength": _size(str, "more characters than", lambda size, rule: size <= rule),
    "pattern": _pattern,
    "format": _format,
    "items": _items,
    "minItems": _size((list, tuple), "fewer items than", lambda size, rule: size >= rule),
    "maxItems": _size((list, tuple), "more items than", lambda size, rule: size <= rule),
    "uniqueItems": _unique,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "minProperties": _size(Mapping, "fewer keys than", lambda size, rule: size >= rule),
    "maxProperties": _size(Mapping, "more keys than", lambda size, rule: size <= rule),
    "anyOf": _any_of,
    "oneOf": _one_of,
    "allOf": _all_of,
    "not": _not,
}
