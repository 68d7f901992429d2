"""The base class of mappers, and those that know nothing about time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar, Self

from gnomon.rules.partitions.part_codec import PartitionPart, builtin_part, decode_part, encode_part


class PartitionMapper(PartitionPart):
    """Maps the partition key of an upstream event to the keys of the consumer's runs. Subclasses define `to_downstream`.

    `decode_downstream` and `encode_upstream` are a pair for roll-ups: from the key of a run to what the window takes, and from a member of
    the window to an upstream key.
    """

    is_rollup: ClassVar[bool] = False
    expected_decoded_type: ClassVar[type] = str
    """The type that `decode_downstream` returns."""
    max_downstream_keys: int | None = None

    def __init__(self, *, max_downstream_keys: int | None = None) -> None:
        """`max_downstream_keys`: most keys of one event; None: `[scheduler] partition_mapper_max_downstream_keys`."""
        invalid = (
            isinstance(max_downstream_keys, bool) or not isinstance(max_downstream_keys, int) or max_downstream_keys < 1
        )
        if max_downstream_keys is not None and invalid:
            raise ValueError(f"max_downstream_keys must be a positive integer or None, got {max_downstream_keys!r}")
        self.max_downstream_keys = max_downstream_keys

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        decodes = cls.decode_downstream is not PartitionMapper.decode_downstream
        encodes = cls.encode_upstream is not PartitionMapper.encode_upstream
        if decodes != encodes:
            raise TypeError(
                f"{cls.__qualname__} overrides only one side of the decode/encode pair: define decode_downstream and encode_upstream "
                "together, or neither"
            )

    def to_downstream(self, key: str) -> str | Iterable[str]:
        """The keys of the consumer's runs to which an upstream key belongs; one text, or several."""
        raise NotImplementedError(
            f"{type(self).__name__} lacks to_downstream(self, key) -> str | Iterable[str]; define it"
        )

    def decode_downstream(self, downstream_key: str) -> Any:
        """What the window takes, for the key of a run."""
        return downstream_key

    def encode_upstream(self, decoded: Any) -> str:
        """The upstream key of a member of the window."""
        return str(decoded)

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        """The start (aware) of the period that the key of a run names; None when it names none."""
        return None

    def carry_partition_date(self, source_partition_date: datetime | None) -> datetime | None:
        """The date that the consumer's run takes over from the run of the event."""
        return None

    def serialize(self) -> dict[str, Any]:
        return {} if self.max_downstream_keys is None else {"max_downstream_keys": self.max_downstream_keys}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(max_downstream_keys=data.get("max_downstream_keys"))


@builtin_part
class IdentityMapper(PartitionMapper):
    """The same key."""

    def to_downstream(self, key: str) -> str:
        return key

    def carry_partition_date(self, source_partition_date: datetime | None) -> datetime | None:
        return source_partition_date


@builtin_part
class AllowedKeyMapper(PartitionMapper):
    """The same key, which must be one of a list; another is a ValueError."""

    def __init__(self, allowed_keys: Iterable[str], *, max_downstream_keys: int | None = None) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        if isinstance(allowed_keys, str):
            raise TypeError(
                f"AllowedKeyMapper takes a list of keys, not the text {allowed_keys!r}; write AllowedKeyMapper([{allowed_keys!r}])"
            )
        self.allowed_keys = list(allowed_keys)

    def to_downstream(self, key: str) -> str:
        if key not in self.allowed_keys:
            raise ValueError(
                f"Key {key!r} not in allowed keys {self.allowed_keys}; add it to AllowedKeyMapper, or record the event with one of them"
            )
        return key

    def serialize(self) -> dict[str, Any]:
        return {"allowed_keys": self.allowed_keys, **super().serialize()}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(data["allowed_keys"], max_downstream_keys=data.get("max_downstream_keys"))


@builtin_part
class FixedKeyMapper(PartitionMapper):
    """One key for all upstream keys."""

    def __init__(self, downstream_key: str, *, max_downstream_keys: int | None = None) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        if not isinstance(downstream_key, str) or not downstream_key:
            raise ValueError(f"FixedKeyMapper downstream_key must be a non-empty str; got {downstream_key!r}.")
        self.downstream_key = downstream_key

    def to_downstream(self, key: str) -> str:
        return self.downstream_key

    def serialize(self) -> dict[str, Any]:
        return {"downstream_key": self.downstream_key, **super().serialize()}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(data["downstream_key"], max_downstream_keys=data.get("max_downstream_keys"))


