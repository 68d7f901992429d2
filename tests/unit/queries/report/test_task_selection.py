"""Which task instances a person names."""

from __future__ import annotations

import pytest

from gnomon.queries.report.listings.task_selection import split_instance_names


@pytest.mark.parametrize(
    ("names", "map_index", "selected"),
    [
        (["a"], None, {"a": None}),
        (["a[1]"], None, {"a": {1}}),
        (["a[1]", "a[2]", "b"], None, {"a": {1, 2}, "b": None}),
        (["a[1]", "a"], None, {"a": None}),
        (["a", "a[1]"], None, {"a": None}),
        (["a", "b[2]"], 1, {"a": {1}, "b": {2}}),
        (["a", "a[2]"], 1, {"a": {1, 2}}),
        (["g.a[0]"], None, {"g.a": {0}}),
        ([], 1, {}),
    ],
)
def test_a_map_index_belongs_to_the_names_without_one(
    names: list[str], map_index: int | None, selected: dict[str, set[int] | None]
) -> None:
    assert split_instance_names(names, map_index) == selected
