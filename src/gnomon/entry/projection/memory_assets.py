"""The queues of asset events of consumer DAGs, and the statements over them."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gnomon.entry.projection.memory_runs import MemoryRuns, MemoryStatement
from gnomon.model.assets import QueuedAssetEvent, encode_leaf
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.rules.assets.conditions import iter_leaves
from gnomon.storage.store.transaction import Row


class _QueuedEvent(NamedTuple):
    event_pk: int
    at: Instant
    partition_key: str | None


class MemoryAssets:
    """By consumer and leaf the events that no run has consumed."""

    def __init__(self, runs: MemoryRuns) -> None:
        self._runs = runs
        self._consumers: dict[str, dict[int, int]] = defaultdict(dict)
        """By leaf: dag_pk to the group of the DAG."""
        self._queues: dict[int, dict[str, dict[int, _QueuedEvent]]] = defaultdict(lambda: defaultdict(dict))
        """By dag_pk, leaf and event_pk."""
        self._published: dict[str, _QueuedEvent] = {}
        """By uid: the events of the present publication."""
        self._event_pks = itertools.count(1)
        self.mail: list[tuple[int, ...]] = []
        """The DAGs that each message about events names."""

    def statements(self) -> Mapping[str, MemoryStatement]:
        """By the names in `storage/store/sql`."""
        return {
            "asset_events.add": self.add_events,
            "asset_events.consumers": self.list_consumers,
            "asset_events.enqueue": self.enqueue,
            "asset_queue.satisfied": self.list_satisfied,
            "asset_queue.lock_consumer": self.lock_consumer,
            "asset_queue.of_leaf": self.list_of_leaf,
            "asset_queue.remove": self.remove,
            "mailbox.send": self.send_mail,
        }

    def put_dag(self, record: DagRecord) -> None:
        """Register what the newest version of the DAG is scheduled by."""
        for consumers in self._consumers.values():
            consumers.pop(record.dag_pk, None)
        condition = record.spec.asset_condition
        for leaf in () if condition is None else iter_leaves(condition):
            self._consumers[encode_leaf(leaf)][record.dag_pk] = record.group_no

    def put_queue(self, dag_pk: int, events: Iterable[QueuedAssetEvent]) -> None:
        """The events that no run of the DAG has consumed before the projection."""
        newest = 0
        for event in sorted(events, key=lambda event: event.event_pk):
            queued = _QueuedEvent(event.event_pk, event.at, event.partition_key)
            self._queues[dag_pk][encode_leaf(event.leaf)][event.event_pk] = queued
            newest = max(newest, event.event_pk)
        self._event_pks = itertools.count(max(newest + 1, next(self._event_pks)))

    def add_events(self, rows: Sequence[Row]) -> int:
        """Events that are put into queues next."""
        self._published = {
            row[1]: _QueuedEvent(next(self._event_pks), row[4], row[11]) for row in sorted(rows, key=lambda row: row[0])
        }
        return len(rows)

    def list_consumers(self, *, leaves: Sequence[str]) -> list[Row]:
        """The DAGs that are scheduled by these leaves."""
        return [
            (leaf, dag_pk, group) for leaf in leaves for dag_pk, group in sorted(self._consumers.get(leaf, {}).items())
        ]

    def enqueue(self, rows: Sequence[Row]) -> int:
        """Put events into the queues of consumers."""
        for dag_pk, leaf, uid in rows:
            event = self._published[uid]
            self._queues[dag_pk][leaf][event.event_pk] = event
        return len(rows)

    def send_mail(self, rows: Sequence[Row]) -> int:
        """A message to the owner of consumers."""
        for _, kind, _, body, _ in rows:
            assert kind == "asset_events", kind
            self.mail.append(tuple(json.loads(body)["dag_pks"]))
        return len(rows)

    def list_satisfied(self, *, keys: str) -> list[Row]:
        """The pairs of DAG and leaf that have an event."""
        return [(dag_pk, leaf) for dag_pk, leaf in json.loads(keys) if self._queues[dag_pk][leaf]]

    def lock_consumer(self, *, dag_pk: int) -> list[Row]:
        """The group and the version of the DAG, if runs may be created for it."""
        record = self._runs.get_record(dag_pk)
        is_held = record.paused or not record.active or record.dependency_error is not None
        return [] if is_held else [(record.group_no, record.version_pk)]

    def list_of_leaf(self, *, dag_pk: int, leaf: str, limit: int) -> list[Row]:
        """The oldest events of a leaf."""
        return list(itertools.islice(self._queues[dag_pk][leaf].values(), limit))

    def remove(self, rows: Sequence[Row]) -> int:
        """Delete events from queues; returns the number that were there."""
        return sum(self._queues[dag_pk][leaf].pop(event_pk, None) is not None for dag_pk, leaf, event_pk in rows)
