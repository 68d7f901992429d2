"""`outlet_events`, `inlet_events` and `triggering_asset_events` in the template context.

Names and behaviour are those of Airflow 3 (airflow-surface.md A.6).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, cast

import msgspec

from gnomon.author_code.context.event_source import AssetEventSource
from gnomon.authoring.sdk.arguments.timezone import to_pendulum
from gnomon.authoring.sdk.assets import Asset, AssetAlias, AssetRef
from gnomon.authoring.sdk.assets.asset_plain_data import iter_named, to_leaf
from gnomon.authoring.sdk.connections.channel import Channel
from gnomon.model.assets import AliasKey, AssetEmission, AssetEvent, AssetKey, AssetLeaf, AssetRefKey
from gnomon.model.errors import UserError
from gnomon.model.ids import find_partition_key_fault
from gnomon.model.instants import Instant, to_instant
from gnomon.model.json_value import to_plain_json
from gnomon.model.task_api_requests import GetAsset, GetAssetEvents

if TYPE_CHECKING:
    import pendulum


class AssetNotFound(UserError):
    """No file names an asset with that name or uri, and no task has added one."""


class AssetEventView:
    """One event, as author code sees it."""

    def __init__(self, event: AssetEvent) -> None:
        self._event = event
        self.id = event.event_pk
        self.asset = Asset(name=event.asset.name, uri=event.asset.uri)
        self.extra = event.extra
        self.source_dag_id = event.source_dag_id
        self.source_task_id = event.source_task_id
        self.source_run_id = event.source_run_id
        self.source_map_index = event.source_map_index
        self.source_aliases = [AssetAlias(alias) for alias in event.aliases]
        self.partition_key = event.partition_key

    @property
    def uri(self) -> str:
        """The uri of the asset, as the events of Airflow 2 have it."""
        return self.asset.uri

    @property
    def timestamp(self) -> pendulum.DateTime:
        """When the event was recorded, in UTC."""
        return cast("pendulum.DateTime", to_pendulum(self._event.at))

    @property
    def source_task_instance(self) -> AssetEventSource | None:
        """The task instance that wrote the asset; None for an event from outside."""
        event = self._event
        if event.source_dag_id is None or event.source_task_id is None or event.source_run_id is None:
            return None
        return AssetEventSource(event.source_dag_id, event.source_task_id, event.source_run_id, event.source_map_index)

    @property
    def source_dag_run(self) -> AssetEventSource | None:
        """The run that wrote the asset, by its ids."""
        return self.source_task_instance

    def __repr__(self) -> str:
        asset = f"AssetReferenceAssetEventDagRun(name={self.asset.name!r}, uri={self.asset.uri!r}, extra={self.asset.extra!r})"
        return (
            f"AssetEventDagRunReferenceResult(asset={asset}, extra={self.extra!r}, source_task_id={self.source_task_id!r}, "
            f"source_dag_id={self.source_dag_id!r}, source_run_id={self.source_run_id!r}, source_map_index={self.source_map_index!r}, "
            f"source_aliases={self.source_aliases!r}, timestamp={self.timestamp!r}, partition_key={self.partition_key!r})"
        )


def find_asset(channel: Channel, *, name: str | None = None, uri: str | None = None) -> Asset:
    """Return the asset with that name or uri. Raises AssetNotFound."""
    answer = channel.ask(GetAsset(name=name, uri=uri))
    if answer is None:
        from gnomon.model.sentences import Command, say  # loaded with the first refusal

        raise AssetNotFound(
            say("asset_of_name_does_not_exist", asset=name, command=Command("assets list"))
            if name
            else say("asset_of_uri_does_not_exist", uri=str(uri), command=Command("assets list"))
        )
    row = cast("dict[str, Any]", answer)
    return Asset(name=row["name"], uri=row["uri"], group=row["group"], extra=row["extra"])


class _KeyedByAsset:
    """Access by name, uri or alias, beside access by object."""

    def for_asset(self, *, name: str | None = None, uri: str | None = None) -> Any:
        """Return the value for the asset with this name, this uri, or both."""
        if name and uri:
            return self[Asset(name=name, uri=uri)]
        if not name and not uri:
            raise ValueError("for_asset() needs name= or uri=")
        return self[Asset.ref(name=name) if name else Asset.ref(uri=uri or "")]

    def for_asset_alias(self, *, name: str) -> Any:
        """Return the value for the alias."""
        return self[AssetAlias(name)]

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError


def _to_leaf_or_uri(key: object) -> AssetLeaf | None:
    """As `to_leaf`; a text is a URI, as in Airflow 2: `outlet_events["s3://bucket/key"]`."""
    return to_leaf(Asset(key) if isinstance(key, str) else key)


class OutletEventAccessor:
    """What the success of the task records for one outlet: `extra`, and the assets that it adds to an alias."""

    def __init__(self, key: AssetLeaf, channel: Channel) -> None:
        self.key = key
        self.extra: dict[str, Any] = {}
        self.added: list[tuple[AssetKey, dict[str, Any]]] = []
        self.partition_keys: dict[str, None] = {}
        self._channel = channel

    def add(self, asset: Asset | AssetRef, extra: dict[str, Any] | None = None) -> None:
        """Record an event of the asset through this alias. For an outlet that is an asset this has no effect, as in Airflow."""
        if not isinstance(self.key, AliasKey):
            return
        if isinstance(asset, AssetRef):
            asset = find_asset(self._channel, name=asset.name, uri=asset.uri)
        if not isinstance(asset, Asset):
            raise TypeError(f"outlet_events[...].add() takes an Asset, not {asset!r} ({type(asset).__name__})")
        self.added.append((AssetKey(asset.name, asset.uri), dict(extra or {})))

    def add_partitions(self, keys: str | Iterable[str]) -> None:
        """Record one event for each of these partitions, each once, instead of one event. Raises ValueError for an invalid key.

        Raises TypeError for an alias: partitions are those of an asset.
        """
        if isinstance(self.key, AliasKey):
            raise TypeError(
                f"add_partitions() is not supported on asset alias outlet events; partition keys can only be attached to a concrete asset, "
                f"and {self.key.name!r} is an alias"
            )
        for key in [keys] if isinstance(keys, str) else keys:
            fault = find_partition_key_fault(key)
            if fault is not None:
                raise ValueError(f"add_partitions(): {fault}")
            self.partition_keys[key] = None

    def __repr__(self) -> str:
        return f"<OutletEvent of {self.key}: extra={self.extra!r}, added={self.added!r}>"


class OutletEventAccessors(_KeyedByAsset, Mapping[Any, OutletEventAccessor]):
    """`outlet_events`: the accessor of each outlet, by asset, alias or reference."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._by_key: dict[AssetLeaf, OutletEventAccessor] = {}

    def __getitem__(self, key: Any) -> OutletEventAccessor:
        leaf = _to_leaf_or_uri(key)
        if isinstance(leaf, AssetRefKey):
            leaf = to_leaf(find_asset(self._channel, name=leaf.name, uri=leaf.uri))
        if leaf is None:
            raise TypeError(
                f"outlet_events takes an asset, an alias or a reference as key, not {key!r} ({type(key).__name__})"
            )
        return self._by_key.setdefault(leaf, OutletEventAccessor(leaf, self._channel))

    def __iter__(self) -> Iterator[Any]:
        return iter(
            [
                AssetAlias(key.name) if isinstance(key, AliasKey) else Asset(name=key.name, uri=key.uri)
                for key in self._by_key
            ]
        )

    def __len__(self) -> int:
        return len(self._by_key)

    def __repr__(self) -> str:
        return f"OutletEventAccessors(_dict={self._by_key!r})"

    def collect_emissions(self, outlets: Iterable[object]) -> tuple[AssetEmission, ...]:
        """Return the events that a success with these outlets records: one for each asset, and one for each asset and extra of aliases.

        The same asset with the same extra added through several aliases is one event with these aliases. Raises ValueError for an
        extra that is not made of JSON values, and AssetNotFound.
        """
        emissions: list[AssetEmission] = []
        added: dict[tuple[AssetKey, str], list[str]] = {}
        extras: dict[tuple[AssetKey, str], dict[str, object]] = {}
        for leaf in self._resolve_outlets(outlets):
            accessor = self._by_key.get(leaf)
            if isinstance(leaf, AssetKey):
                extra = {} if accessor is None else to_plain_extra(accessor.extra, leaf)
                keys: list[str | None] = (
                    [None] if accessor is None or not accessor.partition_keys else [*accessor.partition_keys]
                )
                emissions += [AssetEmission(asset=leaf, extra=extra, partition_key=key) for key in keys]
                continue
            for asset, own_extra in accessor.added if accessor is not None else ():
                plain = to_plain_extra(own_extra, asset)
                key = (asset, json.dumps(plain, sort_keys=True))
                extras[key] = plain
                added.setdefault(key, []).append(leaf.name)
        emissions += [
            AssetEmission(asset=asset, extra=extras[asset, text], aliases=tuple(sorted(set(names))))
            for (asset, text), names in added.items()
        ]
        return tuple(emissions)

    def _resolve_outlets(self, outlets: Iterable[object]) -> list[AssetKey | AliasKey]:
        leaves: dict[AssetKey | AliasKey, None] = {}
        for leaf in (to_leaf(part) for outlet in outlets for part in iter_named(outlet)):
            if isinstance(leaf, AssetRefKey):
                asset = find_asset(self._channel, name=leaf.name, uri=leaf.uri)
                leaf = AssetKey(asset.name, asset.uri)
            if leaf is not None:
                leaves[leaf] = None
        return list(leaves)


