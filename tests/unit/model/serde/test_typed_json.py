"""Typed JSON keeps values and types, leaves plain JSON plain, and says what has no form."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import json
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

import pendulum
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.model.errors.authoring import DeserializationError, NotSerializable
from gnomon.model.serde import dumps, loads

ZONES = st.sampled_from([None, dt.UTC, ZoneInfo("Europe/Zurich"), dt.timezone(dt.timedelta(hours=5, minutes=30))])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.datetimes(timezones=ZONES)
    | st.dates()
    | st.times()
    | st.timedeltas()
    | st.uuids()
    | st.decimals(allow_nan=False)
)
HASHABLE = st.booleans() | st.integers() | st.text() | st.dates() | st.uuids()
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text().filter(lambda key: key != "__type"), inner, max_size=3)
    ),
    max_leaves=8,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(HASHABLE, inner, max_size=3)
        | st.dictionaries(st.sampled_from(["__type", "__value", "a"]), inner, max_size=3)
        | st.sets(HASHABLE, max_size=3)
        | st.frozensets(HASHABLE, max_size=3)
    ),
    max_leaves=10,
)


def same(one: object, other: object) -> bool:
    """Equal, and of equal types all the way down."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dt.datetime):
        return one.replace(tzinfo=None) == other.replace(tzinfo=None) and one.utcoffset() == other.utcoffset()
    return one == other


@settings(derandomize=True, deadline=None)
@given(VALUES)
def test_what_is_written_is_read_back_with_its_types(value: object) -> None:
    assert same(loads(dumps(value)), value)


@settings(derandomize=True, deadline=None)
@given(PLAIN)
def test_plain_json_stays_plain_json(value: object) -> None:
    assert json.loads(dumps(value)) == value


@settings(derandomize=True, deadline=None)
@given(VALUES)
def test_the_text_is_strict_json(value: object) -> None:
    json.loads(dumps(value), parse_constant=lambda name: pytest.fail(name))


def test_nan_and_infinities_have_a_form() -> None:
    assert str(loads(dumps(float("nan")))) == "nan"
    assert loads(dumps([float("inf"), float("-inf")])) == [float("inf"), float("-inf")]


def test_a_pendulum_moment_comes_back_as_one_in_its_zone() -> None:
    value = pendulum.datetime(2026, 7, 1, 12, tz="Europe/Zurich")
    found = loads(dumps(value))
    assert isinstance(found, pendulum.DateTime)
    assert found == value
    assert found.timezone_name == "Europe/Zurich"


def test_both_folds_of_a_repeated_hour_are_told_apart() -> None:
    zone = ZoneInfo("Europe/Zurich")
    late = dt.datetime(2026, 10, 25, 2, 30, tzinfo=zone, fold=1)
    assert loads(dumps(late)).utcoffset() == dt.timedelta(hours=1)
    assert loads(dumps(late.replace(fold=0))).utcoffset() == dt.timedelta(hours=2)


def test_sets_are_written_in_one_order() -> None:
    assert dumps({3, 1, 2}) == dumps({2, 3, 1})


def test_text_and_number_enums_are_their_values() -> None:
    from gnomon.model.states import TaskInstanceState

    assert dumps([TaskInstanceState.SUCCESS]) == '["success"]'


@dataclasses.dataclass
class Point:
    x: int


@pytest.mark.parametrize(
    ("value", "path", "words"),
    [
        ({"rows": [1, Point(1)]}, "['rows'][1]", "serialize()"),
        (object(), "", "object"),
        ([{"f": lambda: None}], "[0]['f']", "function"),
        ((n for n in range(3)), "", "list(value)"),
        ([UUID(int=1), Decimal(1), {1: object()}], "[2][1]", "object"),
    ],
)
def test_what_has_no_form_is_named_with_its_path_and_a_remedy(value: object, path: str, words: str) -> None:
    with pytest.raises(NotSerializable, match="XCom 'return_value' of task 'load'") as found:
        dumps(value, what="XCom 'return_value' of task 'load'")
    assert found.value.path == path
    assert words in str(found.value)


def test_a_coroutine_that_nobody_awaited_is_told_as_one() -> None:
    late = asyncio.sleep(0)
    with pytest.raises(NotSerializable, match="was not awaited"):
        dumps(late)
    late.close()


def test_a_circular_value_is_refused() -> None:
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(NotSerializable, match="circular"):
        dumps(circle)


@pytest.mark.parametrize("text", ["", "{", '{"__type": "lamp", "__value": 1}', '{"__type": "date", "__value": 7}'])
def test_text_that_is_no_typed_json_is_refused(text: str) -> None:
    with pytest.raises(DeserializationError):
        loads(text)


def test_half_a_character_comes_back_and_the_text_is_utf_8() -> None:
    name = "caf\udce9"
    assert dumps({name: [name, "é"]}).encode()
    assert loads(dumps({name: [name, "é"]})) == {name: [name, "é"]}
