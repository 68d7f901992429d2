"""Years of a deployment in minutes: one scheduler, one store, and a clock that jumps to whatever is due next."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable

from gnomon.author_code.timetable_host.in_process import InProcessTimetableHost
from gnomon.entry.simulate.faults import FaultPlan, FaultyDatabase, SimulatedCrash
from gnomon.entry.simulate.simulation_log import (
    ClockStepped,
    SchedulerKilled,
    SchedulerStarted,
    SimulationLog,
    StoreFaults,
)
from gnomon.entry.testing.scripted import Play, ScriptedExecutor, ScriptedWorker
from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import Attempt
from gnomon.model.instants import SECOND, Instant
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import SchedulerSettings
from gnomon.storage.store import Database
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.parsed_files import dag_files

RARE_EVENT_S = 40 * 86400.0
"""The time between two heartbeats and two sweeps: no other process uses the database, and every change notifies the scheduler."""
MAX_ROUNDS_PER_INSTANT = 100_000
"""The most rounds at one instant; a scheduler that needs more has a livelock."""
RESTART_MAX_S = 3.0
"""The longest time after which a scheduler that died around a commit is started again."""
PLAN_BATCH = 500
SETTINGS = SchedulerSettings(
    limits=EngineLimits(parallelism=None, max_admissions_per_step=1_000_000),
    plan_batch=PLAN_BATCH,
    use_schedule=True,
    beat_s=RARE_EVENT_S,
    sweep_s=RARE_EVENT_S,
)


class SchedulerLivelock(Exception):
    """The scheduler asks for another round at the same instant without end."""


class InMemoryListener:
    """A Listener without a socket."""

    def __init__(self) -> None:
        self.rung = True

    def drain(self) -> bool:
        rung, self.rung = self.rung, False
        return rung

    def fileno(self) -> int:
        return -1


class YearSimulation:
    """A deployment that simulates years. All random numbers come from `seed`; the actions are recorded in a SimulationLog."""

    def __init__(
        self,
        db: Database,
        *,
        seed: int,
        start: Instant,
        faults: FaultPlan | None = None,
        script: Callable[[Attempt, random.Random], Play] = lambda _, __: Play(0.0),
        settings: SchedulerSettings = SETTINGS,
        worker_slots: int = 1_000_000,
    ) -> None:
        self.rng = random.Random(seed)
        self.clock = VirtualClock(start)
        self.db = db
        self.log = SimulationLog(start, end=start)
        self.faulty = FaultyDatabase(db, faults or FaultPlan(), random.Random(seed + 1))
        self.crashes = 0
        self.rounds = 0
        self._settings = settings
        self._bell = InMemoryListener()
        self._dead: set[str] = set()
        self._scheduler: SchedulerService | None = None
        self._is_up = True
        self._tries: list[Instant] = []
        self._worker = ScriptedWorker(
            self.new_id(), self.clock, lambda attempt: script(attempt, self.rng), slots=worker_slots
        )
        self._executor = self._new_executor()
        with db.write() as tx:
            leases.register_worker(tx, self._worker.record())

    def new_id(self) -> str:
        """A new id, derived from the seed."""
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    # ---- actions of users, files and machines ------------------------------------------------------------------------
    def parse(self, spec: DagSpec, version: str, inputs: str = "") -> None:
        """Record the parse of the DAG's file, with a new or an earlier version; `inputs`: other content of the file."""
        parsed = ParsedFile(
            path=f"/dags/{spec.dag_id}.py",
            inputs=FileInputs(input_hash=inputs or version),
            dags=(ParsedDag(spec=spec, spec_hash=version),),
        )
        with self.db.write() as tx:
            dag_files.record_parsed(tx, parsed, at=self.clock.now(), paused_by_default=False)
        self.wake_scheduler()

    def wake_scheduler(self) -> None:
        """Have the scheduler read its mail in its next round."""
        self._bell.rung = True

    def step_clock(self, seconds: float) -> None:
        """Set the wall clock; the scheduler wakes up to a second later, as for its heartbeat."""
        before = self.clock.now()
        self.clock.step(seconds)
        self._worker.shift(self.clock.now() - before)
        self._advance_past(self.clock.now() + self.rng.randrange(SECOND))
        self.log.entries.append(ClockStepped(before, self.clock.now()))

    def kill(self) -> None:
        """Kill the scheduler's process; `start` of another is a separate action."""
        self._discard_scheduler()
        self._is_up = False
        self.log.entries.append(SchedulerKilled(self.clock.now()))

    def start(self) -> None:
        """Start a new scheduler process."""
        self._is_up = True
        self.log.entries.append(SchedulerStarted(self.clock.now()))

    def forget_started(self) -> None:
        """Have the worker forget the attempts that have ended: a simulation of millions would keep them all."""
        self._worker.started.clear()
        self._worker.seen &= self._worker.live.keys()

    # ---- the passing of time -----------------------------------------------------------------------------------------
    def run_until(self, end: Instant) -> None:
        """Run everything that is due before `end`; the clock may pass `end` if a commit failed around it."""
        while self.clock.now() < end or self._tries:
            wake_at = self._rounds() if self._is_up else end
            self._advance_past(wake_at if self._tries else min(wake_at, end))
        self.log.end = self.clock.now()

    def _advance_past(self, at: Instant) -> None:
        self.clock.advance_to(max(at, self.clock.now()))

    def _rounds(self) -> Instant:
        """Run rounds until nothing is due now, or a commit failed. Returns the instant of the next round."""
        now = self.clock.now()
        for _ in range(MAX_ROUNDS_PER_INSTANT):
            troubles = self._troubles()
            wake_at = self._round(now)
            if self._troubles() > troubles:
                if not self._tries or self._tries[-1] != now:
                    self._tries.append(now)
                troubled = True
            else:
                troubled = False
            spoken = self._executor.next_at()
            wake_at = wake_at if spoken is None else min(wake_at, spoken)
            if wake_at > now:
                break
        else:
            raise SchedulerLivelock(f"{MAX_ROUNDS_PER_INSTANT} rounds at {now}")
        if self._tries and not troubled:
            tries = self._tries if self._tries[-1] == now else [*self._tries, now]
            self.log.entries.append(StoreFaults(tuple(tries)))
            self._tries = []
        return wake_at

    def _troubles(self) -> int:
        return sum(self.faulty.injected.values())

    def _round(self, now: Instant) -> Instant:
        self.rounds += 1
        if self._scheduler is None:
            self._scheduler = self._new_scheduler()
        try:
            return self._scheduler.tick()
        except SimulatedCrash:
            self._discard_scheduler()
            self.crashes += 1
            return now + self.rng.randrange(1, int(RESTART_MAX_S * SECOND))

    def _discard_scheduler(self) -> None:
        if self._scheduler is not None:
            self._dead.add(self._scheduler.lease.scheduler_id)
        self._scheduler, self._executor = None, self._new_executor()

    def _new_scheduler(self) -> SchedulerService:
        self.wake_scheduler()
        self._executor = self._new_executor()
        return SchedulerService(
            settings=self._settings,
            db=self.faulty,  # type: ignore[arg-type]
            executor=self._executor,
            clock=self.clock,
            listener=self._bell,  # type: ignore[arg-type]
            new_id=self.new_id,
            scheduler_id=self.new_id(),
            host="simulated",
            is_dead=lambda other: other in self._dead,
            timetables=InProcessTimetableHost(),
        )

    def _new_executor(self) -> ScriptedExecutor:
        return ScriptedExecutor(lambda: [self._worker])
