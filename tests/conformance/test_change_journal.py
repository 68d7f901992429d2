"""The journal of changes on both databases: what is recorded, in which order it is read, and what a reader learns of missing keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conformance.storeworld import AT, World, parsed, slot, spec
from tests.databases import BOTH, new_database
from tests.patience import PATIENCE_S

from gnomon.ground.clock import VirtualClock
from gnomon.model.accounts import Author
from gnomon.model.assets import AssetKey, NewAssetEvent
from gnomon.model.backfills import BackfillRecord
from gnomon.model.records import Changes, PlanChange, TaskRecord
from gnomon.model.spec import ParseFailure
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.queries.report.activity.change_feed import ChangeEvent, ChangeFeed
from gnomon.queries.report.listings.dag_facts import VersionFactsCache
from gnomon.storage.store import Database, change_journal, open_database
from gnomon.storage.store.admin import pools
from gnomon.storage.store.asset_records.asset_events import publish_events
from gnomon.storage.store.dag_records import backfills, dags
from gnomon.storage.store.ownership import backfill_runs, commit
from gnomon.storage.store.parsed_files import dag_files


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with new_database(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def world(url: str) -> Iterator[World]:
    db = open_database(url)
    yield World(db)
    db.close()


def begin(world: World) -> ChangeFeed:
    """A feed that has read everything."""
    feed = ChangeFeed(VersionFactsCache())
    with world.db.read() as tx:
        feed.begin(tx, 0)
    return feed


def read(db: Database, feed: ChangeFeed) -> list[ChangeEvent]:
    with db.autocommit() as tx:
        return feed.read_next(tx)


def told(events: list[ChangeEvent]) -> list[tuple[object, ...]]:
    """The kinds and the values of the fields, without times."""
    return [(event.kind, *(value for name, value in event.data.items() if name != "at")) for event in events]


def test_each_change_is_told_once_in_the_order_of_the_commits(world: World) -> None:
    dag = world.dag("d", tags=("nightly",))
    feed = begin(world)
    run = world.run("d", "m")
    run.state = DagRunState.RUNNING
    world.apply(
        Changes(
            runs=[run],
            tasks=[TaskRecord(run.run_pk, dag.task_numbers["b"], 3, TaskInstanceState.RUNNING, try_number=2)],
        )
    )
    events = read(world.db, feed)
    assert told(events) == [
        ("dag_run", "d", "m", "queued"),
        ("dag_run", "d", "m", "running"),
        ("task_instance", "d", "m", "b", 3, "running", 2),
    ]
    assert {(label.dag_id, label.tags) for event in events for label in event.dags} == {("d", ("nightly",))}
    places = [(event.change_pk, event.number) for event in events]
    assert places == sorted(places)
    assert len(set(places)) == 3
    assert read(world.db, feed) == []


def test_what_is_rolled_back_is_not_told(world: World) -> None:
    dag = world.dag("d")
    feed = begin(world)
    with pytest.raises(RuntimeError), world.db.write() as tx:
        pools.set_pool(tx, "p", 1)
        raise RuntimeError
    with world.db.write() as tx:
        pools.set_pool(tx, "kept", 1)
        with pytest.raises(RuntimeError), tx.savepoint():
            dags.set_paused(tx, dag.dag_id, True, "me", AT)
            raise RuntimeError
    assert told(read(world.db, feed)) == [("pool", "kept", "updated")]


def test_every_kind_of_change_is_recorded(world: World) -> None:
    feed = begin(world)
    world.record(parsed("/dags/x.py", spec("x"), failures=(ParseFailure(kind="dag", message="m"),)))
    assert told(read(world.db, feed)) == [("dag", "x", "updated"), ("import_error", "/dags/x.py", 1)]
    world.record(parsed("/dags/x.py", spec("x")))
    assert told(read(world.db, feed)) == [("import_error", "/dags/x.py", 0)]
    dag = world.read_dag("x")
    with world.db.write() as tx:
        dags.set_paused(tx, "x", True, "me", AT)
        dags.set_paused(tx, "x", False, "me", AT)
        pools.set_pool(tx, "p", 1)
        pools.delete_pool(tx, "p")
        publish_events(
            tx,
            [
                NewAssetEvent(
                    uid="u",
                    asset=AssetKey("a", "s3://a"),
                    at=AT,
                    source_dag_id="x",
                    source_task_id="a",
                    source_run_id="r",
                    source_map_index=-1,
                )
            ],
        )
    assert told(read(world.db, feed)) == [
        ("dag", "x", "paused"),
        ("dag", "x", "unpaused"),
        ("pool", "p", "updated"),
        ("pool", "p", "deleted"),
        ("asset_event", "a", "s3://a", "x", "r", "a"),
    ]
    with world.db.write() as tx:
        made = backfills.create_backfill(
            tx, BackfillRecord(0, dag.dag_pk, dag.group_no, AT, AT + 9, "none", 1, False, {}, AT, "me")
        )
        backfills.cancel_backfill(tx, made, Author("me", AT))
        assert backfill_runs.end_backfill(tx, made.backfill_pk, AT)
    assert told(read(world.db, feed)) == [
        ("backfill", "x", made.backfill_pk, what) for what in ("created", "cancelled", "ended")
    ]
    dag = world.read_dag("x")
    with world.db.write() as tx:
        planned = commit.create_planned_runs(
            tx, [PlanChange(dag.dag_pk, dag.group_no, dag.plan_seq, None, None, "f", (slot(1),), dag.version_pk)], AT
        )
    assert told(read(world.db, feed)) == [("dag_run", "x", "scheduled__1", "queued")]
    with world.db.write() as tx:
        commit.delete_runs(tx, [planned[0].created[0].run_pk])
    assert told(read(world.db, feed)) == [("dag_run", "x", "scheduled__1", "deleted")]
    with world.db.write() as tx:
        dag_files.record_deleted_files(tx, ["/dags/x.py"], AT)
    with world.db.write() as tx:
        commit.delete_dags(tx, [dag.dag_pk])
    assert told(read(world.db, feed)) == [("dag", "x", "deactivated"), ("dag", "x", "deleted")]


def test_many_task_instances_of_one_commit_are_told_as_their_number(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_journal, "TASKS_LISTED_MAX", 3)
    dag = world.dag("d")
    run = world.run("d", "m")
    feed = begin(world)
    world.apply(
        Changes(
            tasks=[
                TaskRecord(run.run_pk, dag.task_numbers["a"], index, TaskInstanceState.RUNNING) for index in range(4)
            ]
        )
    )
    assert told(read(world.db, feed)) == [("task_instances", "d", "m", 4)]


def test_a_reader_that_is_too_late_learns_that_it_has_lost_something(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_journal, "ROWS_KEPT", 3)
    monkeypatch.setattr(change_journal, "TRIMMED_EVERY", 2)
    feed = begin(world)
    for number in range(10):
        with world.db.write() as tx:
            pools.set_pool(tx, f"p{number}", 1)
    events = read(world.db, feed)
    assert (feed.has_lost, [event.data["pool"] for event in events][-1], len(events) <= 4) == (True, "p9", True)


@pytest.mark.postgres
@pytest.mark.parametrize("commits", [True, False])
def test_a_key_that_is_not_visible_yet_is_waited_for(tmp_path: Path, commits: bool) -> None:
    """On PostgreSQL the first of two transactions takes its key first, and commits last or never."""
    with new_database("postgresql", tmp_path) as url:
        first, second = open_database(url), open_database(url)
        world = World(first)
        with second.write() as other:
            pools.set_pool(other, "before", 1)
        with second.read() as reading:
            settled = change_journal.read_settled_key(reading)
        feed = begin(world)
        writing = first.write()
        tx = writing.__enter__()
        pools.set_pool(tx, "first", 1)
        change_journal.write_row(tx, AT, trims=False)
        tx.change_entries.clear()
        tx.flush()
        with second.write() as other:
            pools.set_pool(other, "second", 1)
        with second.read() as reading:
            assert change_journal.read_settled_key(reading) == settled == change_journal.read_bounds(reading)[1] - 2
        for _ in range(3):
            assert read(second, feed) == []
            assert feed.has_more
        if commits:
            writing.__exit__(None, None, None)
        else:
            assert not writing.__exit__(RuntimeError, RuntimeError(), None)
        with second.write() as other:
            pools.set_pool(other, "third", 1)
        found = read(second, feed) + read(second, feed)
        assert [event.data["pool"] for event in found] == [*(["first"] if commits else []), "second", "third"]
        assert not feed.has_more
        first.close()
        second.close()


def test_a_commit_wakes_who_waits_for_changes(url: str) -> None:
    import select

    heard: list[bool] = []

    def announce() -> int:
        heard.append(True)
        return 0

    clock = VirtualClock(AT)
    db = open_database(url, announce_changes=announce, clock=clock)
    listener = db.open_change_listener()
    with db.write() as tx:
        pools.set_pool(tx, "p", 1)
    with db.write() as tx:
        pass
    if listener is None:
        assert heard == [True]
        for advance_s, count in ((0.5, 1), (0.5, 2)):  # nobody listens: it is called once a second
            clock.advance(advance_s)
            with db.write() as tx:
                pools.set_pool(tx, "p", 1)
            assert len(heard) == count
    else:
        assert select.select([listener], [], [], PATIENCE_S)[0]
        assert listener.poll() == 1
        listener.close()
    db.close()
