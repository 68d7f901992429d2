"""One element of an XCom, for each instance of a task that is mapped over it.

The elements of the last values stay in memory, so that the cost of an instance does not grow with the number of instances.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

from gnomon.ground.clock import SystemClock
from gnomon.model.attempts import BACKEND_VALUE, RETURN_VALUE, Attempt, XComElement
from gnomon.model.serde.containers import SplitContainer, split_container
from gnomon.model.task_api_requests import GetXComElement
from gnomon.storage import store
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.dag_records import xcom_values as stored
from gnomon.storage.store.dag_records.xcom_values import XComOrigin

CACHED_BYTES = 16 * 1024 * 1024
"""The elements that are kept for later requests take at most about so many bytes; a larger value is split for each request."""
TRUSTED_S = 1.0
"""After this time a kept value is compared with the stored one, which `gnomon xcom set` may have replaced."""
SENT_CHARACTERS = 64 * 1024
"""A longer element is not sent with an attempt: the attempt asks for it."""
_ELEMENT_BYTES = 60
"""What an element takes beside its text."""

_clock = SystemClock()


class ContainerKey(NamedTuple):
    """A value, by the attempt that pushed it."""

    run_pk: int
    task_id: str
    key: str
    seq: int
    defer_seq: int


@dataclass(slots=True)
class CachedContainer:
    """A container, and what tells whether it is still the stored value."""

    container: SplitContainer
    size: int
    """What it takes, in bytes."""
    digest: int
    """The hash of the text that was split."""
    read_at_s: float
    """When the text was last read, in monotonic seconds."""


class ContainerCache:
    """The containers that were used last; together at most `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._entries: OrderedDict[ContainerKey, CachedContainer] = OrderedDict()

    def find(self, key: ContainerKey, now_s: float) -> SplitContainer | None:
        """Return the container; None when it is not kept, or was read more than TRUSTED_S ago."""
        entry = self._entries.get(key)
        if entry is None or now_s - entry.read_at_s > TRUSTED_S:
            return None
        self._entries.move_to_end(key)
        return entry.container

    def find_text(self, key: ContainerKey, text: str, now_s: float) -> SplitContainer | None:
        """Return the container if it was split from this text, which was read now."""
        entry = self._entries.get(key)
        if entry is None or entry.digest != hash(text):
            return None
        entry.read_at_s = now_s
        return entry.container

    def put(self, key: ContainerKey, container: SplitContainer, text: str, now_s: float) -> None:
        """Keep the container of this text, and drop those that were not used for longest. One that is larger than the limit is not kept."""
        size = sum(map(len, container.elements)) + _ELEMENT_BYTES * (len(container.elements) + 1)
        self._drop(key)
        if size > self._limit:
            return
        self._size += size
        self._entries[key] = CachedContainer(container, size, hash(text), now_s)
        while self._size > self._limit:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: ContainerKey) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._size -= entry.size


_caches: WeakKeyDictionary[store.Database, ContainerCache] = WeakKeyDictionary()


def get_xcom_element(database: store.Database, request: GetXComElement) -> object:
    """A mapping as GetXComElement describes it; None when there is no container."""
    cache, now_s = _find_cache(database), _clock.monotonic()
    with database.autocommit() as tx:
        origin = _find_origin(tx, request)
    if origin is None:
        return None
    container = cache.find(_build_key(request, origin), now_s) if origin.ended_at is not None else None
    if container is None:
        with database.read() as tx:
            container = _read_container(tx, request, cache, now_s)
    if container is None:
        return None
    return {
        "container": container.kind,
        "length": len(container.elements),
        "value": _decode_element(container, request.number),
    }


def read_elements(database: store.Database, attempt: Attempt) -> tuple[XComElement, ...]:
    """The elements of `attempt.elements`, without those that the attempt has to ask for: of a value that is no container or that was replaced.

    Reads the store only for a value that this process has not read within the last TRUSTED_S.
    """
    cache, now_s = _find_cache(database), _clock.monotonic()
    run, elements = attempt.run, []
    for source in attempt.elements:
        key = ContainerKey(run.run_pk, source.task_id, RETURN_VALUE, source.seq, source.defer_seq)
        container = cache.find(key, now_s)
        if container is None:
            request = GetXComElement(
                dag_id=run.dag_id, run_id=run.run_id, task_id=source.task_id, key=RETURN_VALUE, number=source.number
            )
            with database.read() as tx:
                container = _read_container(tx, request, cache, now_s, key)
        if container is None:
            continue
        value = _decode_element(container, source.number)
        if value is None or len(value) <= SENT_CHARACTERS:
            elements.append(
                XComElement(
                    task_id=source.task_id,
                    number=source.number,
                    container=container.kind,
                    length=len(container.elements),
                    value=value,
                )
            )
    return tuple(elements)


def _find_cache(database: store.Database) -> ContainerCache:
    cache = _caches.get(database)
    if cache is None:
        cache = _caches[database] = ContainerCache(CACHED_BYTES)
    return cache


def _decode_element(container: SplitContainer, number: int) -> str | None:
    return container.elements[number].decode() if 0 <= number < len(container.elements) else None


def _find_origin(tx: store.Transaction, request: GetXComElement) -> XComOrigin | None:
    return stored.find_origin(tx, request.dag_id, request.run_id, request.task_id, request.key)


def _build_key(request: GetXComElement, origin: XComOrigin) -> ContainerKey:
    return ContainerKey(origin.run_pk, request.task_id, request.key, origin.seq, origin.defer_seq)


def _read_container(
    tx: store.Transaction,
    request: GetXComElement,
    cache: ContainerCache,
    now_s: float,
    wanted_key: ContainerKey | None = None,
) -> SplitContainer | None:
    """Read and split the value, and keep it if its task has ended. Origin and value are of one snapshot. `wanted_key`: None for a value of another attempt."""
    origin, run = _find_origin(tx, request), dag_runs.find_stored_run(tx, request.dag_id, request.run_id)
    if origin is None or run is None:
        return None
    key = _build_key(request, origin)
    if wanted_key is not None and (key != wanted_key or origin.ended_at is None):
        return None
    values = stored.read_xcoms(tx, run, request.key, (request.task_id,))
    if len(values) != 1 or BACKEND_VALUE in values[0].value:
        return None
    text = values[0].value
    if origin.ended_at is None:
        return split_container(text)
    container = cache.find_text(key, text, now_s)
    if container is None:
        container = split_container(text)
        if container is not None:
            cache.put(key, container, text, now_s)
    return container
