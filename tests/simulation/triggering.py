"""Simulates deployments whose tasks wait for triggers, with real triggerers over scripted trigger hosts, and audits their log."""

from __future__ import annotations

import json
import random
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from tests.databases import create_schema
from tests.keys import CIPHER

from gnomon.entry.simulate import (
    POOL,
    Deployment,
    FaultPlan,
    RandomActions,
    SimulatedCrash,
    list_lost_slots,
    list_pools_in_use,
    list_unanswered,
)
from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import Attempt
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.errors import ResourceUnavailable
from gnomon.model.instants import SECOND, Instant
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.timetables.registry import reference
from gnomon.services.triggerer.coordinator import TriggererCoordinator
from gnomon.services.triggerer.host_protocol import TriggerTaskInstance
from gnomon.services.triggerer.saved_events import SavedEvents
from gnomon.services.triggerer.settings import TriggererSettings
from gnomon.storage.store import Database, FencedError, open_database
from gnomon.storage.store.admin import pools
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.trigger_queue import trigger_claims
from gnomon.testing import Play
from gnomon.timetables import CronTriggerTimetable

from .world import MINUTE, START, unfinished

COUNTING = "counting"
"""A pool that deferred tasks keep their slots of."""
BEAT_S = 5.0
FREEZE_S = 40.0
"""A keeper that stands still for so long is fenced meanwhile, if there is another."""
AFTER_S = 60.0
"""What keepers get at the end to clean up."""


@dataclass
class Diary:
    """The events of triggers, by number, over all host pools."""

    started: Counter[int] = field(default_factory=Counter)
    fired: set[int] = field(default_factory=set)
    killed: Counter[int] = field(default_factory=Counter)


class ScriptedCrew:
    """Triggers that fire after the time that their arguments name; no process."""

    def __init__(self, clock: VirtualClock, rng: random.Random, diary: Diary) -> None:
        self._clock = clock
        self._rng = rng
        self._diary = diary
        self._running: dict[int, tuple[trigger_claims.ClaimedTrigger, float]] = {}
        self._closing: list[tuple[float, int]] = []
        self.requests: deque[Any] = deque()
        self.watcher_events: list[Any] = []
        self.block_count = 0
        self.blocked_loops: list[Any] = []
        self.wake_in_s = 1.0

    def __len__(self) -> int:
        return len(self._running)

    def start(self, jobs: Iterable[tuple[trigger_claims.ClaimedTrigger, TriggerTaskInstance]]) -> None:
        for job, _ in jobs:
            assert job.trigger_pk not in self._running, f"trigger {job.trigger_pk} runs here already"
            self._diary.started[job.trigger_pk] += 1
            self._begin(job)

    def _begin(self, job: trigger_claims.ClaimedTrigger) -> None:
        self._running[job.trigger_pk] = (job, self._clock.monotonic() + json.loads(job.kwargs)["after_s"])

    def cancel(self, trigger_pks: Iterable[int], *, on_kill: bool) -> None:
        for pk in trigger_pks:
            ran = self._running.pop(pk, None) is not None
            if on_kill:
                self._run_on_kill(pk, ran)

    def start_on_kill(self, jobs: Iterable[tuple[trigger_claims.ClaimedTrigger, TriggerTaskInstance]]) -> None:
        for job, _ in jobs:
            self._run_on_kill(job.trigger_pk, True)

    def _run_on_kill(self, pk: int, hears: bool) -> None:
        self._diary.killed[pk] += hears
        self._closing.append((self._clock.monotonic() + (self._rng.choice((0.0, 2.0)) if hears else 0.0), pk))

    def run_once(self) -> list[tuple[trigger_claims.ClaimedTrigger, DeferralResult]]:
        """Now and then the host has ended, and all begin anew."""
        if self._rng.random() < 0.01:
            for job, _ in list(self._running.values()):
                self._begin(job)
        due = [job for job, at in self._running.values() if at <= self._clock.monotonic()]
        for job in due:
            del self._running[job.trigger_pk]
            self._diary.fired.add(job.trigger_pk)
        return [
            (job, DeferralResult(outcome=json.loads(job.kwargs)["outcome"], payload=str(job.trigger_pk))) for job in due
        ]

    def take_finished_on_kills(self) -> list[int]:
        now = self._clock.monotonic()
        closed = [pk for at, pk in self._closing if at <= now]
        self._closing = [(at, pk) for at, pk in self._closing if at > now]
        return closed

    def take_block_reports(self) -> list[Any]:
        return []

    def take_unresponsive(self) -> list[Any]:
        return []