@builtin_part
class ChainMapper(PartitionMapper):
    """Several mappers, each applied to the keys of the one before."""

    def __init__(
        self,
        mapper0: PartitionMapper,
        mapper1: PartitionMapper,
        /,
        *mappers: PartitionMapper,
        max_downstream_keys: int | None = None,
    ) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        self.mappers = [mapper0, mapper1, *mappers]

    def to_downstream(self, key: str) -> str | Iterable[str]:
        keys = [key]
        for mapper in self.mappers:
            keys = [mapped for mapped_key in keys for mapped in list_mapped_keys(mapper, mapped_key)]
        return keys[0] if len(keys) == 1 else keys

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        return self.mappers[-1].to_partition_date(downstream_key)

    def serialize(self) -> dict[str, Any]:
        return {"mappers": [encode_part(mapper) for mapper in self.mappers], **super().serialize()}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(
            *(decode_part(mapper_data) for mapper_data in data["mappers"]),
            max_downstream_keys=data.get("max_downstream_keys"),
        )


@builtin_part
class ProductMapper(PartitionMapper):
    """A key of several parts: each part has a mapper of its own, which gives one key."""

    def __init__(
        self,
        mapper0: PartitionMapper,
        mapper1: PartitionMapper,
        /,
        *mappers: PartitionMapper,
        delimiter: str = "|",
        max_downstream_keys: int | None = None,
    ) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        if not delimiter:
            raise ValueError("ProductMapper needs a delimiter of at least one character")
        self.mappers = [mapper0, mapper1, *mappers]
        self.delimiter = delimiter

    def to_downstream(self, key: str) -> str:
        parts = key.split(self.delimiter)
        if len(parts) != len(self.mappers):
            raise ValueError(
                f"Expected {len(self.mappers)} segments in key, got {len(parts)}: {key!r}; a key of ProductMapper has one segment for each mapper, with {self.delimiter!r} between them"
            )
        mapped = []
        for mapper, part in zip(self.mappers, parts, strict=True):
            mapped_part = mapper.to_downstream(part)
            if not isinstance(mapped_part, str):
                raise TypeError(
                    f"ProductMapper child mappers must return a single key, but {type(mapper).__name__} returned multiple keys for {part!r}; use another mapper"
                )
            mapped.append(mapped_part)
        return self.delimiter.join(mapped)

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        """The date of the only part that has one."""
        parts = downstream_key.split(self.delimiter)
        if len(parts) != len(self.mappers):
            return None
        dates = [
            date
            for mapper, part in zip(self.mappers, parts, strict=True)
            if (date := mapper.to_partition_date(part)) is not None
        ]
        return dates[0] if len(dates) == 1 else None

    def serialize(self) -> dict[str, Any]:
        return {
            "delimiter": self.delimiter,
            "mappers": [encode_part(mapper) for mapper in self.mappers],
            **super().serialize(),
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        mappers = (decode_part(mapper_data) for mapper_data in data["mappers"])
        return cls(*mappers, delimiter=data.get("delimiter", "|"), max_downstream_keys=data.get("max_downstream_keys"))


def list_mapped_keys(mapper: PartitionMapper, key: str, max_count: int | None = None) -> list[str]:
    """The keys of the consumer's runs, each once, at most `max_count`. Raises TypeError when the mapper returns something else than texts."""
    mapped = mapper.to_downstream(key)
    if isinstance(mapped, str):
        return [mapped]
    if not isinstance(mapped, Iterable):
        raise TypeError(
            f"{type(mapper).__name__}.to_downstream({key!r}) must return a string or iterable of strings, but returned {type(mapped).__name__}"
        )
    keys: dict[str, None] = {}
    for count, mapped_key in enumerate(mapped, 1):
        if not isinstance(mapped_key, str):
            raise TypeError(
                f"{type(mapper).__name__}.to_downstream({key!r}) must return an iterable of strings, but yielded {type(mapped_key).__name__}"
            )
        keys[mapped_key] = None
        if max_count is not None and len(keys) >= max_count:
            break
        if count >= YIELDED_MAX:
            raise TypeError(
                f"{type(mapper).__name__}.to_downstream({key!r}) yielded {count} keys, most of them several times; let it end"
            )
    return list(keys)


YIELDED_MAX = 100_000
"""Keys that a mapper may yield for one upstream key, repeated ones counted."""