def to_plain_extra(extra: object, asset: AssetKey) -> dict[str, object]:
    """Return the extra as JSON stores it. Raises ValueError, which names the asset, for anything but a dict of JSON values."""
    try:
        plain = to_plain_json(extra)
    except ValueError as error:
        raise ValueError(
            f"the extra of the event of asset {asset.name!r} must be made of JSON values: {error}"
        ) from None
    if not isinstance(plain, dict):
        raise ValueError(f"the extra of the event of asset {asset.name!r} must be a dict, not {type(extra).__name__}")
    return dict(plain)


class InletEventsAccessor(Sequence[AssetEventView]):
    """The events of one inlet, oldest first; the methods narrow the question, which is asked when the events are read."""

    def __init__(
        self, channel: Channel, *, name: str | None = None, uri: str | None = None, alias: str | None = None
    ) -> None:
        self._channel = channel
        self._question = GetAssetEvents(name=name, uri=uri, alias=alias)
        self._found: list[AssetEventView] | None = None

    def after(self, after: str | datetime) -> Self:
        """Leave out events before this instant."""
        return self._narrow(after=_parse_instant(after))

    def before(self, before: str | datetime) -> Self:
        """Leave out events after this instant."""
        return self._narrow(before=_parse_instant(before))

    def ascending(self, ascending: bool = True) -> Self:
        """Order the events from the oldest, or from the newest (False)."""
        return self._narrow(ascending=bool(ascending))

    def limit(self, limit: int) -> Self:
        """Leave out all events but the first `limit` ones."""
        return self._narrow(limit=int(limit))

    def _narrow(self, **changes: Any) -> Self:
        self._question = msgspec.structs.replace(self._question, **changes)
        self._found = None
        return self

    def _events(self) -> list[AssetEventView]:
        if self._found is None:
            self._found = decode_events(self._channel.ask(self._question))
        return self._found

    def __iter__(self) -> Iterator[AssetEventView]:
        return iter(self._events())

    def __len__(self) -> int:
        return len(self._events())

    def __getitem__(self, key: Any) -> Any:
        return self._events()[key]

    def __repr__(self) -> str:
        return f"InletEventsAccessor({self._events()!r})"


