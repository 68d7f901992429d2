"""Simulates a deployment over years: DAGs with random schedules, and random actions of users, changes of files and clocks, and crashes."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec.structs import replace as changed
from tests.databases import create_schema

from gnomon.entry.simulate.expected_runs import RunExpectation, SlotRun
from gnomon.entry.simulate.faults import FaultPlan
from gnomon.entry.simulate.lost_slots import list_lost_slots
from gnomon.entry.simulate.reference_schedule import CronGrids, ExpectedSlot, Schedule
from gnomon.entry.simulate.simulation_log import DagDefined, DagPaused, ManualRunTriggered
from gnomon.entry.simulate.year_simulation import YearSimulation
from gnomon.model.instants import SECOND, Instant, to_datetime
from gnomon.model.states import DagRunState, DagRunType
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.errors import RunExists
from gnomon.storage.store.ownership import group_state

from .schedules import AUTHORED, DAY, HOUR, dag_of, random_schedule, some_start_of_years

MINUTE = 60
FAULTS = FaultPlan(
    unavailable=0.0005, uncertain_lost=0.0005, uncertain_done=0.0005, crash_before=0.0005, crash_after=0.0005
)
NEAR = (0, -1, 1, -SECOND, SECOND, -30 * SECOND, 30 * SECOND, 61 * SECOND)
"""How far from a tick an act may be that aims at it."""


@dataclass(slots=True)
class Years:
    """One simulation. `action_counts` counts what was done."""

    it: YearSimulation
    rng: random.Random
    busy: float
    schedules: dict[str, Schedule] = field(default_factory=dict)
    editions: Counter[str] = field(default_factory=Counter)
    action_counts: Counter[str] = field(default_factory=Counter)
    down_until: Instant | None = None

    def define(self, dag_id: str, schedule: Schedule, *, paused: bool = False) -> None:
        """The file of the DAG says so from now on."""
        self.editions[dag_id] += 1
        self.schedules[dag_id] = schedule
        spec = dag_of(dag_id, schedule, self.rng)
        self.it.parse(changed(spec, paused_upon_creation=paused), f"{dag_id}.{self.editions[dag_id]}")
        self.it.log.entries.append(DagDefined(self.it.clock.now(), dag_id, schedule, paused))

    def act_randomly(self, dag_id: str) -> None:
        """Something is done, mostly to this DAG."""
        name = self.rng.choices(list(_ACTS), list(_WEIGHTS))[0]
        self.action_counts[name] += 1
        _ACTS[name](self, dag_id)

    def next_of(self, dag_id: str) -> Instant | None:
        """When the next run of the DAG is due."""
        slot = self._next_run(dag_id)
        return None if slot is None else slot[0]

    def _next_run(self, dag_id: str) -> tuple[Instant, Instant] | None:
        with self.it.db.read() as tx:
            dag = dags.find_dag_row(tx, dag_id)
            record = None if dag is None else group_state.load_dags(tx, [dag.dag_pk])[0]
        if record is None or record.next_run is None or record.next_run.logical_at is None:
            return None
        return record.next_run.run_after, record.next_run.logical_at


def _pause(years: Years, dag_id: str) -> None:
    _set_paused(years, dag_id, True)


def _unpause(years: Years, dag_id: str) -> None:
    """This one, and whichever has been forgotten."""
    _set_paused(years, dag_id, False)
    _set_paused(years, years.rng.choice(sorted(years.schedules)), False)


def _set_paused(years: Years, dag_id: str, paused: bool) -> None:
    now = years.it.clock.now()
    with years.it.db.write() as tx:
        changed = dags.set_paused(tx, dag_id, paused, "people", now)
    years.it.wake_scheduler()
    if changed:
        years.it.log.entries.append(DagPaused(now, dag_id, paused))


def _parse_again(years: Years, dag_id: str) -> None:
    """The same file, or one that differs in nothing that concerns the schedule."""
    if years.rng.random() < 0.5:
        spec = dag_of(dag_id, years.schedules[dag_id], random.Random(0))
        years.it.parse(spec, f"{dag_id}.{years.editions[dag_id]}", inputs=f"read {years.action_counts.total()}")
    else:
        years.define(dag_id, years.schedules[dag_id])


def _reschedule(years: Years, dag_id: str) -> None:
    years.define(dag_id, random_schedule(years.rng, years.it.clock.now(), years.busy))


def _flip(years: Years, dag_id: str) -> None:
    old = years.schedules[dag_id]
    years.define(dag_id, replace(old, catchup=not old.catchup or old.crons == (AUTHORED,)))


def _move_bounds(years: Years, dag_id: str) -> None:
    now, old = years.it.clock.now(), years.schedules[dag_id]
    if years.rng.random() < 0.5:
        years.define(dag_id, replace(old, end_at=years.rng.choice((None, now, now + 20 * DAY * SECOND))))
    else:
        years.define(dag_id, replace(old, start_at=now + years.rng.choice((-5, 0, 1, 5)) * DAY * SECOND))


def _kill(years: Years, _: str) -> None:
    """For a moment, for minutes around the grace, or for days."""
    if years.down_until is None:
        years.it.kill()
        spans = ((0.1, 5), (0.1, 5), (30, 90), (30, 90), (HOUR, 5 * HOUR), (DAY, 4 * DAY))
        years.down_until = years.it.clock.now() + int(years.rng.uniform(*years.rng.choice(spans)) * SECOND)


def _set_clock(years: Years, _: str) -> None:
    spans = ((1, 90), (60, 600), (HOUR, 5 * HOUR), (-90, -1), (-600, -60))
    years.it.step_clock(years.rng.uniform(*years.rng.choice(spans)))


def _trigger(years: Years, dag_id: str) -> None:
    """By hand, with the logical date of a slot to come, or of one that was, or of none."""
    found = years._next_run(dag_id)
    now = years.it.clock.now()
    logical_at = found[1] if found is not None and years.rng.random() < 0.8 else now // SECOND * SECOND
    try:
        with years.it.db.write() as tx:
            dag_runs.create_manual_run(
                tx,
                dag_id=dag_id,
                run_id=f"by_hand_{years.action_counts.total()}",
                logical_at=logical_at,
                run_after=now,
                interval=None,
                conf={},
                by="people",
                at=now,
            )
    except RunExists:
        return
    years.it.wake_scheduler()
    years.it.log.entries.append(ManualRunTriggered(now, dag_id, logical_at))


_ACTS = {
    "pause": _pause,
    "unpause": _unpause,
    "parse_again": _parse_again,
    "reschedule": _reschedule,
    "flip": _flip,
    "move_bounds": _move_bounds,
    "kill": _kill,
    "set_clock": _set_clock,
    "trigger": _trigger,
}
_WEIGHTS = (3, 4, 4, 2, 1, 1, 3, 2, 2)


@dataclass(slots=True)
class Outcome:
    """What a simulation came to."""

    found: list[str]
    years: Years
    scheduled: int


def simulate_years(
    folder: Path,
    seed: int,
    *,
    dag_count: int,
    days: int,
    acts_a_day: float,
    busy: float,
    most_runs: int,
    faults: FaultPlan = FAULTS,
) -> Outcome:
    """Play one seed to its end, and audit it."""
    url = f"sqlite:///{folder / f'years-{seed}.db'}"
    create_schema(url)
    rng = random.Random(seed)
    start = some_start_of_years(rng)
    db = open_database(url, role="simulation", synchronous="OFF", lease_clock=lambda: start)
    it = YearSimulation(db, seed=seed, start=start, faults=faults)
    years = Years(it, rng, busy)
    _play(years, start + days * DAY * SECOND, dag_count, acts_a_day, most_runs)
    found, scheduled = _audit(db, years)
    found += list_lost_slots(db, start)
    db.close()
    return Outcome(found, years, scheduled)


def _play(years: Years, end: Instant, dag_count: int, acts_a_day: float, most_runs: int) -> None:
    it, rng = years.it, years.rng
    arrivals = sorted(
        it.clock.now() + rng.randrange(0, 5 * DAY * SECOND) * rng.choice((0, 1)) for _ in range(dag_count)
    )
    following = arrivals[0]
    while it.clock.now() < end and _made(it.db) < most_runs:
        moments = [following, *arrivals[:1], *([] if years.down_until is None else [years.down_until])]
        it.run_until(min(end, max(it.clock.now(), min(moments))))
        now = it.clock.now()
        if years.down_until is not None and years.down_until <= now:
            it.start()
            years.down_until = None
        while arrivals and arrivals[0] <= now:
            arrivals.pop(0)
            name = f"dag_{len(years.schedules)}"
            years.define(name, random_schedule(rng, now, years.busy), paused=rng.random() < 0.2)
        if following <= now:
            if now > it.log.start:
                years.act_randomly(rng.choice(sorted(years.schedules)))
            following = _next_act(years, now, acts_a_day)


def _next_act(years: Years, now: Instant, acts_a_day: float) -> Instant:
    """By chance; two of three aim at a tick."""
    at = years.it.clock.now() + int(years.rng.expovariate(acts_a_day) * DAY * SECOND)
    if years.rng.random() < 0.34:
        return at
    tick = years.next_of(years.rng.choice(sorted(years.schedules)))
    return at if tick is None or tick > at + DAY * SECOND else max(now, tick + years.rng.choice(NEAR))


def _made(db: Database) -> int:
    with db.read() as tx:
        return sum(dag_runs.read_total_run_counts(tx).values())


def _audit(db: Database, years: Years) -> tuple[list[str], int]:
    it = years.it
    grids = CronGrids(to_datetime(it.log.start).date(), to_datetime(it.log.end).date())
    found: list[str] = []
    scheduled = 0
    for dag_id in sorted(years.schedules):
        with db.read() as tx:
            made = sorted(dag_runs.list_runs(tx, dag_id), key=lambda run: run.run_pk)
        rows = [
            SlotRun(ExpectedSlot(run.run_after, run.interval_start, run.interval_end), run.queued_at)  # type: ignore[arg-type]
            for run in made
            if run.run_type is DagRunType.SCHEDULED
        ]
        scheduled += len(rows)
        found += RunExpectation(dag_id, grids).check(it.log, rows)
        late = [
            run.run_id for run in made if run.run_type is DagRunType.SCHEDULED and run.state is not DagRunState.SUCCESS
        ]
        if late and years.down_until is None:
            found.append(f"{dag_id}: {len(late)} runs did not succeed, first {late[0]}")
    return found, scheduled
