"""Specs as `dag_version` holds them: compressed JSON, in which the arguments of triggers that tasks start from are sealed."""

from __future__ import annotations

import zlib
from collections.abc import Callable

import msgspec

from gnomon.model.deferral import NOTHING, Wait
from gnomon.model.spec import DagSpec
from gnomon.store.transaction import Transaction

_COMPRESSION = 1
"""Specs are written more often than they are read twice; the fastest level keeps most of the gain."""
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(DagSpec)
_parts_decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])


def pack_spec(tx: Transaction, spec: DagSpec) -> bytes:
    """A spec as `dag_version` holds it."""
    sealed = _with_starts(spec, lambda text: tx.cipher.seal(text))  # noqa: PLW0108 - most specs need no key
    return zlib.compress(_encoder.encode(sealed), _COMPRESSION)


def unpack_spec(tx: Transaction, packed: bytes) -> DagSpec:
    """The spec of a `dag_version`."""
    sealed = _decoder.decode(zlib.decompress(packed))
    return _with_starts(sealed, lambda text: tx.cipher.open(text))  # noqa: PLW0108 - most specs need no key


def unpack_bare(packed: bytes) -> DagSpec:
    """The spec of a `dag_version` without its tasks: a glance at a DAG of any width."""
    parts = _parts_decoder.decode(zlib.decompress(packed))
    parts.pop("tasks", None)
    return _decoder.decode(_encoder.encode(parts))


def holds_spec(tx: Transaction, packed: bytes, spec: DagSpec) -> bool:
    """Whether `pack_spec` of this spec would hold the same."""
    if _starts(spec):
        return _encoder.encode(unpack_spec(tx, packed)) == _encoder.encode(spec)  # no two seals of a text are equal
    return zlib.decompress(packed) == _encoder.encode(spec)


def _starts(spec: DagSpec) -> bool:
    return any(task.start_wait is not None for task in spec.tasks)


def _with_starts(spec: DagSpec, change: Callable[[str], str]) -> DagSpec:
    """The spec with the arguments of its start waits changed; the key is asked for only where there are some."""
    if not _starts(spec):
        return spec
    tasks = (
        task if task.start_wait is None else msgspec.structs.replace(task, start_wait=_changed(task.start_wait, change))
        for task in spec.tasks
    )
    return msgspec.structs.replace(spec, tasks=tuple(tasks))


def _changed(wait: Wait, change: Callable[[str], str]) -> Wait:
    kwargs, next_kwargs = (text if text == NOTHING else change(text) for text in (wait.kwargs, wait.next_kwargs))
    return msgspec.structs.replace(wait, kwargs=kwargs, next_kwargs=next_kwargs)
