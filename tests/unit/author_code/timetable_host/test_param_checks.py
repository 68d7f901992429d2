"""Patterns and schemas of authors that take for ever end after the deadline, in a process that serves nobody else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.timetable_host import param_checks
from gnomon.author_code.timetable_host.param_checks import check_params, find_param_faults
from gnomon.authoring.sdk.arguments.schema_cost import is_cheap
from gnomon.ground.config import Config, load_config

LETTERS = "a" * 40 + "!"
ENDLESS: dict[str, tuple[dict[str, Any], Any]] = {
    "pattern": ({"type": "string", "pattern": "^([a-z]+)+$"}, LETTERS),
    "pattern in a list": ({"type": "array", "items": {"pattern": "^(a|a)*$"}}, [LETTERS]),
    "pattern in one of several": ({"anyOf": [{"type": "null"}, {"not": {"pattern": "(.*a){20}$"}}]}, "a" * 60 + "!"),
    "pattern of names": ({"patternProperties": {"^(\\w+\\s?)*$": {}}}, {LETTERS: 1}),
    "names by a pattern": ({"propertyNames": {"pattern": "^(a+)+$"}}, {LETTERS: 1}),
    "pattern behind a condition": ({"if": {"pattern": "^(a+)+$"}, "then": {}}, LETTERS),
    "pattern of a definition": ({"$ref": "#/definitions/a", "definitions": {"a": {"pattern": "^(a+)+$"}}}, LETTERS),
    "pattern with a long rest": ({"pattern": "^a*a{9999}b$"}, "a" * 1_000_000),
    "many rules for many values": ({"items": {"oneOf": [{"const": number} for number in range(900)]}}, [0.5] * 50_000),
    "format with a search for the at sign": ({"format": "idn-email"}, "a@" + "a." * 200_000 + "@"),
}  # fmt: skip


@pytest.fixture
def cfg(tmp_path: Path) -> Config:
    return load_config({}, tmp_path)


@pytest.mark.parametrize("kind", ENDLESS)
def test_what_may_take_for_ever_is_told_by_its_schema(kind: str) -> None:
    assert not is_cheap(*ENDLESS[kind])


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "string"},
        {"type": ["null", "integer"], "minimum": 1, "maximum": 3},
        {"enum": ["a", "b"], "values_display": {"a": "A"}},
        {"type": "string", "format": "date-time"},
        {
            "type": "array",
            "items": {"type": "object", "properties": {"pattern": {"const": 1}}, "required": ["pattern"]},
        },
        {"const": {"pattern": "^(a+)+$"}},
        {"examples": ["(a+)+"], "description_md": "x", "section": "y", "anyOf": [{"type": "null"}, {"maxLength": 3}]},
    ],
)
def test_plain_schemas_start_no_process(cfg: Config, schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(param_checks, "ask_and_wait", None)
    assert is_cheap(schema, "a")
    find_param_faults(cfg, {"x": schema}, {"x": "a"})


def _nest(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": list(range(100_000))},
        {"properties": {str(number): {} for number in range(100_000)}},
        _nest(900),
        {"anyOf": [{"anyOf": [{}] * 100}] * 100},
        {"patern": "a"},
        {"format": 3},
        {"format": ["date"]},
        {"uniqueItems": True},
    ],
)
def test_a_large_deep_or_unknown_schema_is_not_checked_by_a_service(schema: dict[str, Any]) -> None:
    assert not is_cheap(schema, 1)


@pytest.mark.parametrize(
    "value",
    [[0] * 30_000, [[0] * 200] * 200, {str(number): 0 for number in range(30_000)}, "a" * 200_000, {"a" * 200_000: 1}],
)
def test_a_large_value_is_not_checked_by_a_service(cfg: Config, value: Any) -> None:
    schema = {"items": {"type": ["integer", "array"]}}
    assert is_cheap(schema, [0] * 1_000)
    assert not is_cheap(schema, value)
    assert find_param_faults(cfg, {"x": schema}, {"x": value}) == {}


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_check_ends_at_the_deadline_and_names_the_param(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(param_checks, "CHECK_S", 0.05)
    schema, value = ENDLESS[kind]
    found = check_params(
        checks=param_checks.json.dumps([("fine", {"pattern": "^a"}, "a"), ("x", schema, value), ("never", {}, 1)])
    )
    assert list(found) == ["x"]
    assert "of param 'x' took longer than 0.05 s" in found["x"]


def test_a_reference_without_an_end_is_a_fault() -> None:
    found = check_params(
        checks=param_checks.json.dumps([("x", {"$ref": "#"}, 1), ("y", {"allOf": [{"$ref": "#"}]}, 1)])
    )
    assert set(found) <= {"x", "y"}
    assert found


def test_values_are_checked_in_another_process_as_here(cfg: Config) -> None:
    schemas = {"x": {"pattern": "^[a-z]+$"}, "y": {"type": "array", "uniqueItems": True}, "missing": {"pattern": "a"}}
    assert find_param_faults(cfg, schemas, {"x": "abc", "y": [1, 2], "missing": "a"}) == {}
    found = find_param_faults(cfg, {"x": schemas["x"], "y": schemas["y"]}, {"x": "ABC", "y": [1, 1]})
    assert found == {"x": "'ABC' must match pattern ^[a-z]+$.", "y": "[1, 1] must contain unique items."}
    assert find_param_faults(cfg, schemas, {"x": "abc", "y": [1]}) == {
        "missing": "no value was given and it has no default."
    }
