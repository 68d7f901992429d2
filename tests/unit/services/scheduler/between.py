"""Schedulers that own groups of their own, one store, one worker and one virtual clock; and DAGs that wait for each other.

Everything that is due at an instant happens at that instant, so that a run that waits starts exactly when its upstreams are done.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterable
from contextlib import contextmanager

import pytest
from tests.keys import CIPHER

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.author_code.timetable_host.in_process import InProcessTimetableHost
from gnomon.entry.simulate.faults import FaultyDatabase, SimulatedCrash
from gnomon.entry.simulate.year_simulation import RARE_EVENT_S, InMemoryListener
from gnomon.entry.testing.scripted import Play, ScriptedExecutor, ScriptedWorker
from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import Attempt
from gnomon.model.ids import GROUPS, group_of
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import RunRecord
from gnomon.model.run_waits import RunWait
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile, TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.planning import find_slot_by_logical_date
from gnomon.rules.timetables.registry import build, reference
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import SchedulerSettings
from gnomon.storage.store import Database, Transaction, open_database
from gnomon.storage.store.coordination import leases, mailbox
from gnomon.storage.store.cross_dag import run_waits
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.parsed_files import dag_files
from gnomon.timetables import CronTriggerTimetable, Timetable

START: Instant = 1_767_225_600 * SECOND
"""2026-01-01T00:00:00Z, a Thursday."""
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86_400 * SECOND
ROUNDS_MAX = 2000
"""At one instant; a scheduler that wants more has lost its way."""
_CLAIM = leases.claim_groups


def cron(expression: str) -> Timetable:
    return CronTriggerTimetable(expression, timezone="UTC")


class Cut:
    """A FaultPlan: the owner transaction, counted from now, that meets the fault; the others meet none."""

    def __init__(self, number: int = 0, fault: str = "crash_before") -> None:
        self.left = number
        self.fault = fault

    def draw(self, _: random.Random) -> str | None:
        self.left -= 1
        return self.fault if self.left == 0 else None


class Scheduler:
    """One place that a scheduler process stands in: when it dies, another takes the place, and its groups."""

    def __init__(self, world: World, groups: frozenset[int]) -> None:
        self.world = world
        self.groups = groups
        self.db = FaultyDatabase(world.db, Cut(), random.Random(0))  # type: ignore[arg-type]
        self.bell = InMemoryListener()
        self.service: SchedulerService | None = None
        self.executor = ScriptedExecutor(lambda: [world.worker])
        self.crash_count = 0

    def tick(self) -> Instant:
        """One round, by a new process if the last one is dead; when to call again."""
        world = self.world
        if self.service is None:
            self.executor = ScriptedExecutor(lambda: [world.worker])
            self.service = SchedulerService(
                settings=world.settings,
                db=self.db,
                executor=self.executor,
                clock=world.clock,
                listener=self.bell,  # type: ignore[arg-type]
                new_id=world.new_id,
                scheduler_id=world.new_id(),
                host="here",
                is_dead=lambda other: other in world.dead,
                timetables=world.host,
            )
            world.share[self.service.lease.scheduler_id] = self.groups
        try:
            return self.service.tick()
        except SimulatedCrash:
            self.kill()
            return world.clock.now()

    def kill(self) -> None:
        """The process dies where it stands."""
        if self.service is not None:
            self.world.dead.add(self.service.lease.scheduler_id)
        self.service = None
        self.bell.rung = True
        self.crash_count += 1


class World:
    """The schedulers: the first owns every group that no other does. `apart`: the DAG ids whose groups the others own."""

    def __init__(
        self,
        url: str,
        patch: pytest.MonkeyPatch,
        *apart: Iterable[str],
        host: TimetableHost | None = None,
        parallelism: int | None = None,
        max_waiting_runs: int = 1000,
    ) -> None:
        self.clock = VirtualClock(START)
        self.db: Database = open_database(
            url, synchronous="OFF", lease_clock=lambda: START, cipher=CIPHER
        )  # no lease ends by itself
        self.host = host or InProcessTimetableHost()
        self.settings = SchedulerSettings(
            limits=EngineLimits(parallelism=parallelism, max_admissions_per_step=1_000_000),
            plan_batch=500,
            use_schedule=True,
            beat_s=RARE_EVENT_S,
            sweep_s=RARE_EVENT_S,
            max_waiting_runs=max_waiting_runs,
        )
        self.plays: dict[str, Callable[[Attempt], Play]] = {}
        """By DAG id."""
        self.dead: set[str] = set()
        self.share: dict[str, frozenset[int]] = {}
        self._rng = random.Random(1)
        self.worker = ScriptedWorker(self.new_id(), self.clock, self._play, slots=100_000)
        with self.db.write() as tx:
            leases.register_worker(tx, self.worker.record())
        others = [frozenset(map(group_of, dag_ids)) for dag_ids in apart]
        assert sum(map(len, others)) == len(frozenset().union(*others)), "these DAGs share a group"
        self.schedulers = [
            Scheduler(self, groups) for groups in (frozenset(range(GROUPS)).difference(*others), *others)
        ]
        patch.setattr(leases, "find_share", lambda tx, me: GROUPS)
        patch.setattr(
            leases,
            "claim_share",
            lambda tx, me, share: leases.list_owned_groups(tx, me) | _CLAIM(tx, me, self.share[me]),
        )
        self._versions = 0

    def new_id(self) -> str:
        return str(uuid.UUID(int=self._rng.getrandbits(128), version=4))

    def _play(self, attempt: Attempt) -> Play:
        play = self.plays.get(attempt.run.dag_id)
        return Play(0.0) if play is None else play(attempt)

    # ---- what people and files do ------------------------------------------------------------------------------------
    @contextmanager
    def writing(self):  # type: ignore[no-untyped-def]
        """A transaction of somebody else, after which every scheduler is woken."""
        with self.db.write() as tx:
            yield tx
        for scheduler in self.schedulers:
            scheduler.bell.rung = True

    def dag(
        self,
        dag_id: str,
        timetable: Timetable,
        *after: DependencySpec,
        run_s: float | None = None,
        tasks: tuple[TaskSpec, ...] = (),
        path: str | None = None,
        **options: object,
    ) -> None:
        """The file of this DAG was parsed: it is new, or another version."""
        self._versions += 1
        spec = DagSpec(
            dag_id=dag_id,
            timetable=reference(timetable),
            tasks=tasks or (TaskSpec(task_id="t"),),
            depends_on=after,
            **{"start_at": START, "catchup": True, "paused_upon_creation": False, **options},  # type: ignore[arg-type]
        )
        found = ParsedFile(
            path=path or f"/dags/{dag_id}.py",
            inputs=FileInputs(input_hash=str(self._versions)),
            dags=(ParsedDag(spec=spec, spec_hash=str(self._versions)),),
        )
        if run_s is not None:
            self.plays[dag_id] = lambda _: Play(run_s)
        with self.writing() as tx:
            dag_files.record_parsed(tx, found, at=self.clock.now(), paused_by_default=False)

    def file_gone(self, dag_id: str) -> None:
        with self.writing() as tx:
            dag_files.record_deleted_files(tx, [f"/dags/{dag_id}.py"], self.clock.now())

    def pause(self, dag_id: str, paused: bool = True) -> None:
        with self.writing() as tx:
            dags.set_paused(tx, dag_id, paused, "ann", self.clock.now())

    def by_hand(self, dag_id: str, logical_at: Instant, run_id: str = "by_hand") -> RunRecord:
        """Somebody has made a run with that logical date, as `gnomon dags trigger` makes it."""
        record = self.record(dag_id)
        spec = record.spec
        slot = find_slot_by_logical_date(
            timetable=build(spec.timetable),
            logical_at=logical_at,
            earliest=spec.start_at,
            latest=spec.end_at,
            cursor=record.cursor,
        )
        with self.writing() as tx:
            return dag_runs.create_manual_run(
                tx,
                dag_id=dag_id,
                run_id=run_id,
                logical_at=logical_at,
                run_after=self.clock.now(),
                interval=None,
                conf={},
                by="ann",
                at=self.clock.now(),
                stands_for=None if slot is None else slot.run_after,
            )

    def ask(self, kind: str, dag_id: str, run: RunRecord, **body: object) -> int:
        with self.writing() as tx:
            given = {"run_pk": run.run_pk, "by": "ann", **body}
            return mailbox.submit_request(
                tx, by="ann", kind=kind, body=given, groups=[group_of(dag_id)], at=self.clock.now()
            )

    def answer(self, request_pk: int) -> tuple[str, str | None]:
        with self.db.read() as tx:
            return mailbox.read_answer(tx, request_pk)

    # ---- time passes -------------------------------------------------------------------------------------------------
    def until(self, hours: float) -> None:
        """Everything up to that many hours after START has happened, that instant included."""
        end = START + round(hours * HOUR)
        while True:
            wake_at = self._settle()
            if min(wake_at, end) > self.clock.now():
                self.clock.advance_to(min(wake_at, end))
            elif wake_at > end:
                return

    def _settle(self) -> Instant:
        """Rounds until nobody has anything to do at this instant; when there is more."""
        now = self.clock.now()
        wakes = dict.fromkeys(self.schedulers, now)
        for _ in range(ROUNDS_MAX):
            due = [one for one in self.schedulers if wakes[one] <= now or one.bell.rung or _spoken(one) <= now]
            if not due:
                return min(*wakes.values(), *map(_spoken, self.schedulers))
            for one in due:
                wakes[one] = one.tick()
                for other in self.schedulers:
                    other.bell.rung |= other is not one and self._has_mail(other)
        raise AssertionError(f"no rest at {now}")

    def _has_mail(self, scheduler: Scheduler) -> bool:
        with self.db.read() as tx:
            return bool(mailbox.read_messages(tx, sorted(scheduler.groups), 1))

    # ---- what is seen ------------------------------------------------------------------------------------------------
    def runs(self, dag_id: str) -> dict[float, RunRecord]:
        """By planned time, in hours after START."""
        with self.db.read() as tx:
            return {
                (run.run_after - START) / HOUR: run
                for run in sorted(dag_runs.list_runs(tx, dag_id), key=lambda run: run.run_after)
            }

    def run(self, dag_id: str, hour: float) -> RunRecord:
        return self.runs(dag_id)[hour]

    def started(self, dag_id: str) -> dict[float, float]:
        """By planned time when the run started, both in hours after START; those that have."""
        return {
            hour: (run.started_at - START) / HOUR
            for hour, run in self.runs(dag_id).items()
            if run.started_at is not None
        }

    def states(self, dag_id: str) -> dict[float, str]:
        return {hour: str(run.state) for hour, run in self.runs(dag_id).items()}

    def waits(self, dag_id: str, hour: float) -> list[RunWait]:
        with self.db.read() as tx:
            return run_waits.load_run_waits(tx, [run.run_pk for run in [self.run(dag_id, hour)]]).get(
                self.run(dag_id, hour).run_pk, []
            )

    def record(self, dag_id: str):  # type: ignore[no-untyped-def]
        with self.db.read() as tx:
            return _dag(tx, dag_id)


def _dag(tx: Transaction, dag_id: str):  # type: ignore[no-untyped-def]
    row = dags.find_dag_row(tx, dag_id)
    return None if row is None else group_state.load_dags(tx, [row.dag_pk])[0]


def _spoken(scheduler: Scheduler) -> Instant:
    """When the worker tells this scheduler something."""
    executor, worker = scheduler.executor, scheduler.world.worker
    if scheduler.service is None or worker.results.keys() - executor._sent.get(worker.worker_id, set()):
        return 0
    at = executor.next_at()
    return START + 400 * 365 * DAY if at is None else at
