"""What is kept of the template fields of a task after rendering."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.unit.author_code.runner.test_run_attempt import run

from gnomon.author_code.runner.rendered_values import collect_rendered_fields
from gnomon.ground.log import secret_masks


class _Task:
    template_fields = ("command", "env", "rest", "absent")

    def __init__(self, command: object = None, env: object = None, rest: object = None) -> None:
        self.command, self.env, self.rest = command, env, rest


class _Unspeakable:
    def __repr__(self) -> str:
        raise ValueError("no")


@pytest.fixture
def secret() -> Iterator[str]:
    secret_masks.add_secrets(["hunter2hunter2"])
    yield "hunter2hunter2"
    secret_masks.forget_secrets()


def collect(**fields: object) -> Any:
    found = collect_rendered_fields(_Task(**fields))
    return None if found is None else json.loads(found)


def test_a_task_whose_fields_are_empty_has_none() -> None:
    assert collect(command="", env={}, rest=()) is None


def test_values_keep_their_shape() -> None:
    value = {
        "n": 1,
        "f": 0.5,
        "t": True,
        "none": None,
        "l": [1, ("x", "y")],
        "big": 2**60,
        "nan": float("nan"),
        "b": b"ab",
        3: "key",
    }
    assert collect(command="echo 2026-01-01", env=value) == {
        "command": "echo 2026-01-01",
        "env": {
            "n": 1,
            "f": 0.5,
            "t": True,
            "none": None,
            "l": [1, ["x", "y"]],
            "big": str(2**60),
            "nan": "nan",
            "b": "b'ab'",
            "3": "key",
        },
    }


@pytest.mark.parametrize(
    "value",
    ["x" * 10**6, ["y" * 100] * 10**5, {str(n): n for n in range(10**5)}, b"z" * 10**6, [[["w" * 50]] * 100] * 100],
)
def test_a_large_value_is_cut(value: object) -> None:
    found = collect_rendered_fields(_Task(command=value))
    assert found is not None and len(found) < 40_000 and "…" in found


def test_a_large_value_leaves_the_name_before_it_and_says_what_follows() -> None:
    found = collect(env={"first": "x" * 10**6, "second": 2, "third": 3})["env"]
    assert (list(found), found["…"]) == (["first", "…"], "2 more")


def test_a_value_that_contains_itself_ends() -> None:
    value: list[object] = [1]
    value.append(value)
    assert "…" in json.dumps(collect(rest=value), ensure_ascii=False)


def test_an_object_that_cannot_be_shown_does_not_fail_the_task() -> None:
    assert collect(rest=[_Unspeakable()]) == {"rest": ["<_Unspeakable: its repr raised ValueError>"]}


def test_secrets_are_masked_also_where_the_text_is_cut(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON__CORE__MAX_TEMPLATED_FIELD_LENGTH", "10")
    found = collect(command="12345678" + secret, env={"password": "any"}, rest=["a", secret])
    assert found == {"command": "12345678**…", "env": {"password": "***"}, "rest": ["a", "***"]}


def test_an_attempt_brings_its_fields_whatever_its_outcome() -> None:
    def fail(**_: object) -> None:
        raise ValueError("no")

    for function, outcome in ((lambda **_: None, "success"), (fail, "failed")):
        result = run(function, op_kwargs={"day": "{{ ds }}"})
        assert (result.outcome, json.loads(result.rendered_fields or "null")) == (
            outcome,
            {"op_kwargs": {"day": "1970-01-01"}},
        )


def test_an_attempt_whose_template_fails_brings_none() -> None:
    result = run(lambda **_: None, op_kwargs={"day": "{{ nothing_of_this_name }}"})
    assert (result.outcome, result.rendered_fields) == ("failed", None)
