"""The real scheduler over a scripted worker, and DAGs in the store, for commands to be tried on."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import NamedTuple

from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.simulate.year_simulation import InMemoryListener
from gnomon.ground.clock import VirtualClock
from gnomon.ground.metrics import ProcessFigures
from gnomon.model.attempts import Attempt
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences.stored_sentences import StoredText
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile, ParseFailure, TaskSpec
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import build_scheduler_settings
from gnomon.storage.store import load_cipher, open_database
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.coordination.service_figures import FiguresWriter
from gnomon.storage.store.parsed_files import dag_files
from gnomon.testing import Play, ScriptedExecutor, ScriptedWorker

NOW: Instant = 1_772_355_600_000_000
"""2026-03-01T09:00:00Z"""
SCHEDULER = "11111111-0000-0000-0000-000000000000"
NEVER = TimetableRef(path="NullTimetable", summary="None", can_be_scheduled=False, periodic=False)
HOURLY = TimetableRef(
    path="CronTriggerTimetable",
    summary="0 * * * *",
    description="Every hour",
    data={"expression": "0 * * * *", "timezone": "UTC", "interval": 0.0, "run_immediately": False},
)


BEAT_S = 15.0
"""Interval in virtual seconds between the heartbeats of the scheduler and of the worker while time passes: each costs a round of the scheduler."""
FRESH_S = 2.0
"""Whoever looks after a move finds heartbeats that are at most so old: those of processes that live."""


class Ended(NamedTuple):
    """How a command line ended."""

    code: int
    out: str
    err: str


def spec_of(dag_id: str, edges: dict[str, tuple[str, ...]] | None = None, **kwargs: object) -> DagSpec:
    """A DAG of tasks by their upstreams, without a schedule unless told."""
    tasks = tuple(TaskSpec(task_id=task_id, upstream=upstream) for task_id, upstream in (edges or {"only": ()}).items())
    return DagSpec(**{"dag_id": dag_id, "timetable": NEVER, "tasks": tasks, "owner": "me", **kwargs})  # type: ignore[arg-type]


class Deployment:
    """Scheduler, worker and database of one home, under its clock. `plays` says what the tasks do, by id."""

    def __init__(self, home: Home, clock: VirtualClock) -> None:
        self.clock = clock
        self.plays: dict[str, Play] = {}
        self.db = open_database(home.cfg.database_url, synchronous="OFF", clock=clock, cipher=load_cipher(home.cfg))
        self._worker = ScriptedWorker("worker-1", clock, self._play)
        self._listener = InMemoryListener()
        self._beaten_at = clock.now()
        self._settings = replace(build_scheduler_settings(home.cfg), beat_s=BEAT_S, sweep_s=BEAT_S)
        self._service: SchedulerService | None = None
        self.home = home
        self.writes_figures = False

    def add(
        self,
        *specs: DagSpec,
        file: str = "/dags/etl.py",
        failures: tuple[ParseFailure, ...] = (),
        paused: bool = False,
        version: str = "1",
        warnings: tuple[StoredText, ...] = (),
    ) -> None:
        """The file was parsed and defines these DAGs."""
        dags = tuple(ParsedDag(spec=spec, spec_hash=version) for spec in specs)
        parsed = ParsedFile(
            path=file, inputs=FileInputs(input_hash=version), dags=dags, failures=failures, warnings=warnings
        )
        with self.db.write() as tx:
            dag_files.record_parsed(tx, parsed, at=self.clock.now(), paused_by_default=paused)

    def start(self, worker: bool = True) -> None:
        """The scheduler lives from now on, and the worker; both move while a command waits."""
        if worker:
            with self.db.write() as tx:
                leases.register_worker(tx, self._worker.record())
        ids = (f"00000000-0000-0000-0000-{number:012d}" for number in itertools.count())
        self._service = SchedulerService(
            settings=self._settings,
            db=self.db,
            executor=ScriptedExecutor(lambda: [self._worker]),
            clock=self.clock,
            listener=self._listener,
            new_id=lambda: next(ids),
            scheduler_id=SCHEDULER,
            host="here",
            figures=FiguresWriter(ProcessFigures(), "scheduler", SCHEDULER, "here", self.clock)
            if self.writes_figures
            else None,
        )
        self.home.sleep = self.move
        self.move(0.0)

    def move(self, seconds: float = 5.0) -> None:
        """It is so much later; the scheduler has read its mail, and did what it had to on the way when it was due."""
        assert self._service is not None
        self._listener.rung = True
        until = self.clock.now() + int(seconds * 1_000_000)
        while True:
            wake_at = self._service.tick()
            now = self.clock.now()
            if now >= self._beaten_at + int((FRESH_S if now >= until else BEAT_S) * SECOND):
                self._beat()
                self._beaten_at = now
            if now >= until:
                return
            ends_at = self._worker.next_at() or until
            self.clock.advance_to(
                min(max(min(wake_at, ends_at), now + 1000), self._beaten_at + int(BEAT_S * SECOND), until)
            )

    def freeze(self) -> None:
        """The scheduler does nothing from now on, while its last beat is fresh."""
        self.home.sleep = self._only_beat

    def _only_beat(self, seconds: float) -> None:
        self.clock.advance(seconds)
        with self.db.write() as tx:
            leases.beat_scheduler(tx, SCHEDULER)

    def _beat(self) -> None:
        with self.db.write() as tx:
            leases.beat_scheduler(tx, SCHEDULER)
            leases.beat_worker(tx, "worker-1")

    def close(self) -> None:
        self.db.close()

    def _play(self, attempt: Attempt) -> Play:
        return self.plays.get(attempt.task_id, Play(run_s=1.0))