@dataclass
class Seat:
    """One triggerer process after the other."""

    queues: tuple[str, ...] | None
    keeper: TriggererCoordinator | None = None
    crew: ScriptedCrew | None = None
    at_s: float = 0.0
    """When it ticks next, by the clock that nobody sets."""


class Triggered(Deployment):
    """A deployment with triggerers."""

    def __init__(
        self, db: Database, *, faults: FaultPlan, seats: Iterable[tuple[str, ...] | None], **options: Any
    ) -> None:
        super().__init__(db, faults=faults, **options)
        self.diary = Diary()
        self.seats = [Seat(queues) for queues in seats]
        self.freezes = 0.0
        """How likely a keeper stands still after a round."""

    def keep(self) -> None:
        """Keepers whose time has come have a round."""
        for seat in self.seats:
            if seat.at_s <= self.clock.monotonic():
                self._run_incarnation(seat)

    def _run_incarnation(self, seat: Seat) -> None:
        if seat.keeper is None:
            seat.crew = ScriptedCrew(self.clock, self.rng, self.diary)
            seat.keeper = TriggererCoordinator(
                settings=TriggererSettings(
                    capacity=30,
                    queues=seat.queues,
                    beat_s=BEAT_S,
                    silent_s=30.0,
                    environ={},
                    saved_events=SavedEvents("/nonexistent"),
                ),
                db=self.faulty,
                clock=self.clock,
                host_pool=seat.crew,
                triggerer_id=self.new_id(),  # type: ignore[arg-type]
                host="simulated",
                wake_owners=lambda: None,
            )
        try:
            if self.rng.random() < self.freezes:
                seat.keeper.retire()
                seat.keeper = None
                return
            seat.at_s = self.clock.monotonic() + (seat.keeper.tick() - self.clock.now()) / SECOND
        except (SimulatedCrash, ResourceUnavailable):
            seat.keeper, seat.at_s = None, self.clock.monotonic() + self.rng.uniform(0.1, 3)
        except FencedError:
            seat.keeper = None
        if self.rng.random() < self.freezes:
            seat.at_s = self.clock.monotonic() + FREEZE_S

    def _next_at(self) -> Instant:
        nearest = min(seat.at_s for seat in self.seats) - self.clock.monotonic()
        return min(super()._next_at(), self.clock.now() + round(nearest * SECOND))


def some_wait(rng: random.Random, *, by_itself: bool = False) -> Deferral:
    """For a trigger that fires soon, late or after everything; `by_itself`: what a task starts with."""
    told = {
        "after_s": rng.choice((0.0, 1.0, 8.0, 45.0, 1e9)),
        "outcome": rng.choice(("event", "event", "event", "success", "error")),
    }
    return Deferral(
        classpath="scripted.Trigger",
        kwargs=json.dumps(told),
        next_method="go_on",
        queue=rng.choice((None, None, "far")),
        timeout_s=rng.choice((5.0, 30.0)) if told["after_s"] == 1e9 or rng.random() < 0.3 else None,
        next_kwargs='{"by": "itself"}' if by_itself else "{}",
    )


def some_dag(rng: random.Random, number: int, minutes: int) -> DagSpec:
    ids = [f"t{i}" for i in range(rng.randint(1, 5))]
    specs = tuple(some_task(rng, task_id, ids[:i]) for i, task_id in enumerate(ids))
    return DagSpec(
        dag_id=f"dag_{number}",
        timetable=reference(CronTriggerTimetable("* * * * *", timezone="UTC")),
        tasks=specs,
        start_at=START,
        end_at=START + (minutes - 1) * MINUTE,
        catchup=True,
        max_active_runs=rng.randint(1, 4),
        fail_fast=rng.random() < 0.2,
        paused_upon_creation=False,
    )