class InletEventsAccessors(_KeyedByAsset, Mapping[Any, InletEventsAccessor]):
    """`inlet_events`: the events of each inlet, by its number, asset, alias or reference. Raises KeyError for what is no inlet."""

    def __init__(self, inlets: Sequence[Any], channel: Channel) -> None:
        self._inlets = list(inlets)
        self._channel = channel
        self._assets: dict[AssetKey, None] | None = None

    def _inlet_assets(self) -> dict[AssetKey, None]:
        """The assets among the inlets; references are looked up."""
        if self._assets is None:
            self._assets = {}
            for inlet in self._inlets:
                asset = (
                    find_asset(self._channel, name=inlet.name, uri=inlet.uri) if isinstance(inlet, AssetRef) else inlet
                )
                if isinstance(asset, Asset):
                    self._assets[AssetKey(asset.name, asset.uri)] = None
        return self._assets

    def __getitem__(self, key: Any) -> InletEventsAccessor:
        inlet = self._inlets[key] if isinstance(key, int) else key
        leaf = _to_leaf_or_uri(inlet)
        if leaf is None:
            raise (
                IndexError(key)
                if isinstance(key, int)
                else TypeError(f"inlet_events takes an inlet as key, not {key!r} ({type(key).__name__})")
            )
        if isinstance(leaf, AliasKey):
            if leaf not in map(to_leaf, self._inlets):
                raise KeyError(key)
            return InletEventsAccessor(self._channel, alias=leaf.name)
        if isinstance(leaf, AssetKey):
            if leaf not in self._inlet_assets():
                raise KeyError(key)
            return InletEventsAccessor(self._channel, name=leaf.name, uri=leaf.uri)
        for asset in self._inlet_assets():
            if (leaf.name is None or asset.name == leaf.name) and (leaf.uri is None or asset.uri == leaf.uri):
                return InletEventsAccessor(self._channel, name=leaf.name and asset.name, uri=leaf.uri and asset.uri)
        raise KeyError(key)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._inlets)

    def __len__(self) -> int:
        return len(self._inlets)

    def __repr__(self) -> str:
        return f"InletEventsAccessors(_inlets={self._inlets!r})"


