"""Assets, aliases, references and conditions, as authors write them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, NamedTuple

from gnomon.authoring.sdk.arguments.code_location import CodeLocation, find_author_location, format_location
from gnomon.authoring.sdk.arguments.converters import describe_value
from gnomon.authoring.sdk.assets.asset_uri import normalize_uri
from gnomon.authoring.sdk.deferral.triggers import BaseEventTrigger

TEXT_MAX = 1500
"""Characters of a name, a URI or a group."""
_RESERVED_NAMES = ("self", "context")
"""Names that `@asset` gives to special parameters of its function."""


class BaseAsset:
    """Base class of everything that a schedule by assets consists of."""

    def __or__(self, other: BaseAsset) -> AssetAny:
        return AssetAny(self, other) if isinstance(other, BaseAsset) else NotImplemented

    def __and__(self, other: BaseAsset) -> AssetAll:
        return AssetAll(self, other) if isinstance(other, BaseAsset) else NotImplemented

    def as_expression(self) -> Any:
        """Return the condition as plain data."""
        raise NotImplementedError

    def iter_assets(self) -> Iterator[tuple[AssetUniqueKey, Asset]]:
        """Yield (key, asset) of every asset in the condition."""
        return iter(())

    def iter_outlets(self) -> Iterator[BaseAsset]:
        """Yield what a task with this outlet writes."""
        yield self


class Asset(os.PathLike[str], BaseAsset):
    """Data that tasks write and read. If only one of name and uri is given, the other is equal to it.

    The uri is normalised. `extra` is a dict of JSON values. Raises TypeError without name and uri, and ValueError for a text that
    is empty, blank, longer than 1500 characters or no valid URI.
    """

    asset_type: ClassVar[str] = "asset"

    def __init__(
        self,
        name: str | None = None,
        uri: str | os.PathLike[str] | None = None,
        *,
        group: str | None = None,
        extra: dict[str, Any] | None = None,
        watchers: Any = None,
        access_control: Any = None,
    ) -> None:
        self._location: CodeLocation | None = find_author_location()
        if name is None and uri is None:
            raise TypeError(
                f"Asset{format_location(self._location)} needs a name or a uri: Asset('orders') or Asset(uri='s3://bucket/orders')."
            )
        if name is not None and uri is None:
            _check_text(type(self).__name__, "name", name, self._location)
        given_uri: Any = name if uri is None else uri
        text = str(given_uri) if hasattr(given_uri, "as_uri") else given_uri  # a path, also one of an object storage
        _check_text(type(self).__name__, "uri", text, self._location)
        self.name: str = text if name is None else name
        _check_text(type(self).__name__, "name", self.name, self._location)
        if self.name in _RESERVED_NAMES:
            raise ValueError(
                f"Asset name {self.name!r}{format_location(self._location)} is reserved for functions of @asset. Use another name."
            )
        self.uri: str = normalize_uri(text)
        self.group: str = self.asset_type if group is None else group
        _check_text(type(self).__name__, "group", self.group, self._location, may_be_empty=True)
        self.extra: dict[str, Any] = {} if extra is None else extra
        self.watchers: list[AssetWatcher] = list(
            watchers or () if isinstance(watchers, Iterable | None) else [watchers]
        )
        _check_watchers(self)
        self.access_control = AssetAccessControl() if access_control is None else access_control

    @staticmethod
    def ref(*, name: str = "", uri: str = "") -> AssetRef:
        """Return a reference to the asset with that name or that uri, which another file defines."""
        if bool(name) == bool(uri):
            raise TypeError(
                f"Asset.ref(){format_location(find_author_location())} takes exactly one of name= and uri=."
            )
        return AssetNameRef(name) if name else AssetUriRef(uri)

    @property
    def normalized_uri(self) -> str | None:
        """Return the uri of a file; None for another scheme, because no provider normalises URIs here."""
        return self.uri if self.uri.startswith("file:") else None

    def as_expression(self) -> Any:
        return {"asset": {"uri": self.uri, "name": self.name, "group": self.group}}

    def iter_assets(self) -> Iterator[tuple[AssetUniqueKey, Asset]]:
        yield AssetUniqueKey(self.name, self.uri), self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Asset):
            return NotImplemented
        return all(
            getattr(self, field) == getattr(other, field)
            for field in ("name", "uri", "group", "extra", "watchers", "access_control")
        )

    def __hash__(self) -> int:
        return hash((self.name, self.uri))

    def __fspath__(self) -> str:
        return self.uri

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r}, uri={self.uri!r})"


class Dataset(Asset):
    """An asset under its name of Airflow 2: `Dataset("s3://bucket/key")`."""

    asset_type = "dataset"

    def __init__(
        self, uri: Any = None, extra: dict[str, Any] | None = None, *, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, uri=uri, extra=extra, **kwargs)


class Model(Asset):
    """An asset for a model."""

    asset_type = "model"


class AssetRef(BaseAsset):
    """Base class of references to an asset, by its name or its uri."""

    name: str | None = None
    uri: str | None = None

    def as_expression(self) -> Any:
        return {"asset_ref": {"name": self.name} if self.name else {"uri": self.uri}}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AssetRef) and (self.name, self.uri) == (other.name, other.uri)

    def __hash__(self) -> int:
        return hash((self.name, self.uri))

    def __repr__(self) -> str:
        return f"Asset.ref(name={self.name!r})" if self.name else f"Asset.ref(uri={self.uri!r})"


class AssetNameRef(AssetRef):
    """A reference to the asset with this name."""

    def __init__(self, name: str) -> None:
        self.name = name


class AssetUriRef(AssetRef):
    """A reference to the asset with this uri."""

    def __init__(self, uri: str) -> None:
        self.uri = normalize_uri(uri)


class AssetAlias(BaseAsset):
    """A name under which a task adds assets at run time. Raises ValueError as Asset does."""

    def __init__(self, name: str, *, group: str = "asset") -> None:
        _check_text("AssetAlias", "name", name, find_author_location())
        _check_text("AssetAlias", "group", group, find_author_location(), may_be_empty=True)
        self.name = name
        self.group = group

    def as_expression(self) -> Any:
        return {"alias": {"name": self.name, "group": self.group}}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AssetAlias) and (self.name, self.group) == (other.name, other.group)

    def __hash__(self) -> int:
        return hash((self.name, self.group))

    def __repr__(self) -> str:
        return f"AssetAlias(name={self.name!r})"


class AssetBooleanCondition(BaseAsset):
    """Base class of AssetAll and AssetAny. Raises TypeError for a part that is no asset."""

    word: ClassVar[str] = ""

    def __init__(self, *objects: BaseAsset) -> None:
        for condition in objects:
            if not isinstance(condition, BaseAsset):
                raise TypeError(
                    f"{type(self).__name__}{format_location(find_author_location())} takes assets, not {condition!r} ({type(condition).__name__})."
                )
        self.objects: tuple[BaseAsset, ...] = objects

    def as_expression(self) -> Any:
        return {self.word: [condition.as_expression() for condition in self.objects]}

    def iter_assets(self) -> Iterator[tuple[AssetUniqueKey, Asset]]:
        for condition in self.objects:
            yield from condition.iter_assets()

    def iter_outlets(self) -> Iterator[BaseAsset]:
        for condition in self.objects:
            yield from condition.iter_outlets()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, AssetBooleanCondition) and self.objects == other.objects

    def __hash__(self) -> int:
        return hash((self.word, self.objects))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.objects))})"


class AssetAll(AssetBooleanCondition):
    """A condition that holds when all of its parts hold."""

    word = "all"

    def __and__(self, other: BaseAsset) -> AssetAll:
        return AssetAll(*self.objects, other) if isinstance(other, BaseAsset) else NotImplemented


class AssetAny(AssetBooleanCondition):
    """A condition that holds when one of its parts holds."""

    word = "any"

    def __or__(self, other: BaseAsset) -> AssetAny:
        return AssetAny(*self.objects, other) if isinstance(other, BaseAsset) else NotImplemented


class AssetWatcher:
    """A trigger that watches an asset outside Gnomon: each of its events becomes an event of the asset.

    Raises ValueError for a trigger that is not derived from BaseEventTrigger, and for a name that is empty or blank.
    """

    def __init__(self, name: str, trigger: BaseEventTrigger) -> None:
        where = find_author_location()
        _check_text(type(self).__name__, "name", name, where)
        if not isinstance(trigger, BaseEventTrigger):
            raise ValueError(
                f"AssetWatcher {name!r}{format_location(where)}: its trigger must be derived from BaseEventTrigger, and {trigger!r} "
                f"({type(trigger).__name__}) is not."
            )
        self.name = name
        self.trigger = trigger

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AssetWatcher) and self.name == other.name and self.trigger == other.trigger

    __hash__ = None  # type: ignore[assignment] # a trigger may change


class AssetAccessControl:
    """The teams that may use an asset. Gnomon has no teams: every DAG may."""

    def __init__(
        self,
        producer_teams: list[str] | None = None,
        consumer_teams: list[str] | None = None,
        allow_global: bool = True,
    ) -> None:
        for word, teams in (("producer_teams", producer_teams), ("consumer_teams", consumer_teams)):
            for team in teams or ():
                if not isinstance(team, str) or not team.strip():
                    raise ValueError(
                        f"each entry of {word} of AssetAccessControl{format_location(find_author_location())} must be a text that is not blank, not {team!r}"
                    )
        if not isinstance(allow_global, bool):
            raise TypeError(
                f"allow_global of AssetAccessControl{format_location(find_author_location())} must be True or False, not {allow_global!r}"
            )
        self.producer_teams = list(producer_teams or ())
        self.consumer_teams = consumer_teams
        self.allow_global = allow_global

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AssetAccessControl) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.allow_global)


class Metadata:
    """A value that a task yields: the extra data of the event of an asset, which it adds through `alias` if that is given."""

    def __init__(
        self, asset: BaseAsset, extra: dict[str, Any] | None = None, alias: AssetAlias | str | None = None
    ) -> None:
        self.asset = asset
        self.extra = {} if extra is None else extra
        self.alias = AssetAlias(alias) if isinstance(alias, str) else alias


def _check_watchers(asset: Asset) -> None:
    for watcher in asset.watchers:
        if not isinstance(watcher, AssetWatcher):
            raise TypeError(
                f"Asset {asset.name!r}{format_location(asset._location)}: watchers= is a list of AssetWatcher(name=..., trigger=...), and "
                f"{watcher!r} ({type(watcher).__name__}) is none."
            )


def _check_text(
    what: str, word: str, value: object, location: CodeLocation | None, *, may_be_empty: bool = False
) -> None:
    where = format_location(location)
    if not isinstance(value, str):
        raise ValueError(f"{what} {word}{where} must be a text, not {describe_value(value)}.")
    if len(value) > TEXT_MAX:
        raise ValueError(f"{what} {word} {value[:40]!r}...{where} has {len(value)} characters; it may have {TEXT_MAX}.")
    if value.isspace() or (not value and not may_be_empty):
        raise ValueError(f"{what} {word} {value!r}{where} must not be empty or blank.")
    if "\0" in value or (not value.isprintable() and any(0xD800 <= ord(sign) <= 0xDFFF for sign in value)):
        raise ValueError(f"{what} {word} {value!r}{where} has a character that the database cannot store.")


class AssetUniqueKey(NamedTuple):
    """The name and the URI of an asset."""

    name: str
    uri: str

    @classmethod
    def from_asset(cls, asset: Asset) -> AssetUniqueKey:
        """Return the key of the asset."""
        return cls(asset.name, asset.uri)

    def to_asset(self) -> Asset:
        """Return an asset with that name and URI."""
        return Asset(name=self.name, uri=self.uri)

    @staticmethod
    def from_profile(profile: Any) -> AssetUniqueKey:
        """Return the key of an object with `name` and `uri`, of which one may be empty. Raises ValueError when both are."""
        name, uri = profile.name or profile.uri, profile.uri or profile.name
        if not name:
            raise ValueError("name and uri cannot both be empty: give the asset a name or a uri")
        return AssetUniqueKey(name, uri)


class AssetAliasUniqueKey(NamedTuple):
    """The name of an alias."""

    name: str

    @classmethod
    def from_asset_alias(cls, asset_alias: AssetAlias) -> AssetAliasUniqueKey:
        """Return the key of the alias."""
        return cls(asset_alias.name)

    def to_asset_alias(self) -> AssetAlias:
        """Return an alias with that name."""
        return AssetAlias(self.name)