def some_task(rng: random.Random, task_id: str, before: list[str]) -> TaskSpec:
    return TaskSpec(
        task_id=task_id,
        upstream=tuple(sorted(rng.sample(before, rng.randint(0, min(len(before), 1))))),
        trigger_rule="all_done",
        retries=rng.randint(0, 2),
        retry_delay_s=rng.choice((0.0, 20.0)),
        pool=rng.choice(("default_pool", POOL, COUNTING)),
        execution_timeout_s=rng.choice((None, None, 25.0)),
        runs_code_at_deferral_end=rng.random() < 0.3,
        soft_fail=rng.random() < 0.2,
        start_wait=some_wait(rng, by_itself=True) if rng.random() < 0.25 else None,
    )


def another_version(spec: DagSpec, rng: random.Random) -> DagSpec:
    """A task goes, comes back or becomes another."""
    last = len(spec.tasks) - 1
    if rng.random() < 0.5 and last:
        return replace(spec, tasks=spec.tasks[:last])
    names = [task.task_id for task in spec.tasks]
    return replace(
        spec,
        tasks=(*spec.tasks[:last], some_task(rng, names[last], names[:last]), some_task(rng, f"t{last + 1}", names)),
    )


def some_play(attempt: Attempt, rng: random.Random) -> Play:
    """Half of the attempts defer, first or again; some fail, some are lost."""
    run_s = rng.expovariate(1 / 2)
    roll = rng.random()
    if roll < (0.6 if attempt.resume is None else 0.15):
        return Play(run_s, outcome="deferred", wait=some_wait(rng))
    if roll < 0.85:
        return Play(run_s)
    if roll < 0.92:
        return Play(run_s, outcome="failed", reason="ValueError: by chance")
    return Play(run_s, outcome="lost", entered=roll < 0.96, reason="lost: the child died")


class Crowd(RandomActions):
    """People who end waits one by one, and delete runs and DAGs."""

    def meddle(self, it: Triggered) -> None:
        """Perhaps somebody does so."""
        if self.rng.random() < self.chance:
            self.rng.choice((self._end_a_wait, self._end_a_wait, self._delete_a_run, self._delete_a_dag))(it)

    def _end_a_wait(self, it: Triggered) -> None:
        dag_id = self.rng.choice(sorted(self.specs))
        with it.db.write() as tx:
            found = [
                row.key
                for run in dag_runs.list_runs(tx, dag_id)
                for row in dag_runs.list_task_states(tx, run.run_pk)
                if row.defer_seq and row.state not in FINISHED_TASK_STATES
            ]
            dag = dags.find_dag_row(tx, dag_id)
            if not found or dag is None:
                return
            key = self.rng.choice(found)
            kind, more = self.rng.choice((("clear", {}), ("mark", {"state": "success"}), ("mark", {"state": "failed"})))
            body = {"run_pk": key.run_pk, "tasks": [[key.task_no, key.map_index]], "by": "people", **more}
            self.request_pks.append(
                mailbox.submit_request(tx, by="people", kind=kind, body=body, groups=[dag.group_no], at=it.clock.now())
            )

    def _delete_a_run(self, it: Triggered) -> None:
        dag_id = self.rng.choice(sorted(self.specs))
        with it.db.write() as tx:
            found, dag = dag_runs.list_runs(tx, dag_id), dags.find_dag_row(tx, dag_id)
            if found and dag is not None:
                body = {"run_pk": self.rng.choice(found).run_pk, "by": "people"}
                self.request_pks.append(
                    mailbox.submit_request(
                        tx, by="people", kind="delete", body=body, groups=[dag.group_no], at=it.clock.now()
                    )
                )

    def _delete_a_dag(self, it: Triggered) -> None:
        if len(self.specs) == 1 or self.rng.random() < 0.8:
            return
        dag_id = self.rng.choice(sorted(self.specs))
        with it.db.write() as tx:
            dag = dags.find_dag_row(tx, dag_id)
            if dag is not None:
                del self.specs[dag_id]
                body = {"dag_pk": dag.dag_pk, "by": "people"}
                self.request_pks.append(
                    mailbox.submit_request(
                        tx, by="people", kind="delete", body=body, groups=[dag.group_no], at=it.clock.now()
                    )
                )


