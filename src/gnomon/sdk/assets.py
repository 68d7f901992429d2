"""Assets: authors can make and combine them, and give them as inlets, outlets and schedules.

Gnomon does not schedule by assets yet: a DAG with such a schedule gets a warning and runs only when it is triggered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class BaseAsset:
    """Base class of the conditions in a schedule by assets."""

    def __or__(self, other: BaseAsset) -> AssetAny:
        return AssetAny(self, other) if isinstance(other, BaseAsset) else NotImplemented

    def __and__(self, other: BaseAsset) -> AssetAll:
        return AssetAll(self, other) if isinstance(other, BaseAsset) else NotImplemented

    def as_expression(self) -> Any:
        """Return the condition as plain data."""
        raise NotImplementedError

    def iter_assets(self) -> Iterator[tuple[tuple[str, str], Asset]]:
        """Yield ((name, uri), asset) of every asset in the condition."""
        return iter(())


class Asset(BaseAsset):
    """Data that tasks write and read. If only one of name and uri is given, the other is equal to it."""

    asset_type = "asset"

    def __init__(self, name: str | None = None, uri: str | None = None, *, group: str | None = None,
                 extra: dict[str, Any] | None = None, watchers: Any = None, access_control: Any = None) -> None:
        if name is None and uri is None:
            raise TypeError("Asset needs a name or a uri: Asset('orders') or Asset(uri='s3://bucket/orders').")
        self.name = str(name if name is not None else uri)
        self.uri = str(uri if uri is not None else name)
        for word, value in (("name", self.name), ("uri", self.uri)):
            if not value.strip() or len(value) > 1500:
                raise ValueError(f"Asset {word} {value!r} must have 1 to 1500 characters, not only blanks.")
        self.group = group or self.asset_type
        self.extra = dict(extra or {})
        self.watchers = list(watchers or ())
        self.access_control = access_control

    @staticmethod
    def ref(*, name: str | None = None, uri: str | None = None) -> AssetRef:
        """Return a reference to an asset that another file defines."""
        return AssetRef(name=name, uri=uri)

    @property
    def normalized_uri(self) -> str | None:
        """Return the uri."""
        return self.uri

    def as_expression(self) -> Any:
        return {"asset": {"uri": self.uri, "name": self.name, "group": self.group}}

    def iter_assets(self) -> Iterator[tuple[tuple[str, str], Asset]]:
        yield (self.name, self.uri), self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Asset) and (self.name, self.uri) == (other.name, other.uri)

    def __hash__(self) -> int:
        return hash((self.name, self.uri))

    def __fspath__(self) -> str:
        return self.uri

    def __repr__(self) -> str:
        return f"Asset(name={self.name!r}, uri={self.uri!r})"


class Dataset(Asset):
    """An asset under its name of Airflow 2: `Dataset("s3://bucket/key")`."""

    asset_type = "dataset"

    def __init__(self, uri: str | None = None, extra: dict[str, Any] | None = None, *, name: str | None = None,
                 **kwargs: Any) -> None:
        super().__init__(name=name, uri=uri, extra=extra, **kwargs)


class Model(Asset):
    """An asset for a model."""

    asset_type = "model"


class AssetRef(BaseAsset):
    """Base class of references to an asset, by its name or its uri."""

    def __init__(self, *, name: str | None = None, uri: str | None = None) -> None:
        if (name is None) == (uri is None):
            raise TypeError("Asset.ref() takes exactly one of name= and uri=.")
        self.name = name
        self.uri = uri

    def as_expression(self) -> Any:
        return {"asset_ref": {"name": self.name} if self.name else {"uri": self.uri}}


class AssetAlias(BaseAsset):
    """A name under which a task adds assets at run time."""

    def __init__(self, name: str, *, group: str = "asset") -> None:
        self.name = name
        self.group = group

    def as_expression(self) -> Any:
        return {"alias": {"name": self.name, "group": self.group}}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AssetAlias) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


class _AssetCombination(BaseAsset):
    word = ""

    def __init__(self, *objects: BaseAsset) -> None:
        for one in objects:
            if not isinstance(one, BaseAsset):
                raise TypeError(f"{type(self).__name__} takes assets, not {one!r} ({type(one).__name__}).")
        self.objects = objects

    def as_expression(self) -> Any:
        return {self.word: [one.as_expression() for one in self.objects]}

    def iter_assets(self) -> Iterator[tuple[tuple[str, str], Asset]]:
        for one in self.objects:
            yield from one.iter_assets()


class AssetAll(_AssetCombination):
    """A condition that holds when all of its parts hold."""

    word = "all"


class AssetAny(_AssetCombination):
    """A condition that holds when one of its parts holds."""

    word = "any"


class AssetWatcher:
    """A trigger that watches an asset outside Gnomon."""

    def __init__(self, name: str, trigger: Any) -> None:
        self.name = name
        self.trigger = trigger


class AssetAccessControl:
    """The teams that may use an asset."""

    def __init__(self, **kwargs: Any) -> None:
        self.rules = kwargs


class Metadata:
    """A value that a task yields: the extra data of the event of an asset."""

    def __init__(self, asset: BaseAsset, extra: dict[str, Any] | None = None, alias: AssetAlias | str | None = None) -> None:
        self.asset = asset
        self.extra = extra or {}
        self.alias = AssetAlias(alias) if isinstance(alias, str) else alias


def parse_asset_condition(schedule: Any) -> BaseAsset | None:
    """Return the condition of a schedule by assets (a list means all of them); None for another schedule."""
    if isinstance(schedule, BaseAsset):
        return schedule
    if isinstance(schedule, list | tuple | set) and schedule and all(isinstance(one, BaseAsset) for one in schedule):
        return AssetAll(*schedule)
    return None


class AssetTriggeredTimetable:
    """The timetable of a DAG that is scheduled by assets. It plans no runs yet."""

    description = "Triggered by assets (not supported yet: runs only when triggered)"
    summary = "Asset"
    can_be_scheduled = False
    periodic = False
    active_runs_limit = None

    def __init__(self, condition: BaseAsset) -> None:
        self.asset_condition = condition

    def validate(self) -> None:
        """Do nothing: every condition is valid."""