class TriggeringAssetEventsAccessor(_KeyedByAsset, Mapping[Any, Sequence[AssetEventView]]):
    """`triggering_asset_events`: the events that the run consumed, by asset, alias or reference. Raises KeyError for another key."""

    def __init__(self, events: Iterable[AssetEventView]) -> None:
        self._events: dict[AssetKey | AliasKey, list[AssetEventView]] = {}
        for event in events:
            keys: list[AssetKey | AliasKey] = [
                AssetKey(event.asset.name, event.asset.uri),
                *(AliasKey(alias.name) for alias in event.source_aliases),
            ]
            for key in keys:
                self._events.setdefault(key, []).append(event)

    def __getitem__(self, key: Any) -> Sequence[AssetEventView]:
        leaf = _to_leaf_or_uri(key)
        if isinstance(leaf, AssetRefKey):
            for event_key, events in self._events.items():
                if isinstance(event_key, AssetKey) and (event_key.name == leaf.name or event_key.uri == leaf.uri):
                    return events
            raise KeyError(key)
        if leaf is None:
            raise KeyError(key)
        if isinstance(key, str):
            leaf = next(
                (event_key for event_key in self._events if isinstance(event_key, AssetKey) and event_key.uri == key),
                leaf,
            )
        return self._events[leaf]

    def __iter__(self) -> Iterator[Any]:
        return iter(
            [
                AssetAlias(key.name) if isinstance(key, AliasKey) else Asset(name=key.name, uri=key.uri)
                for key in self._events
            ]
        )

    def __len__(self) -> int:
        return len(self._events)

    def __repr__(self) -> str:
        return f"TriggeringAssetEventsAccessor(_events={{{', '.join(f'{_name_key(key)}: {events!r}' for key, events in self._events.items())}}})"


def _name_key(key: AssetKey | AliasKey) -> str:
    """A key as Airflow shows it."""
    return (
        f"AssetAliasUniqueKey(name={key.name!r})"
        if isinstance(key, AliasKey)
        else f"AssetUniqueKey(name={key.name!r}, uri={key.uri!r})"
    )


def decode_events(answer: object) -> list[AssetEventView]:
    """Return the events of an answer of the task API."""
    return [AssetEventView(event) for event in msgspec.convert(answer, list[AssetEvent])]


def _parse_instant(moment: str | datetime) -> Instant:
    """Return the instant; a text is ISO 8601, without a zone in UTC."""
    value = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return to_instant(value if value.tzinfo is not None else value.replace(tzinfo=UTC))
