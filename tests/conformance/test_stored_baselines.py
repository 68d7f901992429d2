"""Stored baselines: their versions, and what becomes of due times when one is changed or deleted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.conformance.storeworld import World

from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import BaselineForecast, BaselineLevel, BaselineRecord
from gnomon.storage.store import Transaction
from gnomon.storage.store.alert_records import baseline_states, stored_baselines

MORNING = BaselineSpec(name="morning", of=("report",), by="07:00")
MET, COMING = 100, 1_000


def put_due_times(tx: Transaction) -> None:
    """One that was met, and one to come, with a prediction of each."""
    for due_at, level, ended_at in ((MET, BaselineLevel.MET, 90), (COMING, BaselineLevel.SAFE, None)):
        record = BaselineRecord(
            "morning", due_at, level, 1, BaselineForecast(due_at=due_at, at=5, ended_at=ended_at, end_p50=50)
        )
        baseline_states.put_state(tx, record)
        baseline_states.add_prediction(tx, record)


def list_due_times(tx: Transaction) -> list[int]:
    due = [record.due_at for record in baseline_states.list_states(tx, 0)]
    assert due == [at for at in (MET, COMING) if baseline_states.list_predictions(tx, "morning", at)]
    return due


def test_the_newest_version_counts_and_all_are_kept(world: World) -> None:
    later = replace(MORNING, by="08:00")
    with world.db.write() as tx:
        assert stored_baselines.find_spec(tx, "morning") is None
        assert stored_baselines.add_version(tx, "morning", MORNING, 1, "api:ann")
        assert stored_baselines.add_version(tx, "morning", later, 2, "cli:bob")
        assert stored_baselines.add_version(tx, "noon", replace(MORNING, name="noon"), 3, "api:ann")
    with world.db.read() as tx:
        spec = stored_baselines.find_spec(tx, "morning")
        assert spec is not None and spec.is_stored and replace(spec, place="") == later
        assert [each.name for each in stored_baselines.list_stored(tx)] == ["morning", "noon"]
        versions = stored_baselines.list_versions(tx, "morning")
    assert [(each.version, each.changed_at, each.changed_by) for each in versions] == [
        (2, 2, "cli:bob"),
        (1, 1, "api:ann"),
    ]


def test_a_deleted_one_is_gone_and_its_name_goes_on_with_the_next_version(world: World) -> None:
    with world.db.write() as tx:
        stored_baselines.add_version(tx, "morning", MORNING, 1, "a")
        stored_baselines.add_version(tx, "morning", None, 2, "b")
        assert stored_baselines.list_specs(tx) == []
        stored_baselines.remove_deleted(tx, 2)
        assert len(stored_baselines.list_versions(tx, "morning")) == 2
        stored_baselines.add_version(tx, "morning", MORNING, 3, "c")
        stored_baselines.remove_deleted(tx, 99)
        assert [each.version for each in stored_baselines.list_versions(tx, "morning")] == [3, 2, 1]
        stored_baselines.add_version(tx, "morning", None, 4, "d")
        stored_baselines.remove_deleted(tx, 5)
        assert stored_baselines.list_versions(tx, "morning") == []


def test_the_oldest_versions_go(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_baselines, "VERSIONS_MAX", 2)
    with world.db.write() as tx:
        for number in range(4):
            stored_baselines.add_version(tx, "morning", replace(MORNING, owner=str(number)), number, "a")
        assert [each.version for each in stored_baselines.list_versions(tx, "morning", 9)] == [4, 3]


@pytest.mark.parametrize(
    ("fields", "remaining"),
    [
        ({"owner": "ann", "margin_s": 60.0, "at_risk": 0.5, "to": ("ops",)}, [MET, COMING]),
        ({"by": "08:00"}, [MET]),
        ({"of": ("other",)}, [MET]),
        ({"calendar": "work"}, [MET]),
        (None, [MET]),
    ],
)
def test_due_times_that_are_not_over_go_when_another_thing_is_promised(
    world: World, fields: dict[str, object] | None, remaining: list[int]
) -> None:
    with world.db.write() as tx:
        stored_baselines.add_version(tx, "morning", MORNING, 1, "a")
        put_due_times(tx)
        spec = None if fields is None else replace(MORNING, **fields)  # type: ignore[arg-type]
        stored_baselines.add_version(tx, "morning", spec, 2, "a")
        assert list_due_times(tx) == remaining
