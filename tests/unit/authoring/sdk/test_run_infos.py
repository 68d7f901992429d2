"""`DAG.iter_dagrun_infos_between`: the runs of a timetable in a range."""

from __future__ import annotations

import datetime as dt
import logging

import pendulum
import pytest

from gnomon.authoring.sdk import DAG, BaseOperator
from gnomon.timetables import (
    CronDataIntervalTimetable,
    CronPartitionTimetable,
    CronTriggerTimetable,
    DagRunInfo,
    DataInterval,
    Timetable,
)

UTC = dt.UTC
MIDNIGHTS = CronDataIntervalTimetable("@daily", "UTC")


def at(*parts: int) -> dt.datetime:
    return dt.datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]


def logical_dates(
    dag: DAG, earliest: dt.datetime | None, latest: dt.datetime, **flags: bool
) -> list[dt.datetime | None]:
    return [info.logical_date for info in dag.iter_dagrun_infos_between(earliest, latest, **flags)]


def test_both_ends_belong_to_the_range_and_catchup_does_not_matter() -> None:
    dag = DAG("a", schedule=MIDNIGHTS, start_date=at(2020, 1, 1), catchup=False)
    infos = list(dag.iter_dagrun_infos_between(at(2021, 6, 3), at(2021, 6, 5)))
    assert infos[0] == DagRunInfo.interval(at(2021, 6, 3), at(2021, 6, 4))
    assert [info.logical_date for info in infos] == [at(2021, 6, 3), at(2021, 6, 4), at(2021, 6, 5)]
    assert isinstance(infos[0].run_after, pendulum.DateTime)


def test_align_false_begins_at_earliest() -> None:
    dag = DAG("a", schedule=MIDNIGHTS, start_date=at(2020, 1, 1))
    begin, midnight, end = at(2021, 6, 3, 23), at(2021, 6, 4), at(2021, 6, 4, 12)
    assert logical_dates(dag, begin, end) == [midnight]
    infos = list(dag.iter_dagrun_infos_between(begin, end, align=False))
    assert infos == [DagRunInfo.interval(begin, midnight), DagRunInfo.interval(midnight, at(2021, 6, 5))]
    assert logical_dates(dag, midnight, end, align=False) == [midnight]


def test_align_false_makes_one_run_of_a_range_without_slots() -> None:
    dag = DAG("a", schedule=None, start_date=at(2020, 1, 1))
    assert logical_dates(dag, at(2021, 6, 3), at(2021, 6, 4)) == []
    assert list(dag.iter_dagrun_infos_between(at(2021, 6, 3), at(2021, 6, 4), align=False)) == [
        DagRunInfo.interval(at(2021, 6, 3), at(2021, 6, 4))
    ]


def test_without_earliest_the_first_start_date_of_dag_and_tasks_counts() -> None:
    with DAG("a", schedule=CronTriggerTimetable("0 0 * * *", timezone="UTC")) as dag:
        BaseOperator(task_id="late", start_date=at(2021, 6, 9))
        BaseOperator(task_id="early", start_date=at(2021, 6, 3))
    assert logical_dates(dag, None, at(2021, 6, 4)) == [at(2021, 6, 3), at(2021, 6, 4)]


def test_without_any_start_the_remedy_is_named() -> None:
    dag = DAG("a", schedule="@daily")
    with pytest.raises(ValueError, match=r"'a'.*neither the DAG nor a task has a start_date. Give earliest a date"):
        dag.iter_dagrun_infos_between(None, at(2021, 6, 4))


def test_runs_of_partitions_are_found_by_partition_date() -> None:
    dag = DAG("a", schedule=CronPartitionTimetable("0 0 * * *", timezone="Europe/Zurich", run_offset=-1))
    infos = list(dag.iter_dagrun_infos_between(at(2021, 6, 3), at(2021, 6, 4)))
    assert [(info.partition_key, info.logical_date) for info in infos] == [
        ("2021-06-03T00:00:00", None),
        ("2021-06-04T00:00:00", None),
    ]


class Fails(Timetable):
    """Gives one run, then raises."""

    def infer_manual_data_interval(self, *, run_after: dt.datetime) -> DataInterval:
        return DataInterval.exact(run_after)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):  # type: ignore[no-untyped-def]
        if last_automated_data_interval is not None:
            raise ValueError("no more data")
        return DagRunInfo.interval(restriction.earliest, restriction.earliest + dt.timedelta(days=1))


def test_a_timetable_that_fails_ends_the_runs_and_is_named_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    dag = DAG("a", schedule=Fails(), start_date=at(2020, 1, 1))
    with caplog.at_level(logging.ERROR):
        assert logical_dates(dag, at(2021, 6, 3), at(2021, 6, 9)) == [at(2021, 6, 3)]
    assert "DAG 'a'" in caplog.text and "no more data" in caplog.text
