"""Assets as plain data: what a file declares about them, the condition of a schedule, and the events of tasks.

An asset is identified by its name and its URI. A condition is a tree of `AllOf` and `AnyOf` over leaves; each leaf names what
a consumer waits for: an asset, an alias, or a reference to an asset that another file declares.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant


class AssetKey(msgspec.Struct, frozen=True, order=True, tag="asset"):
    """One asset: the leaf of a condition, an inlet or an outlet."""

    name: str
    uri: str


class AssetRefKey(msgspec.Struct, frozen=True, order=True, tag="ref"):
    """A reference to the asset with this name, or with this URI; exactly one of both is set."""

    name: str | None = None
    uri: str | None = None


class AliasKey(msgspec.Struct, frozen=True, order=True, tag="alias"):
    """An alias: a task adds assets under this name at run time."""

    name: str


AssetLeaf: TypeAlias = AssetKey | AssetRefKey | AliasKey
"""What a consumer can wait for, and what a task can name as inlet or outlet."""


class AllOf(msgspec.Struct, frozen=True, tag="all"):
    """Holds when all parts hold."""

    parts: tuple[AssetCondition, ...]


class AnyOf(msgspec.Struct, frozen=True, tag="any"):
    """Holds when at least one part holds."""

    parts: tuple[AssetCondition, ...]


AssetCondition: TypeAlias = AssetKey | AssetRefKey | AliasKey | AllOf | AnyOf


DEFAULT_GROUP = "asset"
"""The group of an asset or an alias for which the file gives none."""


class AssetDeclaration(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a DAG file says about one asset."""

    name: str
    uri: str
    group: str = DEFAULT_GROUP
    extra: dict[str, object] = {}
    place: str | None = None
    """`file:line` where the asset was made; for messages only."""

    @property
    def key(self) -> AssetKey:
        return AssetKey(self.name, self.uri)


class PartitionRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the partition keys of the events of one leaf become keys of the consumer's runs."""

    leaf: AssetLeaf
    mapper: dict[str, object]
    """The stored form of the mapper (`partitions.part_codec`)."""
    code: str = ""
    """A digest of the source of the classes of authors in it, so that an edit makes a new version; empty without such a class."""


class AssetEmission(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An event that a task asks for with its success; part of its `AttemptResult`."""

    asset: AssetKey
    extra: dict[str, object] = {}
    aliases: tuple[str, ...] = ()
    """The aliases through which the task added the asset, sorted."""
    partition_key: str | None = None


class AssetEventFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What happened to an asset, and where. The source is the task instance that succeeded; None for an event from outside."""

    asset: AssetKey
    at: Instant
    extra: dict[str, object] = {}
    aliases: tuple[str, ...] = ()
    source_dag_id: str | None = None
    source_task_id: str | None = None
    source_run_id: str | None = None
    source_map_index: int = UNMAPPED
    partition_key: str | None = None


class AssetEvent(AssetEventFacts, frozen=True, kw_only=True, omit_defaults=True):
    """A stored event."""

    event_pk: int


class NewAssetEvent(AssetEventFacts, frozen=True, kw_only=True, omit_defaults=True):
    """An event to store. `uid` makes it unique: a second event with the same uid is dropped."""

    uid: str


class QueuedAssetEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event in the queue of one consumer DAG: not yet consumed by a run of it."""

    event_pk: int
    at: Instant
    leaf: AssetLeaf
    """What the event satisfies: a leaf of the consumer's condition, as it was when the event was recorded."""
    partition_key: str | None = None


_encoder = msgspec.json.Encoder()
_leaf_decoder: msgspec.json.Decoder[AssetLeaf] = msgspec.json.Decoder(AssetLeaf)


def encode_leaf(leaf: AssetLeaf) -> str:
    """The leaf as JSON; equal leaves have equal texts."""
    return _encoder.encode(leaf).decode()


def decode_leaf(text: str) -> AssetLeaf:
    """The inverse of `encode_leaf`."""
    return _leaf_decoder.decode(text)
