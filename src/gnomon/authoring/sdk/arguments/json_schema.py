"""JSON Schema of params (draft 7), checked by fastjsonschema.

fastjsonschema ignores a keyword that it does not know. Here such a keyword is an error, because a typing mistake in a
schema would otherwise accept every value. docs/decisions/0001-dependencies.md says why this library was chosen.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import fastjsonschema

from gnomon.model.errors.product import find_close_matches

VALIDATORS_MAX = 256
"""Compiled schemas that a process keeps; compiling one takes about 0.3 ms."""

_ANNOTATION_KEYWORDS = frozenset(
    {
        "title",
        "description",
        "description_md",
        "description_html",
        "default",
        "examples",
        "$schema",
        "$id",
        "$comment",
        "readOnly",
        "writeOnly",
        "deprecated",
        "section",
        "values_display",
        "custom_html_form",
        "custom_html",
        "source",
        "contentMediaType",
        "contentEncoding",
    }
)
"""Keywords that describe a param; `section` and its like arrange the trigger form."""
_SUBSCHEMA_KEYWORDS = frozenset(
    {
        "items",
        "additionalItems",
        "contains",
        "additionalProperties",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
        "anyOf",
        "oneOf",
        "allOf",
    }
)
"""Keywords that hold a schema or a list of schemas."""
_NAMED_SUBSCHEMA_KEYWORDS = frozenset({"properties", "patternProperties", "dependencies", "definitions", "$defs"})
"""Keywords that hold schemas by name."""
_VALUE_KEYWORDS = frozenset(
    {
        "type",
        "enum",
        "const",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "minItems",
        "maxItems",
        "uniqueItems",
        "required",
        "minProperties",
        "maxProperties",
        "$ref",
    }
)
_KEYWORDS = _ANNOTATION_KEYWORDS | _SUBSCHEMA_KEYWORDS | _NAMED_SUBSCHEMA_KEYWORDS | _VALUE_KEYWORDS

_validators: dict[str, Callable[[Any], Any]] = {}


class InvalidSchemaError(ValueError):
    """The schema of a param is wrong or has an unknown keyword, so no value can be checked against it."""


def find_schema_violation(value: Any, schema: Mapping[str, Any]) -> str | None:
    """Return a sentence about the first part of `value` that violates the schema, or None when there is none.

    Raises InvalidSchemaError for a schema that is not valid.
    """
    try:
        _get_validator(schema)(value)
    except fastjsonschema.JsonSchemaValueException as error:
        return _describe(error)
    return None


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raise InvalidSchemaError for a schema that is not valid."""
    _get_validator(schema)


def _get_validator(schema: Mapping[str, Any]) -> Callable[[Any], Any]:
    key = repr(schema)
    validator = _validators.get(key)
    if validator is None:
        if len(_validators) >= VALIDATORS_MAX:
            _validators.clear()
        validator = _validators[key] = _compile(schema)
    return validator


def _compile(schema: Mapping[str, Any]) -> Callable[[Any], Any]:
    for keyword in _iter_keywords(schema):
        if isinstance(keyword, str) and keyword not in _KEYWORDS:
            near = find_close_matches(keyword, _KEYWORDS, cutoff=0.7)
            hint = (
                f"did you mean {near[0]!r}?"
                if near
                else f"these are known: {', '.join(sorted(_KEYWORDS - _ANNOTATION_KEYWORDS))}"
            )
            raise InvalidSchemaError(f"the JSON Schema keyword {keyword!r} is not known; {hint}")
    try:
        return fastjsonschema.compile(dict(schema), handlers=_REFERENCE_HANDLERS, formats=_FORMATS, use_default=False)
    except (
        fastjsonschema.JsonSchemaDefinitionException,
        re.error,
        TypeError,
        AttributeError,
        ValueError,
        SyntaxError,
        NameError,
        OverflowError,
    ) as error:
        raise InvalidSchemaError(f"the JSON Schema {dict(schema)!r} is not valid: {error}") from error


def _iter_keywords(schema: Any) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        return
    for keyword, rule in schema.items():
        yield keyword
        parts: Any = ()
        if keyword in _NAMED_SUBSCHEMA_KEYWORDS and isinstance(rule, Mapping):
            parts = rule.values()
        elif keyword in _SUBSCHEMA_KEYWORDS:
            parts = rule if isinstance(rule, list | tuple) else (rule,)
        for part in parts:
            yield from _iter_keywords(part)


def _refuse_reference(uri: str) -> Any:
    raise InvalidSchemaError(
        f'the JSON Schema refers to {uri!r}; only a reference inside the schema ("#/definitions/...") is followed'
    )


def _is_date_time(text: str) -> bool:
    """Whether the text is a date and a time of ISO 8601; the offset may be left out, as Airflow allows."""
    try:
        return len(text) > len("2026-01-01") and dt.datetime.fromisoformat(text.upper()) is not None
    except ValueError:
        return False


_NUMBER = r"\d+(?:[.,]\d+)?"
_FORMATS: dict[str, Any] = {
    "date-time": _is_date_time,
    "duration": rf"^P(?=.)(?:{_NUMBER}W|(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}D)?(?:T(?=\d)(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?)$",
    "time": r"^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$",
}
"""Formats as Airflow checks them: dates with times, durations of ISO 8601 with decimal fractions, and times HH:MM:SS."""
_REFERENCE_HANDLERS = dict.fromkeys(("http", "https", "ftp", "file", "data", ""), _refuse_reference)


def _describe(error: fastjsonschema.JsonSchemaValueException) -> str:
    """Return the sentence of the library with the value and its path in place of the library's name for both."""
    name = error.name or "data"
    path = name.removeprefix("data")
    problem = error.message.removeprefix(name).strip()
    detail = f" {error.rule_definition!r}" if error.rule in ("anyOf", "oneOf", "not") else ""
    return f"{error.value!r}{f' at {path}' if path else ''} {problem}{detail}"
