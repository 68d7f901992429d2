"""A year of mapped tasks, assets, partitions and backfills under a virtual clock, and what must come of it.

The expectation is written from the rules and the calendar alone (`zoneinfo`): it uses no timetable, mapper or planning code.

- `hours` has a run and an event for each hour of the wall clock in Zurich; `days` a run for each local day whose hours are all there (23, 24 or 25);
  `months` a run for each month whose days are all there.
- `mapped` runs each day at 03:00. Its task is mapped over the day of the month modulo 5; with a length of 0 it is skipped with all that follows.
- `report` runs when an event of `mapped` and one of `weeks` (Mondays, 05:00) wait. It consumes every event that waits.
- `filled` is scheduled from the middle of the year. Backfills create the runs of earlier days, and run some days again.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.databases import create_schema

from gnomon.authoring.sdk import DAG, Asset, task
from gnomon.authoring.sdk.assets.partitioned_schedule import PartitionedAssetTimetable
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.entry.simulate.faults import FaultPlan
from gnomon.entry.simulate.lost_slots import list_lost_slots
from gnomon.entry.simulate.year_simulation import YearSimulation
from gnomon.entry.testing.scripted import Play
from gnomon.model.attempts import Attempt, XComItem
from gnomon.model.backfills import BackfillRecord, Reprocess
from gnomon.model.instants import Instant, to_datetime, to_instant
from gnomon.model.records import RunRecord
from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S
from gnomon.partitions import DayWindow, MonthWindow, RollupMapper, StartOfDayMapper, StartOfMonthMapper
from gnomon.storage.store import Database, Transaction, open_database
from gnomon.storage.store.asset_records import asset_events, asset_queue
from gnomon.storage.store.dag_records import backfills, dag_runs, dags
from gnomon.storage.store.errors import BackfillActive
from gnomon.timetables import CronPartitionTimetable, CronTriggerTimetable

ZONE = ZoneInfo("Europe/Zurich")
FIRST = date(2025, 3, 1)
SCHEDULED_AFTER_DAYS = 180
"""Of `filled`."""
HOUR_KEY = "%Y-%m-%dT%H:%M:%S%z"
LENGTHS = 5
FAULTS = FaultPlan(
    unavailable=0.0005, uncertain_lost=0.0005, uncertain_done=0.0005, crash_before=0.0005, crash_after=0.0005
)


@dataclass
class WorkYear:
    """One simulation, and the backfills that were accepted: the first and the last day, and whether finished runs ran again."""

    it: YearSimulation
    first: date
    days: int
    filled: list[tuple[date, date, Reprocess]] = field(default_factory=list)
    kills: int = 0


def simulate_work(
    folder: Path, seed: int, *, days: int, faults: FaultPlan, kills: int = 0, backfill_count: int = 6
) -> tuple[list[str], WorkYear, int]:
    """Play one seed to its end. Returns the faults that the audit found, the simulation, and the number of runs."""
    url = f"sqlite:///{folder / f'work-{seed}.db'}"
    create_schema(url)
    start = _local(FIRST, 0)
    db = open_database(url, role="simulation", synchronous="OFF", lease_clock=lambda: start)
    it = YearSimulation(db, seed=seed, start=start, faults=faults, script=_play)
    year = WorkYear(it, FIRST, days)
    for number, dag in enumerate(_dags()):
        it.parse(build_dag_spec(dag, "/dags/work.py").spec, f"version {number}")
    rng = random.Random(seed + 2)
    midnights = [_local(FIRST + timedelta(day), 0) for day in range(1, days + 1)]
    asked = sorted(rng.sample(range(2, days), min(backfill_count, days - 2)))
    killed = set(rng.sample(range(1, days - 1), kills))
    for day, midnight in enumerate(midnights, 1):
        if day in asked:
            it.run_until(midnight - rng.randrange(1, 20) * 3600_000_000)
            _ask_backfill(year, db, rng, day)
        it.run_until(midnight)
        if day in killed:
            year.kills += 1
            it.kill()
            it.clock.advance_to(it.clock.now() + rng.randrange(1, 20 * 3600) * 1_000_000)
            it.start()
    it.run_until(max(it.clock.now(), midnights[-1]))
    it.faulty.plan = FaultPlan()
    it.wake_scheduler()
    it.run_until(it.clock.now() + 1_000_000)
    with db.read() as tx:
        found = list(_audit(tx, year, exact=not kills and not faults.unavailable))
        count = sum(dag_runs.read_total_run_counts(tx).values())
    found += list_lost_slots(db, start)
    db.close()
    return found, year, count


def _dags() -> Iterator[DAG]:
    start = datetime(FIRST.year, FIRST.month, FIRST.day, tzinfo=ZONE)
    hours, days, numbers, weeks = Asset("hours"), Asset("days"), Asset("numbers"), Asset("weeks")
    daily = RollupMapper(
        upstream_mapper=StartOfDayMapper(timezone="Europe/Zurich", input_format=HOUR_KEY), window=DayWindow()
    )
    monthly = RollupMapper(upstream_mapper=StartOfMonthMapper(input_format="%Y-%m-%d"), window=MonthWindow())

    def one_task(dag: DAG, *outlets: Asset) -> DAG:
        with dag:
            task(_nothing, task_id="only", outlets=list(outlets))()
        return dag

    common = {"start_date": start, "catchup": True, "is_paused_upon_creation": False}
    yield one_task(
        DAG(
            "hours",
            schedule=CronPartitionTimetable("0 * * * *", timezone="Europe/Zurich", key_format=HOUR_KEY),
            **common,
        ),
        hours,
    )
    yield one_task(
        DAG(
            "days",
            schedule=PartitionedAssetTimetable(assets=hours, default_partition_mapper=daily),
            is_paused_upon_creation=False,
        ),
        days,
    )
    yield one_task(
        DAG(
            "months",
            schedule=PartitionedAssetTimetable(assets=days, default_partition_mapper=monthly),
            is_paused_upon_creation=False,
        )
    )
    yield one_task(DAG("weeks", schedule=CronTriggerTimetable("0 5 * * 1", timezone="Europe/Zurich"), **common), weeks)
    yield one_task(DAG("report", schedule=numbers & weeks, is_paused_upon_creation=False))
    begin = start + timedelta(days=SCHEDULED_AFTER_DAYS)
    yield one_task(
        DAG(
            "filled",
            schedule=CronTriggerTimetable("0 6 * * *", timezone="Europe/Zurich"),
            **{**common, "start_date": begin},
        )
    )
    with DAG("mapped", schedule=CronTriggerTimetable("0 3 * * *", timezone="Europe/Zurich"), **common) as mapped:
        source = task(_nothing, task_id="source")()
        each = task(_take, task_id="each").expand(number=source)
        last = task(_nothing, task_id="last", outlets=[numbers])()
        each >> last
    yield mapped


def _nothing() -> None:
    """Never called: the simulation plays the attempts."""


def _take(number: int) -> None:
    """Never called."""


def _play(attempt: Attempt, _: random.Random) -> Play:
    if attempt.task_id != "source":
        return Play(0.0)
    assert attempt.run.logical_at is not None
    length = _day_of(attempt.run.logical_at).day % LENGTHS
    return Play(0.0, return_length=length, xcoms=(XComItem(key="return_value", value=str(list(range(length)))),))


def _ask_backfill(year: WorkYear, db: Database, rng: random.Random, day: int) -> None:
    """A backfill of some days of the past; one that is asked while another is under way is refused."""
    first = rng.randrange(0, day - 1)
    last = min(day - 2, first + rng.randrange(0, 25))
    first_day, last_day = (year.first + timedelta(days=number) for number in (first, last))
    reprocess: Reprocess = rng.choice(("none", "completed"))
    now = year.it.clock.now()
    try:
        with db.write() as tx:
            dag = dags.find_dag_row(tx, "filled")
            assert dag is not None
            backfills.create_backfill(
                tx,
                BackfillRecord(
                    backfill_pk=0,
                    dag_pk=dag.dag_pk,
                    group_no=dag.group_no,
                    from_at=_local(first_day, 0),
                    to_at=_local(last_day, 12),
                    reprocess=reprocess,
                    max_active_runs=rng.choice((1, 3)),
                    runs_backwards=rng.random() < 0.3,
                    conf={},
                    created_at=now,
                    created_by="simulation",
                ),
            )
    except BackfillActive:
        return
    year.filled.append((first_day, last_day, reprocess))
    year.it.wake_scheduler()


def _local(day: date, hour: int) -> Instant:
    return to_instant(datetime(day.year, day.month, day.day, hour, tzinfo=ZONE))


def _day_of(at: Instant) -> date:
    return to_datetime(at).astimezone(ZONE).date()


def _days(year: WorkYear) -> list[date]:
    return [year.first + timedelta(days=number) for number in range(year.days)]


def _hours_of(day: date) -> list[str]:
    """The labels of the hours of a local day, from midnight to midnight."""
    begin, end = _local(day, 0), _local(day + timedelta(days=1), 0)
    return [to_datetime(at).astimezone(ZONE).strftime(HOUR_KEY) for at in range(begin, end, 3600_000_000)]


# ---- the audit ---------------------------------------------------------------------------------------------------------
def _audit(tx: Transaction, year: WorkYear, *, exact: bool) -> Iterator[str]:
    for dag_id in ("hours", "days", "months", "weeks", "report", "filled", "mapped"):
        yield from (
            f"{dag_id} {run.run_id} is {run.state}"
            for run in dag_runs.list_runs(tx, dag_id)
            if run.state is not DagRunState.SUCCESS
        )
    yield from _audit_partitions(tx, year)
    yield from _audit_mapped(tx, year)
    yield from _audit_report(tx, year, exact=exact)
    yield from _audit_filled(tx, year)


def _consumed(tx: Transaction, run: RunRecord) -> Counter[str | None]:
    return Counter(event.partition_key for event in asset_events.list_consumed_events(tx, run.run_pk))


def _compare(what: str, found: list[object], wanted: list[object]) -> Iterator[str]:
    lost, more = Counter(wanted) - Counter(found), Counter(found) - Counter(wanted)
    if lost or more:
        yield f"{what}: lost {dict(lost)}, too many {dict(more)}"


def _audit_partitions(tx: Transaction, year: WorkYear) -> Iterator[str]:
    end = _local(year.first + timedelta(days=year.days), 0)
    whole = [day for day in _days(year) if _local(day + timedelta(days=1), 0) <= end]
    found = [run.partition_key for run in dag_runs.list_runs(tx, "hours") if run.run_after < end]
    yield from _compare("hours", list(found), [key for day in whole for key in _hours_of(day)])
    made = {run.partition_key: _consumed(tx, run) for run in dag_runs.list_runs(tx, "days")}
    yield from _compare(
        "days", [run.partition_key for run in dag_runs.list_runs(tx, "days")], [day.isoformat() for day in whole]
    )
    for day in whole:
        if made.get(day.isoformat()) != Counter(_hours_of(day)):
            yield f"days: {day} consumed {made.get(day.isoformat())}"
    by_month = Counter(day.isoformat()[:7] for day in whole)
    complete = [month for month, count in by_month.items() if count == _length_of_month(month)]
    yield from _compare("months", [run.partition_key for run in dag_runs.list_runs(tx, "months")], list(complete))
    for run in dag_runs.list_runs(tx, "months"):
        if _consumed(tx, run) != Counter(day.isoformat() for day in whole if day.isoformat()[:7] == run.partition_key):
            yield f"months: {run.partition_key} consumed {_consumed(tx, run)}"


def _length_of_month(month: str) -> int:
    begin = date.fromisoformat(f"{month}-01")
    return ((begin + timedelta(days=31)).replace(day=1) - begin).days


def _audit_mapped(tx: Transaction, year: WorkYear) -> Iterator[str]:
    """Every day once, each map index once with one success, and what follows a length of 0 is skipped."""
    runs = dag_runs.list_runs(tx, "mapped")
    yield from _compare("mapped", [_day_of(run.run_after) for run in runs], list(_days(year)))
    for run in runs:
        length = _day_of(run.run_after).day % LENGTHS
        rows = dag_runs.list_task_states(tx, run.run_pk)
        mapped = [(row.map_index, row.state) for row in rows if row.map_index >= 0]
        plain = sorted(str(row.state) for row in rows if row.map_index < 0)
        expected = ["success", "success"] if length else ["skipped", "skipped", "success"]
        if sorted(mapped) != [(index, S.SUCCESS) for index in range(length)] or plain != expected:
            yield f"mapped {run.run_id} of length {length}: {mapped}, {plain}"
        succeeded = Counter(
            (each.task_no, each.map_index) for each in dag_runs.list_attempts(tx, run.run_pk) if each.state == "success"
        )
        if set(succeeded.values()) != {1} or len(succeeded) != length + 1 + bool(length):
            yield f"mapped {run.run_id} has the successes {dict(succeeded)}"


def _audit_report(tx: Transaction, year: WorkYear, *, exact: bool) -> Iterator[str]:
    """Each event once; one run for each Monday, with all days since the Monday before, if nothing came late."""
    stored = [event for event in asset_events.list_newest_events(tx, 10**9) if event.asset.name in ("numbers", "weeks")]
    numbers = [day for day in _days(year) if day.day % LENGTHS]
    mondays = [day for day in _days(year) if day.weekday() == 0]
    yield from _compare(
        "events", [event.asset.name for event in stored], ["numbers"] * len(numbers) + ["weeks"] * len(mondays)
    )
    dag = dags.find_dag_row(tx, "report")
    assert dag is not None
    runs = sorted(dag_runs.list_runs(tx, "report"), key=lambda run: run.run_pk)
    of_runs = [asset_events.list_consumed_events(tx, run.run_pk) for run in runs]
    queue = asset_queue.list_queue(tx, dag.dag_pk)
    handled = [event.event_pk for events in of_runs for event in events] + [each.event_pk for each in queue]
    yield from _compare("report", list(handled), [event.event_pk for event in stored])
    yield from (
        f"report {run.run_id} has no event of both"
        for run, events in zip(runs, of_runs, strict=True)
        if len({e.asset for e in events}) != 2
    )
    if len({event.asset for event in stored if event.event_pk in {each.event_pk for each in queue}}) == 2:
        yield "report: events of both assets wait, and no run was created"
    if exact:
        wanted, before = [], date.min
        for monday in mondays:
            wanted.append((monday, [day for day in numbers if before < day <= monday]))
            before = monday
        found = [
            (_day_of(run.run_after), sorted(_day_of(e.at) for e in events if e.asset.name == "numbers"))
            for run, events in zip(runs, of_runs, strict=True)
        ]
        yield from (
            f"report: {one}, expected {other}" for one, other in zip(found, wanted, strict=False) if one != other
        )
        if len(found) != len(wanted):
            yield f"report: {len(found)} runs, expected {len(wanted)}"


def _audit_filled(tx: Transaction, year: WorkYear) -> Iterator[str]:
    """A run for each scheduled day and for each day of a backfill; a day of a backfill that reprocesses ran once more if it had a run."""
    tries: Counter[date] = Counter()
    scheduled = [day for day in _days(year) if day >= year.first + timedelta(days=SCHEDULED_AFTER_DAYS)]
    for day in scheduled:
        tries[day] = 1
    for first, last, reprocess in year.filled:
        for number in range((last - first).days + 1):
            day = first + timedelta(days=number)
            tries[day] += 1 if reprocess == "completed" or not tries[day] else 0
    runs = dag_runs.list_runs(tx, "filled")
    yield from _compare("filled", [_day_of(run.run_after) for run in runs], list(tries))
    for run in runs:
        count = sum(each.state == "success" for each in dag_runs.list_attempts(tx, run.run_pk))
        if count != tries[_day_of(run.run_after)]:
            yield f"filled: {_day_of(run.run_after)} ran {count} times, expected {tries[_day_of(run.run_after)]}"
    open_ones = [backfill.backfill_pk for _, backfill in backfills.list_backfills(tx) if not backfill.is_ended]
    yield from (f"backfill {backfill_pk} has not ended" for backfill_pk in open_ones)
