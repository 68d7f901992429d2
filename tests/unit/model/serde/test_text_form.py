"""The text form of stored values shows what they are, and makes no object."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

import pendulum
import pytest

from gnomon.model.serde import dumps
from gnomon.model.serde.stored_objects import find_object_place
from gnomon.model.serde.text_form import describe_stored


def stored(classname: str, data: object, version: int = 0) -> dict[str, object]:
    return {"__classname__": classname, "__version__": version, "__data__": data}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"a": [1, None, True, 1.5, "x"]}, {"a": [1, None, True, 1.5, "x"]}),
        (dt.datetime(2024, 1, 1, 12, 30), "2024-01-01T12:30:00"),
        (dt.datetime(2024, 1, 1, tzinfo=dt.UTC), "2024-01-01T00:00:00 UTC"),
        (dt.datetime(2024, 1, 1, tzinfo=ZoneInfo("Europe/Paris")), "2024-01-01T00:00:00 Europe/Paris"),
        (
            dt.datetime(2024, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=-3, minutes=-30))),
            "2024-01-01T00:00:00 -03:30",
        ),
        (pendulum.datetime(2024, 1, 1), "2024-01-01T00:00:00 UTC"),
        (dt.date(2024, 1, 1), "2024-01-01"),
        (dt.time(1, 2), "01:02:00"),
        (dt.timedelta(seconds=3), "0:00:03"),
        (dt.timedelta(days=2, hours=5, microseconds=7), "2 days, 5:00:00.000007"),
        (Decimal("1.10"), "1.10"),
        (UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (b"ab", "bytes(YWI=)"),
        (b"a" * 3000, "bytes(4,000 characters)"),
        (float("nan"), "nan"),
        ((1, "a", (2,)), "(1,a,(2))"),
        ({1}, "(1)"),
        ({1: "a", "b": (2,)}, {"1": "a", "b": "(2)"}),
        (dt.timezone(dt.timedelta(hours=2)), "UTC+02:00"),
        (ZoneInfo("Europe/Paris"), "Europe/Paris"),
    ],
)
def test_values_of_python_are_shown_as_python_writes_them(value: object, shown: object) -> None:
    assert describe_stored(json.loads(dumps(value))) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (
            stored("orders.Order", {"number": 5, "text": "it's", "more": None}),
            'orders.Order@version=0(number=5, text="it\'s", more=None)',
        ),
        ([stored("numpy.int64", 5, 1)], ["numpy.int64@version=1(5)"]),
        (stored("pandas.DataFrame", "50" * 500, 1), "pandas.DataFrame@version=1(1,000 characters)"),
        (stored("a.B", {"inner": stored("a.C", [1, "x"])}), "a.B@version=0(inner=a.C@version=0(1,'x'))"),
        (stored("pandas.NaT", None, 1), "pandas.NaT@version=1()"),
        (stored("gnomon_dag_0123456789abcdef_orders.Order", {"n": 1}), "orders.Order@version=0(n=1)"),
        (stored("builtins.tuple", [1, 2], 1), "(1,2)"),
        (stored("a.B", {"at": {"__type": "date", "__value": "2024-01-01"}}), "a.B@version=0(at=2024-01-01)"),
    ],
)
def test_objects_are_shown_by_class_version_and_data(value: object, shown: object) -> None:
    assert describe_stored(value) == shown


@pytest.mark.parametrize(
    "value",
    [
        {"__type": "datetime", "__value": 5},
        {"__type": "dict", "__value": [1]},
        {"__type": ["x"], "__value": {}},
        {"__type": "timedelta", "__value": ["a"]},
        {"__classname__": "a.B", "__version__": None},
        {"__classname__": 5, "__version__": 1},
        {"__type": "tuple", "__value": None},
        {"__type": "tuple"},
        {"__classname__": "builtins.tuple", "__version__": 1, "__data__": 5},
    ],
)
def test_a_form_that_gnomon_never_writes_is_shown_and_fails_nothing(value: object) -> None:
    json.dumps(describe_stored(value))


def test_what_is_nested_too_deeply_is_left_as_it_is() -> None:
    value: object = 1
    for _ in range(3000):
        value = stored("a.B", {"x": value})
    assert describe_stored(value) is value


def test_the_place_of_an_object_is_found_at_any_depth() -> None:
    assert find_object_place({"a": [1, {"b": "__classname__"}]}) is None
    assert find_object_place({"a": [1, {"b": stored("a.B", 1)}]}) == "['a'][1]['b']"
    value: object = {"__classname__": 1}
    for _ in range(3000):
        value = [value]
    assert str(find_object_place(value)).startswith("[0][0]")
