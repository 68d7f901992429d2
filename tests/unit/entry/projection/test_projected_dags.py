"""DAGs of files as a deployment has them that has run for some time, and what of them is not projected."""

from __future__ import annotations

from gnomon.entry.projection.projected_dags import build_running_dags, drop_unprojected, list_unprojected
from gnomon.model.assets import AssetKey, PartitionRule
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import render
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.rules.timetables.registry import reference
from gnomon.timetables import CronTriggerTimetable

AT: Instant = 1_767_268_800 * SECOND
"""2026-01-01T12:00:00Z"""
HOUR = 3600 * SECOND
HOURLY = reference(CronTriggerTimetable("0 * * * *", timezone="UTC"))


def test_all_slots_before_the_start_are_decided_and_the_next_one_is_promised() -> None:
    (dag,) = build_running_dags(
        [(DagSpec(dag_id="a", timetable=HOURLY, start_at=AT - 5 * HOUR, catchup=True), "a.py")], AT
    )
    assert [slot.run_after for slot in dag.past_slots] == [AT - hour * HOUR for hour in (5, 4, 3, 2, 1)]
    assert dag.record.cursor is not None and dag.record.cursor.run_after == AT - HOUR
    assert dag.record.next_run is not None and dag.record.next_run.run_after == AT


def test_a_dag_that_starts_later_has_no_past() -> None:
    (dag,) = build_running_dags([(DagSpec(dag_id="a", timetable=HOURLY, start_at=AT + 2 * HOUR), "a.py")], AT)
    assert dag.past_slots == () and dag.record.cursor is None
    assert dag.record.next_run is not None and dag.record.next_run.run_after == AT + 2 * HOUR


def test_runs_by_partitions_are_left_out_and_named() -> None:
    leaf = AssetKey("orders", "s3://orders")
    spec = DagSpec(
        dag_id="by_day",
        timetable=TimetableRef(path="NullTimetable", can_be_scheduled=False, periodic=False),
        asset_condition=leaf,
        partition_rules=(PartitionRule(leaf=leaf, mapper={}),),
    )
    assert drop_unprojected(spec).asset_condition is None
    assert [render(sentence) for sentence in list_unprojected([spec])] == [
        "1 DAG is scheduled by partitions of assets, and these runs are not projected (by_day)"
    ]
    assert list_unprojected([DagSpec(dag_id="a", timetable=HOURLY)]) == []