def simulate_triggers(
    folder: Path,
    seed: int,
    faults: FaultPlan,
    *,
    minutes: int = 5,
    schedulers: int = 1,
    worker_deaths: float = 0.0,
    people: float = 0.0,
    freezes: float = 0.0,
) -> tuple[list[str], Triggered]:
    """Play one seed to its end, and audit it."""
    url = f"sqlite:///{folder / f'triggers-{seed}.db'}"
    create_schema(url)
    rng = random.Random(seed)
    specs = {spec.dag_id: spec for spec in (some_dag(rng, number, minutes) for number in range(4))}
    holder: list[Triggered] = []
    db = open_database(
        url,
        role="simulation",
        synchronous="OFF",
        cipher=CIPHER,
        lease_clock=lambda: START + int(holder[0].clock.monotonic() * SECOND) if holder else START,
    )
    with db.write() as tx:
        pools.set_pool(tx, POOL, 2)
        pools.set_pool(tx, COUNTING, 3, include_deferred=True)
    it = Triggered(
        db,
        seed=seed,
        start=START,
        script=some_play,
        limits=EngineLimits(parallelism=8, max_admissions_per_step=4),
        faults=faults,
        schedulers=schedulers,
        seats=(None, ("far",)),
    )
    holder.append(it)
    it.add_dags(specs.values())
    crowd = Crowd(random.Random(seed + 2), specs, another_version, chance=people)
    it.freezes = freezes

    def chance(_: Deployment) -> None:
        it.keep()
        crowd.act_randomly(it)
        crowd.meddle(it)
        if worker_deaths and it.rng.random() < worker_deaths:
            it.kill_worker()

    it.run_until(START + minutes * MINUTE, chance)
    it.faulty.plan, it.freezes, worker_deaths = FaultPlan(), 0.0, 0.0
    crowd.stop_acting(it)
    end = it.clock.now() + 600 * MINUTE
    it.run_until(it.clock.now() + 2 * MINUTE, chance)
    while unfinished(db) and it.clock.now() < end:
        it.run_until(it.clock.now() + MINUTE, chance)
    it.run_until(it.clock.now() + int(AFTER_S * SECOND), chance)
    found = audit_triggers(it) + list_pools_in_use(it) + list_unanswered(crowd, it)
    found += [f"{unfinished(db)} runs never end"] if unfinished(db) else []
    found += list_lost_slots(db, START)
    db.close()
    return found, it


def audit_triggers(it: Triggered) -> list[str]:
    """A sentence for each fault that the audit finds."""
    diary, found = it.diary, []
    gone_on = Counter(
        int(attempt.resume.result.payload)
        for worker in it.workers
        for _, attempt, _ in worker.started
        if attempt.resume is not None and attempt.resume.result.payload != "null"
    )
    found += [f"{count} attempts went on with the event of trigger {pk}" for pk, count in gone_on.items() if count > 1]
    found += [
        f"trigger {pk} heard on_kill, and its task went on with its event"
        for pk in diary.killed
        if diary.killed[pk] and pk in gone_on
    ]
    found += [f"a task went on with an event of trigger {pk}, which never fired" for pk in gone_on.keys() - diary.fired]
    unheard = [pk for pk in diary.started if pk not in diary.fired and not diary.killed[pk]]
    found += [f"trigger {pk} has run, never fired, and nobody called its on_kill" for pk in unheard]
    with it.db.read() as tx:
        for table in ("trigger", "trigger_end"):
            rows = tx._connection.rows(_counted(table), {})[0][0]
            found += [f"{rows} rows of {table} are left"] if rows else []
    found += [
        f"{len(seat.crew)} triggers still run for nobody"
        for seat in it.seats
        if seat.crew is not None and len(seat.crew)
    ]
    return found


def _counted(table: str) -> Any:
    from gnomon.storage.store.statements import Statement

    return Statement("test", f"SELECT count(*) FROM {table}")
