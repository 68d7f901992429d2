"""What is said of a deferred task: on which triggerer its trigger runs, or why on none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import create_schema
from tests.keys import CIPHER
from tests.unit.services.triggerer.keeping import Deferred

from gnomon.ground.config import load_config
from gnomon.model.records import DeferralRecord, EventRecord
from gnomon.model.sentences import render
from gnomon.queries.report.listings.deferral_status import check_trigger, describe_trigger
from gnomon.storage.store import open_database
from gnomon.storage.store.dag_records.event_log import log_event
from gnomon.storage.store.trigger_queue import trigger_claims, triggerer_leases

pytestmark = pytest.mark.ordinary


@pytest.fixture
def deferred(tmp_path: Path) -> Iterator[Deferred]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    worlds: list[Deferred] = []
    db = open_database(
        url, synchronous="OFF", cipher=CIPHER, lease_clock=lambda: worlds[0].lease_now() if worlds else 0
    )
    worlds.append(Deferred(db, load_config({}, tmp_path)))
    worlds[0].dag("d")
    yield worlds[0]
    db.close()


def said(world: Deferred, wait: DeferralRecord) -> str:
    """The sentences on that wait."""
    with world.db.read() as tx:
        return "; ".join(map(render, describe_trigger(tx, wait.key)))


def register(world: Deferred, name: str, capacity: int = 10, queues: tuple[str, ...] | None = None) -> None:
    with world.db.write() as tx:
        triggerer_leases.register_triggerer(tx, name, "mars", capacity, queues)


def claim(world: Deferred, name: str) -> None:
    with world.db.triggerer_write(name) as tx:
        trigger_claims.claim_triggers(tx, name, 1)


def test_without_a_triggerer_it_is_said_how_to_start_one(deferred: Deferred) -> None:
    assert said(deferred, deferred.wait("Nap")) == "no triggerer is alive; start one with: gnomon triggerer"


def test_the_triggerer_that_runs_it_is_named_and_one_that_is_silent_is_told(deferred: Deferred) -> None:
    register(deferred, "t1")
    wait = deferred.wait("Nap")
    claim(deferred, "t1")
    assert said(deferred, wait) == "its trigger runs on triggerer t1 on host mars"
    deferred.lease_s = 11
    assert said(deferred, wait).startswith(
        "its triggerer t1 sends no heartbeats any more; another triggerer will take over its trigger, but no triggerer is alive"
    )


def test_what_is_over_the_capacity_of_all_is_told(deferred: Deferred) -> None:
    register(deferred, "t1", capacity=1)
    deferred.wait("Nap")
    claim(deferred, "t1")
    assert said(deferred, deferred.wait("Nap")).startswith("the triggerers run 1 of at most 1 triggers")


def test_a_queue_to_which_nobody_listens_is_named(deferred: Deferred) -> None:
    register(deferred, "t1", queues=("a",))
    assert said(deferred, deferred.wait("Nap", queue="b")).startswith(
        "no triggerer serves the queue 'b' of its trigger"
    )
    assert said(deferred, deferred.wait("Nap", queue="a")).startswith(
        "a triggerer will claim its trigger at its next poll"
    )


def test_a_triggerer_is_wanted_only_where_another_one_would_help(deferred: Deferred) -> None:
    """Not by what a sentence says: the stack of a fault may have any words."""
    wait = deferred.wait("Nap")

    def wanted() -> tuple[bool, bool]:
        with deferred.db.read() as tx:
            condition = check_trigger(tx, wait.key)
        assert condition is not None
        return condition.is_met, condition.release is not None

    assert wanted() == (False, True)
    register(deferred, "t1")
    claim(deferred, "t1")
    with deferred.db.write() as tx:
        log_event(
            tx,
            EventRecord(
                0,
                "trigger_blocked",
                run_pk=wait.key.run_pk,
                task_no=wait.key.task_no,
                map_index=wait.key.map_index,
                by="triggerer",
                body="x.Nap:\nstart the work",
            ),
        )
    assert wanted() == (True, False)


def test_nothing_is_said_of_what_does_not_wait(deferred: Deferred) -> None:
    wait = deferred.wait("Nap")
    deferred.gone(wait, killed=False)
    assert said(deferred, wait) == ""
