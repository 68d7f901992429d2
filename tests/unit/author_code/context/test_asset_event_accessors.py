"""`outlet_events`, `inlet_events` and `triggering_asset_events`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from gnomon.author_code.context.asset_event_accessors import (
    AssetNotFound,
    InletEventsAccessors,
    OutletEventAccessors,
    TriggeringAssetEventsAccessor,
    decode_events,
)
from gnomon.authoring.sdk.assets import Asset, AssetAlias, AssetAll, Metadata
from gnomon.authoring.sdk.assets.yielded_metadata import run_generator
from gnomon.model.assets import AssetEmission, AssetEvent, AssetKey
from gnomon.model.task_api_requests import GetAsset, GetAssetEvents

A, B, N = Asset("a", "s3://a/k"), Asset("b"), AssetAlias("n")
KEY_A, KEY_B = AssetKey("a", "s3://a/k"), AssetKey("b", "b")


class Server:
    """Knows the assets a and b, and answers the same events to every question."""

    def __init__(self, *events: AssetEvent) -> None:
        self.events = events
        self.asked: list[Any] = []

    def ask(self, question: Any) -> object:
        self.asked.append(question)
        if isinstance(question, GetAsset):
            known = next((key for key in (KEY_A, KEY_B) if question.name == key.name or question.uri == key.uri), None)
            return None if known is None else {"name": known.name, "uri": known.uri, "group": "asset", "extra": {}}
        assert isinstance(question, GetAssetEvents)
        return msgspec.to_builtins(self.events)


def event(number: int, asset: AssetKey = KEY_A, **fields: Any) -> AssetEvent:
    return AssetEvent(event_pk=number, asset=asset, at=number * 1_000_000, **fields)


def test_each_outlet_is_one_event_with_its_extra() -> None:
    outlet_events = OutletEventAccessors(Server())
    outlet_events[A].extra = {"rows": 5}
    assert outlet_events.collect_emissions([A, B]) == (
        AssetEmission(asset=KEY_A, extra={"rows": 5}),
        AssetEmission(asset=KEY_B),
    )


def test_an_alias_is_an_event_for_each_asset_and_extra_that_was_added() -> None:
    outlet_events = OutletEventAccessors(Server())
    outlet_events[N].add(A, extra={"x": 1})
    outlet_events[N].add(A, extra={"x": 2})
    outlet_events[AssetAlias("m")].add(A, extra={"x": 1})
    outlet_events[N].add(Asset.ref(name="b"))
    assert outlet_events.collect_emissions([N, AssetAlias("m")]) == (
        AssetEmission(asset=KEY_A, extra={"x": 1}, aliases=("m", "n")),
        AssetEmission(asset=KEY_A, extra={"x": 2}, aliases=("n",)),
        AssetEmission(asset=KEY_B, aliases=("n",)),
    )


def test_an_alias_to_which_nothing_was_added_is_no_event() -> None:
    assert OutletEventAccessors(Server()).collect_emissions([N, "free text"]) == ()


def test_add_on_an_asset_and_access_to_what_is_no_outlet_record_nothing() -> None:
    outlet_events = OutletEventAccessors(Server())
    outlet_events[A].add(B)
    outlet_events[B].extra = {"x": 1}
    assert outlet_events.collect_emissions([A]) == (AssetEmission(asset=KEY_A),)


def test_references_are_looked_up_and_one_that_is_missing_is_an_error_by_name() -> None:
    outlet_events = OutletEventAccessors(Server())
    outlet_events.for_asset(uri="s3://a/k").extra["x"] = 1
    assert outlet_events.collect_emissions([Asset.ref(name="a"), AssetAll(B)]) == (
        AssetEmission(asset=KEY_A, extra={"x": 1}),
        AssetEmission(asset=KEY_B),
    )
    with pytest.raises(AssetNotFound, match="there is no asset with the name 'c'; `gnomon assets list`"):
        outlet_events.collect_emissions([Asset.ref(name="c")])


@pytest.mark.parametrize("extra", [{"x": object()}, ["x"], {"x": "\ud800"}])
def test_an_extra_that_json_cannot_hold_names_the_asset(extra: Any) -> None:
    outlet_events = OutletEventAccessors(Server())
    outlet_events[A].extra = extra
    with pytest.raises(ValueError, match="the extra of the event of asset 'a' must be"):
        outlet_events.collect_emissions([A])


def test_metadata_that_a_function_yields_is_the_extra_and_its_return_value_is_kept() -> None:
    outlet_events = OutletEventAccessors(Server())

    def function() -> Any:
        yield Metadata(A, {"x": 1})
        yield Metadata(B, {"y": 2}, alias="n")
        yield "ignored"
        return 7

    assert run_generator(function, function(), {"outlet_events": outlet_events}) == 7
    assert outlet_events.collect_emissions([A, N]) == (
        AssetEmission(asset=KEY_A, extra={"x": 1}),
        AssetEmission(asset=KEY_B, extra={"y": 2}, aliases=("n",)),
    )


def test_a_text_is_a_uri_as_in_airflow_2() -> None:
    outlet_events = OutletEventAccessors(Server())
    dataset = Asset("s3://b/k")
    outlet_events["s3://b/k"].extra = {"x": 1}
    assert outlet_events.collect_emissions([dataset]) == (
        AssetEmission(asset=AssetKey("s3://b/k", "s3://b/k"), extra={"x": 1}),
    )
    assert list(InletEventsAccessors([dataset], Server())["s3://b/k"]) == []


def test_inlet_events_ask_when_they_are_read_and_once() -> None:
    server = Server(event(1), event(2, extra={"x": 1}))
    found = (
        InletEventsAccessors([A], server)[A]
        .after("1970-01-01T00:00:01")
        .before(datetime(1970, 1, 2, tzinfo=UTC))
        .ascending(False)
        .limit(2)
    )
    assert server.asked == []
    assert [each.extra for each in found] == [{}, {"x": 1}]
    assert (len(found), found[-1].extra, [each.id for each in found[:1]]) == (2, {"x": 1}, [1])
    (question,) = server.asked
    assert question == GetAssetEvents(
        name="a", uri="s3://a/k", after=1_000_000, before=86_400_000_000, ascending=False, limit=2
    )


def test_inlet_events_are_keyed_by_number_asset_reference_and_alias() -> None:
    server = Server()
    inlets = InletEventsAccessors([A, N, Asset.ref(name="b"), 5.0], server)
    asked = {
        "0": inlets[0],
        "ref": inlets[Asset.ref(uri="s3://a/k")],
        "b": inlets[B],
        "alias": inlets.for_asset_alias(name="n"),
        "name": inlets.for_asset(name="a"),
    }
    assert [list(one) for one in asked.values()] == [[]] * 5
    assert [(one.name, one.uri, one.alias) for one in server.asked if isinstance(one, GetAssetEvents)] == [
        ("a", "s3://a/k", None),
        (None, "s3://a/k", None),
        ("b", "b", None),
        (None, None, "n"),
        ("a", None, None),
    ]
    with pytest.raises(KeyError):
        inlets[Asset("c")]
    with pytest.raises(IndexError):
        inlets[3]


def test_triggering_events_are_grouped_by_asset_and_by_alias() -> None:
    found = TriggeringAssetEventsAccessor(
        decode_events(msgspec.to_builtins([event(1), event(2, aliases=("n",)), event(3, KEY_B)]))
    )
    assert {str(key): [each.id for each in events] for key, events in found.items()} == {
        "Asset(name='a', uri='s3://a/k')": [1, 2],
        "AssetAlias(name='n')": [2],
        "Asset(name='b', uri='b')": [3],
    }
    assert [each.id for each in found[Asset.ref(name="a")]] == [each.id for each in found["s3://a/k"]] == [1, 2]
    with pytest.raises(KeyError):
        found[Asset("c")]


def test_in_a_template_the_accessors_show_what_they_hold() -> None:
    found = TriggeringAssetEventsAccessor(
        decode_events(
            msgspec.to_builtins([event(1, aliases=("n",), extra={"rows": 3}, source_dag_id="up", source_task_id="t")])
        )
    )
    told = f"{found}"
    assert told.startswith(
        f"TriggeringAssetEventsAccessor(_events={{AssetUniqueKey(name={KEY_A.name!r}, uri={KEY_A.uri!r}): [AssetEventDagRunReferenceResult(asset="
    )
    assert "AssetAliasUniqueKey(name='n'): [" in told
    assert "extra={'rows': 3}, source_task_id='t', source_dag_id='up'" in told
    assert " object at 0x" not in told


def test_an_event_knows_its_source_and_time() -> None:
    (view,) = decode_events(
        msgspec.to_builtins([event(5, source_dag_id="d", source_task_id="t", source_run_id="r", source_map_index=3)])
    )
    assert view.timestamp == datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC)
    source = view.source_task_instance
    assert source is not None
    assert (source.dag_id, source.task_id, source.run_id, source.map_index, view.uri) == ("d", "t", "r", 3, "s3://a/k")
    assert decode_events(msgspec.to_builtins([event(6)]))[0].source_task_instance is None
