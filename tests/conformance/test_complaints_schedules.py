"""What users of Airflow complain about, each as a test that its behaviour would fail: when runs are created.

The numbers are issues of apache/airflow; the list is docs/contributing/airflow-surface.md, section I, and what Gnomon does about each is in
docs/contributing/complaints.md. Further ones: `test_complaints_runs.py`, `test_complaints_triggers.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.databases import create_file
from tests.unit.author_code.timetable_host.asking import Asking
from tests.unit.services.scheduler.between import DAY, HOUR, MINUTE, START, World, cron

from gnomon.author_code.loading.dagfile import module_name
from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.instants import SECOND, to_datetime
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.queries.report.next_runs import answer_next_runs, build_request
from gnomon.timetables import (
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    EventsTimetable,
    Timetable,
    reference,
)

HOURLY = "0 * * * *"
ZURICH = ZoneInfo("Europe/Zurich")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    create_file(tmp_path / "gnomon.db")
    made = World(f"sqlite:///{tmp_path / 'gnomon.db'}", monkeypatch)
    yield made
    made.db.close()


def moment(hours: float) -> datetime:
    return to_datetime(START + round(hours * HOUR))


# ---- 1: a due run is lost or doubled when the DAG is parsed again around the tick ------------------------------------
@pytest.mark.parametrize(
    "timetable",
    [
        CronTriggerTimetable(HOURLY, timezone="UTC"),
        CronDataIntervalTimetable(HOURLY, "UTC"),
        EventsTimetable([moment(hour) for hour in range(12)]),
    ],
    ids=["trigger", "data_interval", "events"],
)
def test_27399_a_due_run_is_not_lost_or_doubled_when_its_dag_is_parsed_again_around_the_tick(
    world: World, timetable: Timetable
) -> None:
    """Airflow computes the next run from the time of the parse: a run that is due at that time is lost, or made twice.

    Every slot must have one run, if the file is parsed just before the tick, at it or a second later before the scheduler looks, and after that.
    """
    world.dag("a", timetable, catchup=False)
    world.until(0)
    for hour in range(1, 6):
        world.until(hour - 1 / 3600)
        world.dag("a", timetable, catchup=False)
        world.until(hour - 0.5 / 3600)
        world.clock.advance_to(START + hour * HOUR + hour % 2 * SECOND)
        world.dag("a", timetable, catchup=False, max_active_runs=hour + 1)
        world.until(hour)
        world.dag("a", timetable, catchup=False)
        world.until(hour + 2 / 3600)
    assert sorted(hour for hour in world.runs("a") if hour >= 1) == [1, 2, 3, 4, 5]
    assert set(world.states("a").values()) == {"success"}


# ---- 2: unpausing, or another schedule, runs something at once -------------------------------------------------------
def test_39867_unpausing_or_another_schedule_starts_nothing_at_once_unless_it_is_wanted(world: World) -> None:
    """Airflow starts the newest missed slot at once when a DAG without catchup is unpaused or gets another schedule, and nothing can prevent it.

    The default does the same, the forecast shows the run before the DAG is unpaused, and `catchup_window=0` prevents it.
    """
    later = {"start_at": START - DAY, "catchup": False, "paused_upon_creation": True}
    world.dag("as_airflow", cron(HOURLY), **later)
    world.dag("quiet", cron(HOURLY), catchup_window_s=0.0, **later)
    world.until(2.5)
    foreseen = {}
    for dag_id in ("as_airflow", "quiet"):
        dag = world.record(dag_id)
        with world.db.read() as tx:
            request = build_request(tx, dag, world.clock.now(), 1, 60.0)
        _, due = answer_next_runs(request, lambda *_: pytest.fail("a built-in timetable needs no host"))
        foreseen[dag_id] = [(run.run_after - START) / HOUR for run in due]
        world.pause(dag_id, False)
    world.until(2.75)
    assert foreseen == {"as_airflow": [2.0], "quiet": [3.0]}
    assert (sorted(world.runs("as_airflow")), sorted(world.runs("quiet"))) == ([2.0], [])
    world.dag("quiet", cron("30 * * * *"), catchup_window_s=0.0, **later)
    world.until(3.25)
    assert sorted(world.runs("quiet")) == []
    world.until(3.5)
    assert sorted(world.runs("quiet")) == [3.5]


# ---- 3: a timetable whose run_after is later than the end of the interval skips intervals ----------------------------
class Delayed(Timetable):
    """Hourly data intervals; each runs 150 minutes after its end, so that others end meanwhile."""

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        return DataInterval.exact(run_after)

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        begin = restriction.earliest if last_automated_data_interval is None else last_automated_data_interval.end
        return (
            None
            if begin is None
            else DagRunInfo.interval(begin, begin + timedelta(hours=1))._replace(
                run_after=begin + timedelta(minutes=210)
            )
        )


def test_51840_a_timetable_whose_runs_are_later_than_their_intervals_skips_no_interval(world: World) -> None:
    """Airflow asks for the run after the last one that was executed, and so skips intervals that ended before a late run was due.

    Each interval must have its run, also after the scheduler was away for some of them.
    """
    world.dag("a", Delayed(), run_s=5400)
    world.until(4.75)
    world.schedulers[0].kill()
    world.clock.advance_to(START + round(7.25 * HOUR))
    world.until(12)
    intervals = [(run.interval_start, run.interval_end) for run in world.runs("a").values()]
    assert intervals == [(START + hour * HOUR, START + (hour + 1) * HOUR) for hour in range(9)]


# ---- 4: data intervals of length zero, and a run that is skipped when the option is flipped --------------------------
def test_50172_a_change_between_intervals_and_instants_is_shown_before_it_drops_a_run(world: World) -> None:
    """In Airflow the two families of a cron share logical dates: after `create_cron_data_intervals` was changed, a run is skipped in silence.

    Each run must have the interval of the family that its DAG had then, no tick two runs, and the forecast must name the tick that a change drops.
    """
    instants, intervals = cron(HOURLY), CronDataIntervalTimetable(HOURLY, "UTC")
    world.dag("a", instants)
    world.until(2.5)
    with world.db.read() as tx:
        request = build_request(tx, world.record("a"), world.clock.now(), 2, 60.0)
    forecast, due = answer_next_runs(
        request, lambda *_: pytest.fail("a built-in timetable needs no host"), reference(intervals)
    )
    assert (forecast.dropped, [(run.run_after - START) / HOUR for run in due]) == (
        ["2026-01-01T03:00:00.000000+00:00"],
        [4.0, 5.0],
    )
    world.dag("a", intervals)
    world.until(5.5)
    world.dag("a", instants)
    world.until(8.5)
    lengths = {
        hour: ((run.interval_end or 0) - (run.interval_start or 0)) // MINUTE for hour, run in world.runs("a").items()
    }
    assert lengths == {0: 0, 1: 0, 2: 0, 4: 60, 5: 60, 6: 0, 7: 0, 8: 0}
    assert set(world.states("a").values()) == {"success"}


def test_50172_the_options_of_cron_and_of_timedelta_are_honoured_separately(tmp_path: Path) -> None:
    """Airflow ignores `create_delta_data_intervals`: the option for cron decides about both."""
    found = {}
    for name in ("CRON", "DELTA"):
        set_current_config(load_config({f"AIRFLOW__SCHEDULER__CREATE_{name}_DATA_INTERVALS": "True"}, tmp_path))
        try:
            specs = [
                build_dag_spec(DAG("d", schedule=schedule, start_date=moment(0)), "/f.py")
                for schedule in (HOURLY, timedelta(hours=1))
            ]
        finally:
            set_current_config(None)
        found[name] = [one.spec.timetable.path.rpartition(".")[2] for one in specs]
    assert found == {
        "CRON": ["CronDataIntervalTimetable", "DeltaTriggerTimetable"],
        "DELTA": ["CronTriggerTimetable", "DeltaDataIntervalTimetable"],
    }


# ---- 5: clock changes ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("change", [87, 297], ids=["spring", "autumn"])
def test_30088_a_clock_change_moves_doubles_and_loses_no_run_and_stops_no_scheduler(world: World, change: int) -> None:
    """Airflow ran at the wrong hour or twice around clock changes, and an AssertionError of its arithmetic ended the scheduler.

    Daily runs must keep their wall-clock time, each local day once; hourly runs must come each hour that passes; intervals have no length zero.
    """
    first = START + (change - 2) * DAY
    world.clock.advance_to(first)
    daily, hourly = (
        CronDataIntervalTimetable("30 2 * * *", "Europe/Zurich"),
        CronTriggerTimetable(HOURLY, timezone="Europe/Zurich"),
    )
    world.dag("daily", daily, start_at=first)
    world.dag("hourly", hourly, start_at=first)
    world.until((change + 3) * 24)
    days = Counter(to_datetime(run.run_after).astimezone(ZURICH).date() for run in world.runs("daily").values())
    assert set(days.values()) == {1} and len(days) >= 4
    at_time = [to_datetime(run.run_after).astimezone(ZURICH).strftime("%H:%M") for run in world.runs("daily").values()]
    assert at_time.count("02:30") >= len(at_time) - 1, at_time
    assert all((run.interval_end or 0) > (run.interval_start or 0) for run in world.runs("daily").values())
    hours = sorted(world.runs("hourly"))
    assert hours == [hours[0] + number for number in range(len(hours))] and len(hours) == 5 * 24 + 1
    for minutes in range(0, 4 * 24 * 60, 30):
        by_hand = daily.infer_manual_data_interval(run_after=to_datetime(first + minutes * MINUTE).astimezone(UTC))
        assert by_hand.start < by_hand.end


# ---- 6: one bad DAG stops everybody, or itself in silence ------------------------------------------------------------
class Broken(Timetable):
    """Fails as long as it is broken."""

    is_broken = True

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        return DataInterval.exact(run_after)

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        assert not Broken.is_broken, "no dates today"
        begin = (
            restriction.earliest
            if last_automated_data_interval is None
            else last_automated_data_interval.end + timedelta(hours=1)
        )
        return None if begin is None else DagRunInfo.exact(begin)


def test_27622_a_bad_dag_stops_no_other_and_says_what_is_wrong_until_it_works(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bad DAG put Airflow's scheduler into a crash loop; today a timetable that raises is written to a log, and its DAG is not scheduled any more.

    The other DAGs must run on time, the bad one must show the error, and must go on by itself once it works again.
    """
    monkeypatch.setattr(Broken, "is_broken", True)
    world.dag("bad", Broken())
    world.dag("good", cron(HOURLY))
    world.until(2.5)
    assert world.started("good") == {0.0: 0.0, 1.0: 1.0, 2.0: 2.0}
    error = world.record("bad").error or ""
    assert (
        "Broken.next_dagrun_info raised AssertionError: no dates today" in error and f"{Path(__file__).name}:" in error
    )
    assert world.runs("bad") == {}
    monkeypatch.setattr(Broken, "is_broken", False)
    world.until(3.5)
    assert (sorted(world.runs("bad")), world.record("bad").error) == ([0.0, 1.0, 2.0, 3.0], None)


# ---- 8: a custom timetable is "not registered" -----------------------------------------------------------------------
@pytest.mark.parametrize("place", ["plugins", "dag_file", "dags_folder"])
def test_21259_a_timetable_of_an_author_is_found_in_plugins_in_the_dag_file_and_beside_it(
    tmp_path: Path, place: str
) -> None:
    """Airflow refuses a timetable that no plugin registers ("not registered"), and a class in the DAG folder cannot be imported."""
    asking = Asking(tmp_path)
    try:
        file, path = None, None
        if place != "plugins":
            name = "own.py" if place == "dag_file" else "beside.py"
            found = asking.home / "dags" / name
            found.write_text(asking.plugin.read_text())
            asking.plugin.unlink()
            file = str(found) if place == "dag_file" else str(asking.home / "dags" / "own.py")
            path = f"{module_name(str(found))}.Moody" if place == "dag_file" else "beside.Moody"
            if place == "dags_folder":
                Path(file).write_text("from beside import Moody\n")
        assert asking.runs("a", "well", **({} if path is None or file is None else {"path": path, "file": file})) == 3
    finally:
        asking.hosts.close()
