"""One element of an XCom, for each instance of a task that is mapped over it.

The elements of the last values stay in memory, so that the cost of an instance does not grow with the number of instances.
"""

from __future__ import annotations

from collections import OrderedDict
from weakref import WeakKeyDictionary

from gnomon import store
from gnomon.model.attempts import BACKEND_VALUE
from gnomon.model.task_api_requests import GetXComElement
from gnomon.serde.containers import SplitContainer, split_container
from gnomon.store.dag_records import dag_runs
from gnomon.store.dag_records import xcom_values as stored
from gnomon.store.dag_records.xcom_values import XComOrigin

CACHED_BYTES = 16 * 1024 * 1024
"""The elements that are kept for later requests take at most about so many bytes; a larger value is split for each request."""
_ELEMENT_BYTES = 60
"""What an element takes beside its text."""


class ContainerCache:
    """The containers that were used last, by the origin of their XCom; together at most `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._entries: OrderedDict[XComOrigin, tuple[SplitContainer, int]] = OrderedDict()

    def find(self, origin: XComOrigin) -> SplitContainer | None:
        """Return the container; None when it is not kept."""
        if origin not in self._entries:
            return None
        self._entries.move_to_end(origin)
        return self._entries[origin][0]

    def put(self, origin: XComOrigin, container: SplitContainer) -> None:
        """Keep the container, and drop those that were not used for longest. One that is larger than the limit is not kept."""
        size = sum(map(len, container.elements)) + _ELEMENT_BYTES * (len(container.elements) + 1)
        if size > self._limit:
            return
        self._size += size - self._entries.pop(origin, (container, 0))[1]
        self._entries[origin] = container, size
        while self._size > self._limit:
            _, (_, dropped) = self._entries.popitem(last=False)
            self._size -= dropped


_caches: WeakKeyDictionary[store.Database, ContainerCache] = WeakKeyDictionary()


def get_xcom_element(database: store.Database, request: GetXComElement) -> object:
    """A mapping as GetXComElement describes it; None when there is no container."""
    cache = _caches.setdefault(database, ContainerCache(CACHED_BYTES))
    with database.autocommit() as tx:
        origin = _find_origin(tx, request)
    container = None if origin is None else cache.find(origin)
    if container is None and origin is not None:
        with database.read() as tx:
            container = _read_container(tx, request, cache)
    if container is None:
        return None
    value = container.elements[request.number].decode() if 0 <= request.number < len(container.elements) else None
    return {"container": container.kind, "length": len(container.elements), "value": value}


def _find_origin(tx: store.Transaction, request: GetXComElement) -> XComOrigin | None:
    return stored.find_origin(tx, request.dag_id, request.run_id, request.task_id, request.key)


def _read_container(tx: store.Transaction, request: GetXComElement, cache: ContainerCache) -> SplitContainer | None:
    """Read and split the value, and keep it if its task has ended. Origin and value are of one snapshot."""
    origin, run = _find_origin(tx, request), dag_runs.find_stored_run(tx, request.dag_id, request.run_id)
    if origin is None or run is None:
        return None
    values = stored.read_xcoms(tx, run, request.key, (request.task_id,))
    if len(values) != 1 or BACKEND_VALUE in values[0].value:
        return None
    container = split_container(values[0].value)
    if container is not None and origin.ended_at is not None:
        cache.put(origin, container)
    return container
