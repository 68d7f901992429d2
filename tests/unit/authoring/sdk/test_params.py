"""Params: values, schemas, what is refused and how."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.authoring.sdk.arguments import json_schema
from gnomon.authoring.sdk.arguments.json_schema import InvalidSchemaError, find_schema_violation
from gnomon.authoring.sdk.arguments.params import Param, ParamsDict, check_conf
from gnomon.model.errors.authoring import ParamValidationError
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "string"}, ["", "a"], [1, None, True]),
        ({"type": ["integer", "null"]}, [1, None, 2.0], [1.5, "1", True]),
        ({"type": "number"}, [1, 1.5], [True, "1"]),
        ({"type": "boolean"}, [True, False], [0, 1, "true"]),
        ({"type": "array", "items": {"type": "number"}}, [[], [1, 2.5]], [["a"], {}, "a"]),
        (
            {"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]},
            [{"n": "a"}],
            [{}, {"n": 1}, []],
        ),
        ({"type": "object", "additionalProperties": False, "properties": {"n": {}}}, [{"n": 1}], [{"m": 1}]),
        ({"enum": ["a", 1, None]}, ["a", 1, None], ["b", 2, True]),
        ({"const": "x"}, ["x"], ["y", None]),
        ({"minimum": 0, "maximum": 10}, [0, 10, "text"], [-1, 11]),
        ({"exclusiveMinimum": 0, "exclusiveMaximum": 1}, [0.5], [0, 1]),
        ({"multipleOf": 0.1}, [0.3, 2], [0.25]),
        ({"minLength": 2, "maxLength": 3}, ["ab", "abc", 5], ["a", "abcd"]),
        ({"pattern": "^a+$"}, ["aa"], ["b", "ab"]),
        ({"minItems": 1, "maxItems": 2, "uniqueItems": True}, [[1], [1, 2]], [[], [1, 2, 3], [1, 1]]),
        ({"format": "date"}, ["2026-01-31"], ["2026-02-31", "today"]),
        (
            {"format": "date-time"},
            ["2026-01-31T12:00:00+01:00", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00", "2026-01-31 12:00"],
            ["2026-01-31", "2026-13-31T12:00:00", "noon"],
        ),
        ({"format": "time"}, ["12:30:00"], ["25:00"]),
        ({"format": "duration"}, ["PT15M", "P1DT2H", "P2W"], ["15 minutes", "P", "PT"]),
        ({"format": "multiline"}, ["a\nb"], []),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, ["a", None], [1]),
        ({"oneOf": [{"minimum": 0}, {"maximum": 5}]}, [-1, 6], [3]),
        ({"allOf": [{"minimum": 0}, {"maximum": 5}]}, [3], [6, -1]),
        ({"not": {"type": "null"}}, [1], [None]),
        ({"title": "T", "section": "S", "values_display": {1: "one"}, "examples": [1]}, [1, "x"], []),
    ],
)
def test_each_keyword_takes_and_refuses(schema: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    assert [value for value in good if find_schema_violation(value, schema) is not None] == []
    assert [value for value in bad if find_schema_violation(value, schema) is None] == []


def test_what_is_wrong_inside_is_shown_with_its_path() -> None:
    schema = {"type": "array", "items": {"properties": {"n": {"type": "string"}}}}
    assert find_schema_violation([{"n": "a"}, {"n": 5}], schema) == "5 at [1].n must be string"


def test_a_keyword_that_is_not_understood_is_said() -> None:
    with pytest.raises(InvalidSchemaError, match="'dependentSchemas'"):
        find_schema_violation(1, {"dependentSchemas": {}})
    with pytest.raises(ParamValidationError, match="'dependentSchemas' is not known"):
        Param(1, dependentSchemas={}).resolve()


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "strng"}, "is not valid"),
        ({"minimum": "zero"}, "is not valid"),
        ({"pattern": "("}, "is not valid"),
        ({"minimun": 0}, "'minimun' is not known; did you mean 'minimum'"),
        ({"properties": {"n": {"items": [{"prefixItems": []}]}}}, "'prefixItems' is not known"),
        ({"$ref": "http://localhost/schema.json"}, "refers to 'http://localhost/schema.json'"),
    ],
)
def test_a_schema_that_is_not_valid_is_an_error(schema: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidSchemaError, match=problem):
        find_schema_violation({}, schema)
    with pytest.raises(ParamValidationError, match=problem):
        Param({}, schema=schema).resolve()


def test_a_schema_may_refer_to_a_part_of_itself() -> None:
    schema = {"$ref": "#/definitions/name", "definitions": {"name": {"type": "string", "minLength": 2}}}
    assert find_schema_violation("ab", schema) is None
    assert find_schema_violation("a", schema) == "'a' must be longer than or equal to 2 characters"


def test_the_validators_that_a_process_keeps_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_schema, "_validators", {})
    for limit in range(json_schema.VALIDATORS_MAX + 1):
        assert find_schema_violation(limit, {"maximum": limit}) is None
    assert len(json_schema._validators) == 1


def test_a_param_resolves_to_what_is_given_or_its_default() -> None:
    assert Param(3, type="integer").resolve() == 3
    assert Param(3, type="integer").resolve(4) == 4
    with pytest.raises(ParamValidationError, match="'x' must be integer"):
        Param(3, type="integer").resolve("x")
    with pytest.raises(ParamValidationError, match="no value was given"):
        Param(type="string").resolve()
    assert Param(type="string").resolve(suppress_exception=True) is None


def test_a_value_that_is_not_json_is_refused() -> None:
    with pytest.raises(
        ParamValidationError, match=r"x\[0\] is a set; params are plain JSON: write dates as text, and sets as lists"
    ):
        Param({"x": [{1}]})
    with pytest.raises(ParamValidationError, match="Param 'n': it is a object; params are plain JSON"):
        ParamsDict({"n": 1})["n"] = object()


def test_a_dict_of_params_reads_as_values_and_checks_assignments() -> None:
    params = ParamsDict({"n": Param(1, type="integer"), "free": "x"})
    params["n"] = 5
    params["free"] = ["anything"]
    params["new"] = Param("p", type="string")
    assert dict(params) == {"n": 5, "free": ["anything"], "new": "p"}
    with pytest.raises(ParamValidationError, match="Param 'n': 'x' must be integer"):
        params["n"] = "x"


def test_a_copy_does_not_change_its_source() -> None:
    one = ParamsDict({"n": Param(1, type="integer")})
    other = ParamsDict(one)
    other["n"] = 2
    assert (one["n"], other["n"]) == (1, 2)


def test_validation_names_the_first_param_without_value() -> None:
    with pytest.raises(ParamValidationError, match="Param 'needed': no value"):
        ParamsDict({"a": 1, "needed": Param(type="string")}).validate()


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"b": "\ud83d"}, {1}, 2**70], ids=repr)
def test_a_conf_that_json_cannot_hold_is_refused_also_without_params(value: Any) -> None:
    """By `dag.test(run_conf=...)`, and by the runs that an operator triggers."""
    with pytest.raises(ParamValidationError, match=r"the conf is not JSON: conf\.a"):
        check_conf(DagSpec(dag_id="d", timetable=TimetableRef(path="NullTimetable")), {"a": value})
