"""The register of dag-processors, on both databases."""

from __future__ import annotations

from gnomon.storage.store import Database
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.coordination.leases import RETENTION_S


def test_a_beat_is_seen_renewed_and_ends_with_its_process(db: Database) -> None:
    with db.write() as tx:
        leases.beat_dag_processor(tx, "one", "here")
        leases.beat_dag_processor(tx, "two", "there")
    with db.write() as tx:
        leases.beat_dag_processor(tx, "one", "here")
    with db.read() as tx:
        known = leases.list_dag_processors(tx)
    assert {(row.processor_id, row.host) for row in known} == {("one", "here"), ("two", "there")}
    assert known[0].beat_at >= known[1].beat_at
    with db.write() as tx:
        leases.retire_dag_processor(tx, "one")
    with db.read() as tx:
        assert [row.processor_id for row in leases.list_dag_processors(tx)] == ["two"]


def test_one_that_was_silent_for_long_is_forgotten_by_the_next_beat(db: Database) -> None:
    with db.write() as tx:
        long_ago = tx.lease_now() - round((RETENTION_S + 1) * 1_000_000)
        tx.run("leases.beat_dag_processor", id="old", host="here", now=long_ago)
    with db.write() as tx:
        leases.beat_dag_processor(tx, "new", "here")
    with db.read() as tx:
        assert [row.processor_id for row in leases.list_dag_processors(tx)] == ["new"]
