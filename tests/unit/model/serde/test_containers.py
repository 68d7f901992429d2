"""A stored container is split into its elements without decoding them."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.unit.model.serde.test_typed_json import HASHABLE, VALUES

from gnomon.model.serde import dumps, loads
from gnomon.model.serde.containers import split_container

CONTAINERS = (
    st.lists(VALUES, max_size=4)
    | st.lists(VALUES, max_size=4).map(tuple)
    | st.dictionaries(HASHABLE | st.text(), VALUES, max_size=4)
    | st.dictionaries(st.sampled_from(["__type", "__value", "a", "\ud800"]), VALUES, max_size=3)
)


@given(CONTAINERS)
@settings(max_examples=200, deadline=None)
@example(["\ud800", 1])
@example({"\ud800": "\udfff"})
@example(("\ud800", ("é", 10**30)))
@example({("\ud800", 1): [1.5]})
@example([float("nan")] * 0)
def test_the_parts_are_those_of_the_value(value: list[object] | tuple[object, ...] | dict[object, object]) -> None:
    found = split_container(dumps(value))
    assert found is not None and found.kind == type(value).__name__
    expected = list(value.items()) if isinstance(value, dict) else list(value)
    assert [loads(element.decode()) for element in found.elements] == expected


@pytest.mark.parametrize("value", [None, 1, "[1]", b"[1]", {1, 2}, frozenset(), float("inf")])
def test_other_values_have_no_parts(value: object) -> None:
    assert split_container(dumps(value)) is None


@pytest.mark.parametrize("text", ["[1", "{", '{"a": 1', "[1] 2"])
def test_a_text_that_is_no_json_has_no_parts(text: str) -> None:
    assert split_container(text) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"__classname__": "a.B", "__version__": 1, "__data__": [1]}',
        '{"__classname__": "a.\\ud800", "__version__": 1, "__data__": [1]}',
    ],
)
def test_an_object_of_a_class_is_no_container(text: str) -> None:
    assert split_container(text) is None
