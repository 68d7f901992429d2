"""What a keeper counts, and leaves in the database with its beat."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.services.triggerer.keeping import Deferred, deferring

from gnomon.ground.config import Config
from gnomon.ground.metrics import Meter
from gnomon.services.triggerer.triggerer_metrics import TriggererMetrics
from gnomon.storage.store.trigger_queue import triggerer_leases


@pytest.fixture
def deferred(cfg: Config, tmp_path: Path) -> Iterator[Deferred]:
    with deferring(f"sqlite:///{tmp_path / 'gnomon.db'}", cfg) as made:
        yield made


def test_what_came_failed_and_blocked_is_in_the_database_with_the_next_beat(deferred: Deferred) -> None:
    for name in ("Nap", "Success", "Raises"):
        deferred.wait(name)
    deferred.wait("Blocks", seconds=1)
    one = deferred.keeper(beat_s=0.2)

    def told() -> dict[str, int]:
        with deferred.db.read() as tx:
            rows = triggerer_leases.list_triggerers(tx)
        return {name: count for row in rows for name, count in row.counters.items() if name.startswith("triggers.")}

    wanted = {
        "triggers.succeeded": 3,
        "triggers.failed": 1,
        "triggers.blocked_main_thread": 1,
        "triggers.blocked_main_thread.authored.Blocks": 1,
    }
    deferred.until(lambda: told() == wanted, one)


def test_counts_go_on_over_incarnations_of_a_process() -> None:
    meter = Meter()
    for blocks in (2, 1):
        one = TriggererMetrics(meter, "here", 10)
        one.record_heartbeat(3)
        one.record_outcomes(["event", "error"])
        one.record_blocks(blocks, ["a.B"])
        one.record_blocks(blocks, [])
    assert meter.counters == {
        "triggerer_heartbeat": 2,
        "triggers.failed": 2,
        "triggers.succeeded": 2,
        "triggers.blocked_main_thread": 3,
        "triggers.blocked_main_thread.a.B": 2,
    }
