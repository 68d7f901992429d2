"""Finds and deletes old rows that nothing uses any more: events of assets, and versions of DAGs.

The rows are found in a read transaction, so that a search through many rows that stay holds up no writer; only the deletion writes.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator

from gnomon.model.instants import SECOND, Instant
from gnomon.storage.store.database import Database

ROWS_PER_TRANSACTION = 1000

VERSION_SLACK_S = 3600
"""A version is deleted only if it was superseded this long before: a scheduler that has not read the newer one yet may create a run of it."""


class UnusedAssetEvents:
    """Events before an instant that every consumer has consumed and no stored run has consumed; the newest event of each asset stays.

    A run that consumed an event keeps it: `triggering_asset_events` is the same when the run is cleared.
    """

    def __init__(self, db: Database, before: Instant) -> None:
        self._db = db
        self._before = before
        self._after = 0

    def count(self) -> int:
        """How many events would be deleted."""
        with self._db.read() as tx:
            row = tx.one("housekeeping.count_unused_asset_events", before=self._before)
            return 0 if row is None else int(row[0])

    def delete(self) -> int:
        """Delete the next ones, at most ROWS_PER_TRANSACTION in one transaction; returns how many, 0 at the end.

        An event cannot get into use again: it enters the queues of its consumers in the transaction that inserts it.
        """
        with self._db.read() as tx:
            rows = tx.all(
                "housekeeping.unused_asset_events", before=self._before, after=self._after, limit=ROWS_PER_TRANSACTION
            )
        if not rows:
            return 0
        with self._db.write() as tx:
            tx.send_many(
                "housekeeping.remove_event_aliases",
                [(alias, event_pk) for event_pk, aliases in rows for alias in dict.fromkeys(json.loads(aliases))],
            )
            tx.send_many("housekeeping.remove_asset_events", [(event_pk,) for event_pk, _ in rows])
        self._after = rows[-1][0]
        return len(rows)


class UnusedDagVersions:
    """Versions that a newer one superseded before an instant, and that no run and no task instance refers to."""

    def __init__(self, db: Database, before: Instant) -> None:
        self._db = db
        self._before = before - VERSION_SLACK_S * SECOND
        self._batches = self._find_batches()

    def count(self) -> int:
        """How many versions would be deleted."""
        return sum(len(batch) for batch in self._find_batches())

    def delete(self) -> int:
        """Delete the next ones, at most ROWS_PER_TRANSACTION of one DAG in one transaction; returns how many, 0 at the end."""
        batch = next(self._batches, None)
        if batch is None:
            with self._db.write() as tx:
                tx.run("housekeeping.remove_unused_sources", before=self._before)
            return 0
        with self._db.write() as tx:
            tx.send_many("housekeeping.remove_versions", [(version_pk,) for version_pk in batch])
        return len(batch)

    def _find_batches(self) -> Iterator[list[int]]:
        superseded: dict[int, list[int]] = defaultdict(list)
        with self._db.read() as tx:
            for dag_pk, version_pk in tx.all("housekeeping.superseded_versions", before=self._before):
                superseded[dag_pk].append(version_pk)
        for dag_pk, versions in superseded.items():
            with self._db.read() as tx:
                used = {version_pk for (version_pk,) in tx.all("housekeeping.used_versions", dag_pk=dag_pk)}
            unused = [version_pk for version_pk in versions if version_pk not in used]
            for start in range(0, len(unused), ROWS_PER_TRANSACTION):
                yield unused[start : start + ROWS_PER_TRANSACTION]
