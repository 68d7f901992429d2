from __future__ import annotations

import copy
import datetime as dt
import json
import pickle
from typing import Any

import pytest

from gnomon.author_code.context import Context


def _keywords(**kwargs: Any) -> dict[str, Any]:
    return kwargs


@pytest.fixture
def made() -> list[str]:
    return []


@pytest.fixture
def context(made: list[str]) -> Context:
    def maker(key: str) -> Any:
        return lambda source: (made.append(key), f"{key} of {source}")[1]

    return Context.lazily({"a": maker("a"), "b": maker("b")}, "x", {"c": 3})


@pytest.mark.parametrize(
    "made",
    [Context({"ds": "2024-03-04", "n": [1]}), Context(ds="2024-03-04", n=[1]), Context([("ds", "2024-03-04")], n=[1])],
)
def test_an_author_makes_one_as_a_dict(made: Context) -> None:
    assert isinstance(made, dict)
    assert made == {"ds": "2024-03-04", "n": [1]} == {**made}
    assert (made["ds"], made.get("n"), made.get("zzz"), "zzz" in made, len(made)) == ("2024-03-04", [1], None, False, 2)
    assert json.loads(json.dumps(made)) == made
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == copy.copy(made) == made
    with pytest.raises(KeyError, match="zzz"):
        made["zzz"]


def test_an_author_makes_an_empty_one_and_fills_it() -> None:
    made = Context()
    made["ds"] = "2024-03-04"
    assert made | {"n": 1} == {"ds": "2024-03-04", "n": 1}


def test_a_value_is_made_once_when_it_is_read(context: Context, made: list[str]) -> None:
    assert "a" in context
    assert made == []
    assert context["a"] == context["a"] == "a of x"
    assert made == ["a"]


def test_all_keys_are_there_from_the_start(context: Context, made: list[str]) -> None:
    assert sorted(context) == ["a", "b", "c"] == sorted(context.keys())
    assert len(context) == 3
    assert "zzz" not in context
    assert made == []


def test_a_plain_dict_of_it_and_keyword_arguments_have_all_values(context: Context) -> None:
    everything = {"a": "a of x", "b": "b of x", "c": 3}
    assert dict(context) == everything
    assert _keywords(**context) == everything
    assert dict(context.items()) == everything
    assert sorted(map(str, context.values())) == ["3", "a of x", "b of x"]


def test_keyword_arguments_of_costly_keys_are_worked_out_on_use(made: list[str]) -> None:
    def moment(source: object) -> dt.datetime:
        made.append("at")
        return dt.datetime(2024, 3, 4)

    context = Context.lazily({"at": moment, "none": lambda _: None, "free": lambda _: 1}, None, costly={"at", "none"})
    spread = context.to_kwargs()
    assert (made, spread["free"]) == ([], 1)
    at = spread["at"]
    assert at.year == 2024
    assert isinstance(at, dt.datetime)
    assert at + dt.timedelta(days=1) == dt.datetime(2024, 3, 5)
    assert dt.datetime(2024, 3, 5) - at == dt.timedelta(days=1)
    assert at < dt.datetime(2024, 3, 5) and at >= context["at"] == at
    assert f"{at:%d} {at}" == "04 2024-03-04 00:00:00"
    assert {at: 1}[dt.datetime(2024, 3, 4)] == 1
    assert not spread["none"] and spread["none"] == None  # noqa: E711 - the value is None, the object is not
    assert made == ["at"]
    assert context.to_kwargs()["at"] is context["at"]


def test_iterating_while_reading_is_fine(context: Context) -> None:
    assert [context[key] for key in context] == [3, "a of x", "b of x"]


def test_what_is_assigned_counts(context: Context, made: list[str]) -> None:
    context["a"] = 1
    context.update(b=2)
    assert (context["a"], context["b"], len(context), made) == (1, 2, 3, [])


def test_get_pop_setdefault_and_delete(context: Context) -> None:
    assert context.get("a") == "a of x"
    assert context.get("zzz", 5) == 5
    assert context.pop("b") == "b of x"
    assert "b" not in context
    assert context.pop("b", None) is None
    with pytest.raises(KeyError):
        context.pop("b")
    assert context.setdefault("n", 1) == context["n"] == 1
    del context["n"], context["c"]
    assert list(context) == ["a"]
    with pytest.raises(KeyError, match="n"):
        context["n"]


def test_a_key_that_was_deleted_stays_away_until_it_is_set_and_is_there_in_other_contexts() -> None:
    makers = {"a": str, "b": str}
    context, other = Context.lazily(makers, "x"), Context.lazily(makers, "y")
    del context["a"]
    assert context.pop("b") == "x"
    assert (list(context), len(context), "a" in context, context.get("b", 0)) == ([], 0, False, 0)
    assert (list(context.copy()), dict(other), makers.keys()) == ([], {"a": "y", "b": "y"}, {"a", "b"})
    context["a"] = 1
    assert (dict(context), len(context)) == ({"a": 1}, 1)
    del context["a"]
    assert "a" not in context
    with pytest.raises(KeyError):
        del context["a"]


def test_a_copy_is_lazy_too_and_a_thing_of_its_own(context: Context, made: list[str]) -> None:
    other = copy.copy(context) | {"n": 1}
    assert made == []
    assert other["a"] == "a of x"
    assert "n" not in context
    assert "a" in repr(other)
