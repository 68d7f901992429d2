"""Schedulers, workers and a store in one thread under one virtual clock."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterable

from gnomon.author_code.timetable_host.in_process import InProcessTimetableHost
from gnomon.entry.simulate.faults import FaultPlan, FaultyDatabase, SimulatedCrash
from gnomon.entry.testing.scripted import Play, ScriptedExecutor, ScriptedWorker
from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import Attempt
from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import SchedulerSettings
from gnomon.storage.store import Database, FencedError
from gnomon.storage.store.admin.run_totals import list_wrong_totals
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.parsed_files import dag_files

_BEAT_S = 1.0
"""The time between two heartbeats of a scripted worker."""


class Deployment:
    """A simulated deployment. All random numbers come from `seed`, all instants from `clock`."""

    def __init__(
        self,
        db: Database,
        *,
        seed: int,
        start: Instant,
        script: Callable[[Attempt, random.Random], Play],
        limits: EngineLimits | None = None,
        faults: FaultPlan | None = None,
        schedulers: int = 1,
        worker_slots: int = 16,
    ) -> None:
        self.rng = random.Random(seed)
        self.clock = VirtualClock(start)
        self.db = db
        self.faulty = FaultyDatabase(db, faults or FaultPlan(), random.Random(seed + 1))
        self._settings = SchedulerSettings(
            limits=limits or EngineLimits(parallelism=16, max_admissions_per_step=16), plan_batch=50, use_schedule=True
        )
        self._script = script
        self._slots = worker_slots
        self.workers: list[ScriptedWorker] = []
        self._next_beat = 0
        self._schedulers: list[SchedulerService | None] = []
        self._wake_at: list[Instant] = []
        self.crashes = 0
        self.fenced = 0
        self.add_worker()
        for _ in range(schedulers):
            self._schedulers.append(None)
            self._wake_at.append(start)

    def new_id(self) -> str:
        """A new id, derived from the seed."""
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def add_dags(self, specs: Iterable[DagSpec], version: int = 1) -> None:
        """Record the parse of one file for each of these DAGs."""
        for spec in specs:
            parsed = ParsedFile(
                path=f"/dags/{spec.dag_id}.py",
                inputs=FileInputs(input_hash=f"{spec.dag_id}.{version}"),
                dags=(ParsedDag(spec=spec, spec_hash=f"{spec.dag_id}.{version}"),),
            )
            with self.db.write() as tx:
                dag_files.record_parsed(tx, parsed, at=self.clock.now(), paused_by_default=False)

    def add_worker(self) -> ScriptedWorker:
        """Register a new worker."""
        rng = random.Random(self.rng.getrandbits(64))
        worker = ScriptedWorker(self.new_id(), self.clock, lambda attempt: self._script(attempt, rng), self._slots)
        with self.db.write() as tx:
            leases.register_worker(tx, worker.record())
        self.workers.append(worker)
        return worker

    def step_clock(self, seconds: float) -> None:
        """Set the wall clock forward or back; pending timers keep their remaining time."""
        previous = self.clock.now()
        self.clock.step(seconds)
        change = self.clock.now() - previous
        self._next_beat += change
        self._wake_at = [at + change for at in self._wake_at]
        for worker in self.workers:
            worker.shift(change)

    def kill_worker(self) -> None:
        """Kill the newest worker with its attempts and results, and register another."""
        self.workers[-1].dead = True
        self.workers[-1].live.clear()
        self.workers[-1].results.clear()
        self.add_worker()

    def kill_scheduler(self, number: int = 0) -> None:
        """Kill a scheduler process; its next tick starts another."""
        self._schedulers[number] = None
        self.crashes += 1

    def run_until(self, end: Instant, chance: Callable[[Deployment], None] | None = None) -> None:
        """Let time pass up to `end`; calls `chance` at each instant at which something happens."""
        while self.clock.now() < end:
            self._beat_workers()
            for number in range(len(self._schedulers)):
                if self._wake_at[number] <= self.clock.now() or self._worker_spoke():
                    self._tick(number)
            if chance is not None:
                chance(self)
            if self.clock.now() < end:  # `chance` may have set it
                self.clock.advance_to(min(end, max(self.clock.now() + 1, self._next_at())))

    def _next_at(self) -> Instant:
        times = [*self._wake_at, self._next_beat]
        times += [at for worker in self.workers if not worker.dead and (at := worker.next_at()) is not None]
        return min(times)

    def _worker_spoke(self) -> bool:
        now = self.clock.now()
        return any((at := worker.next_at()) is not None and at <= now for worker in self.workers if not worker.dead)

    def _tick(self, number: int) -> None:
        scheduler = self._schedulers[number]
        if scheduler is None:
            scheduler = self._schedulers[number] = self._new_scheduler()
        try:
            self._wake_at[number] = scheduler.tick()
            self._prove_totals()
        except SimulatedCrash:
            self.kill_scheduler(number)
            self._wake_at[number] = self.clock.now() + int(self.rng.uniform(0.1, 3) * SECOND)
        except FencedError:
            self._schedulers[number] = None
            self.fenced += 1
            self._wake_at[number] = self.clock.now() + SECOND

    def _prove_totals(self) -> None:
        """Raise AssertionError when a number of runs differs from the rows."""
        with self.db.read() as tx:
            wrong = list_wrong_totals(tx)
        assert not wrong, f"at {iso(self.clock.now())} numbers of runs differ from the rows: {wrong}"

    def _new_scheduler(self) -> SchedulerService:
        executor = ScriptedExecutor(lambda: self.workers)
        return SchedulerService(
            settings=self._settings,
            db=self.faulty,  # type: ignore[arg-type]
            executor=executor,
            clock=self.clock,
            listener=None,
            new_id=self.new_id,
            scheduler_id=self.new_id(),
            host="simulated",
            timetables=InProcessTimetableHost(),
        )

    def _beat_workers(self) -> None:
        if self.clock.now() < self._next_beat:
            return
        self._next_beat = self.clock.now() + int(_BEAT_S * SECOND)
        with self.db.write() as tx:
            for worker in self.workers:
                if not worker.dead and not leases.beat_worker(tx, worker.worker_id):
                    worker.dead = True
                    worker.live.clear()
                    worker.results.clear()
        if self.workers[-1].dead:
            self.add_worker()
