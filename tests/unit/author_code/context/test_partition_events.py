"""`outlet_events[...].add_partitions`: one event for each partition that the task names."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.author_code.context.asset_event_accessors import OutletEventAccessors
from gnomon.authoring.sdk import Asset, AssetAlias

A, B = Asset("a"), Asset("b")


def test_each_partition_has_an_event_with_the_extra_of_the_outlet() -> None:
    channel: Any = None
    events = OutletEventAccessors(channel)
    events[A].add_partitions(["us", "eu", "us"])
    events[A].add_partitions("apac")
    events[A].extra = {"rows": 5}
    found = events.collect_emissions([A, B])
    assert [(each.asset.name, each.partition_key, each.extra) for each in found] == [
        ("a", "us", {"rows": 5}),
        ("a", "eu", {"rows": 5}),
        ("a", "apac", {"rows": 5}),
        ("b", None, {}),
    ]


@pytest.mark.parametrize("key", ["", " ", "x" * 251, "a\nb", 5])
def test_a_key_that_cannot_be_stored_is_refused(key: Any) -> None:
    channel: Any = None
    with pytest.raises(ValueError, match=r"add_partitions\(\): a partition key"):
        OutletEventAccessors(channel)[A].add_partitions([key])


def test_an_alias_has_no_partitions() -> None:
    channel: Any = None
    with pytest.raises(TypeError, match="can only be attached to a concrete asset"):
        OutletEventAccessors(channel)[AssetAlias("x")].add_partitions("us")
