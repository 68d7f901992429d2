"""Two triggerers, two schedulers and a worker under one virtual clock, and a fault at one exact point of a deferral.

Triggerer, scheduler, engine and store are real; hosts and workers follow a script. A process that crashes at a point loses its
memory; a process that freezes at a point continues there after the others have taken over.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.conformance.storeworld import manual, raw

from gnomon.author_code.timetable_host.in_process import InProcessTimetableHost
from gnomon.entry.simulate import Deployment
from gnomon.entry.simulate.faults import SimulatedCrash
from gnomon.entry.testing.scripted import ScriptedExecutor
from gnomon.model.attempts import Attempt
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.ids import GROUPS, TaskKey
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import RunRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.engine.events import EngineEvent
from gnomon.rules.engine.step_context import StepResult
from gnomon.rules.timetables.registry import reference
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.triggerer.coordinator import TriggererCoordinator
from gnomon.services.triggerer.saved_events import SavedEvents
from gnomon.services.triggerer.settings import TriggererSettings
from gnomon.storage.store import CommitUncertain, Database, DatabaseUnavailable, FencedError, Transaction
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.trigger_queue import deferrals, trigger_claims, triggerer_leases
from gnomon.testing import Play
from gnomon.timetables import NullTimetable

START: Instant = 1_767_225_600 * SECOND
BEAT_S = 5.0
DEADLINE_S = 2.1 * BEAT_S
FREEZE_S = 25.0
"""Longer than any deadline, the beats and looks of the others included."""
LIMIT_S = 600.0
TWICE, ENDED, LATE = 1, 2, 6
"""A task that defers twice, one that its event ends, and one whose trigger is too late: its second try waits for nothing."""
FIRES_AFTER_S = (1.0, 1.8, 2.0, 3.5, 5.0, 8.0, 1000.0)
"""Each after its start; the second just before its owner looks, so that an event which is sent again finds the next deferral."""
RUN_S = 0.05
TIMEOUT_S = 6.0
TASKS = len(FIRES_AFTER_S)
TRANSACTION = ("crash before", "crash after", "refused", "lost", "stored", "frozen before", "frozen after")
"""A transaction may fail so: `lost` and `stored` are a commit of unknown outcome, and what had become of it."""
MOMENT = ("crash", "frozen")
"""A point between two transactions."""
POINTS: dict[str, tuple[str, ...]] = {
    "deferral committed": TRANSACTION,
    "claim committed": TRANSACTION,
    "trigger started": MOMENT,
    "event fired": MOMENT,
    "event handed to the keeper": MOMENT,
    "event persisted": TRANSACTION,
    "owner applied": TRANSACTION,
    "attempt queued": TRANSACTION,
    "attempt submitted": MOMENT,
    "trigger deleted": TRANSACTION,
    "on_kill closed": TRANSACTION,
}
"""Every step of a deferral, and what may happen in it."""


class _Undone(Exception):
    """Raised to roll the real transaction back."""


class Faults:
    """The database of one process; the armed transaction fails in the chosen way."""

    def __init__(self, db: Database, world: Deferring) -> None:
        self._db = db
        self._world = world
        self.armed: str | None = None

    def __getattr__(self, name: str) -> object:
        return getattr(self._db, name)

    @contextmanager
    def scheduler_write(self, scheduler_id: str) -> Iterator[Transaction]:
        with self._through(self._db.scheduler_write(scheduler_id)) as tx:
            yield tx

    @contextmanager
    def triggerer_write(self, triggerer_id: str) -> Iterator[Transaction]:
        with self._through(self._db.triggerer_write(triggerer_id)) as tx:
            yield tx

    @contextmanager
    def _through(self, real: Any) -> Iterator[Transaction]:
        fault, self.armed = self.armed, None
        if fault == "frozen before":
            self._world.freeze()
        try:
            with real as tx:
                yield tx
                if fault in ("crash before", "refused", "lost"):
                    raise _Undone
        except _Undone:
            if fault == "crash before":
                raise SimulatedCrash from None
            away = "the test refuses it" if fault == "refused" else "the test cut the connection in COMMIT"
            raise (DatabaseUnavailable if fault == "refused" else CommitUncertain)(away) from None
        if fault == "stored":
            raise CommitUncertain("the test cut the connection in COMMIT")
        if fault == "crash after":
            raise SimulatedCrash
        if fault == "frozen after":
            self._world.freeze()


@dataclass
class Begun:
    """One start of one trigger."""

    triggerer: str
    key: TaskKey
    defer_seq: int
    at: Instant


class ScriptedCrew:
    """Trigger hosts that follow the script: each trigger fires some time after its start."""

    def __init__(self, world: Deferring, triggerer: str) -> None:
        self._world = world
        self._triggerer = triggerer
        self._running: dict[int, tuple[trigger_claims.ClaimedTrigger, Instant]] = {}
        self._closed: list[int] = []
        self.requests: deque[Any] = deque()
        self.watcher_events: list[Any] = []
        self.block_count = 0
        self.blocked_loops: list[Any] = []

    def __len__(self) -> int:
        return len(self._running)

    def start(self, jobs: Iterable[tuple[trigger_claims.ClaimedTrigger, object]]) -> None:
        for job, _ in jobs:
            self._world.note_start(Begun(self._triggerer, job.key, job.defer_seq, self._world.clock.now()))
            due = self._world.clock.now() + round(FIRES_AFTER_S[job.key.task_no] * SECOND)
            self._running[job.trigger_pk] = job, due

    def cancel(self, trigger_pks: Iterable[int], *, on_kill: bool) -> None:
        for pk in trigger_pks:
            found = self._running.pop(pk, None)
            if on_kill:
                self._closed.append(pk)
                if found is not None:
                    self._world.killed.append(found[0].key)

    def start_on_kill(self, jobs: Iterable[tuple[trigger_claims.ClaimedTrigger, object]]) -> None:
        for job, _ in jobs:
            self._world.killed.append(job.key)
            self._closed.append(job.trigger_pk)

    def has_fired(self) -> bool:
        return any(due <= self._world.clock.now() for _, due in self._running.values())

    def run_once(self) -> list[tuple[trigger_claims.ClaimedTrigger, DeferralResult]]:
        over = [pk for pk, (_, due) in self._running.items() if due <= self._world.clock.now()]
        jobs = [self._running.pop(pk)[0] for pk in over]
        return [(job, event(job.key.task_no, job.defer_seq)) for job in jobs]

    def take_finished_on_kills(self) -> list[int]:
        closed, self._closed = self._closed, []
        return closed

    def take_block_reports(self) -> list[Any]:
        return []

    def take_unresponsive(self) -> list[Any]:
        return []

    @property
    def wake_in_s(self) -> float:
        now = self._world.clock.now()
        return min((max(0.0, (due - now) / SECOND) for _, due in self._running.values()), default=60.0)


class PointedKeeper(TriggererCoordinator):
    """A triggerer that reports the points of a deferral."""

    def __init__(self, world: Deferring, db: Faults, name: str) -> None:
        self._world = world
        self._faults = db
        self.crew = ScriptedCrew(world, name)
        super().__init__(
            settings=TriggererSettings(
                capacity=1000,
                queues=None,
                beat_s=BEAT_S,
                silent_s=30.0,
                environ={},
                saved_events=SavedEvents("/nonexistent"),
            ),
            db=db,  # type: ignore[arg-type]
            clock=world.clock,
            host_pool=self.crew,
            triggerer_id=name,
            host="simulated",
            wake_owners=world.ring_owners,  # type: ignore[arg-type]
        )

    def _collect_outcomes(self) -> None:
        if self.crew.has_fired():
            self._world.moment("event fired")
        super()._collect_outcomes()
        if self._unstored_events:
            self._world.moment("event handed to the keeper")

    def _claim_and_cancel(self) -> None:
        with self._faults.read() as tx:  # type: ignore[operator]
            waits_for_me = bool(trigger_claims.count_unclaimed_triggers(tx))
        with self._world.transaction("claim committed", self._faults, waits_for_me):
            super()._claim_and_cancel()
        if len(self.crew):
            self._world.moment("trigger started")

    def _store_events(self) -> None:
        with self._world.transaction("event persisted", self._faults, bool(self._unstored_events)):
            super()._store_events()

    def _store_finished_on_kills(self) -> None:
        with self._world.transaction("on_kill closed", self._faults, bool(self._finished_on_kills)):
            super()._store_finished_on_kills()


class PointedScheduler(SchedulerService):
    """A scheduler that reports the points of a deferral."""

    world: Deferring
    faults: Faults
    _has_queued = False

    def _commit(self, decided: StepResult) -> None:
        changes = decided.changes
        resumes = any(attempt.resume is not None for attempts in decided.submits.values() for attempt in attempts)
        is_at = {
            "deferral committed": bool(changes.deferrals),
            "owner applied": bool(changes.deferrals_ended) or bool(changes.deferrals_deleted and changes.mail_deleted),
            "attempt queued": resumes,
            "trigger deleted": bool(changes.deferrals_deleted and not changes.mail_deleted),
        }
        here = [point for point, there in is_at.items() if there]
        point = self.world.point if self.world.point in here else next(iter(here), "")
        with self.world.transaction(point, self.faults, bool(here)):
            super()._commit(decided)
        self._has_queued = resumes

    def _step_and_commit(self, events: list[EngineEvent], letters: list[int], now: Instant) -> None:
        self._has_queued = False
        super()._step_and_commit(events, letters, now)
        if self._has_queued:
            self.world.moment("attempt submitted")


@dataclass
class Slot:
    """The incarnations of one triggerer, one after the other."""

    number: int
    keeper: PointedKeeper | None = None
    wake_at: Instant = START
    incarnations: int = 0


class Deferring(Deployment):
    """A run of TASKS tasks, which wait for triggers; the fault comes at the `nth` time that something is at the point."""

    def __init__(
        self, db: Database, point: str = "", fault: str = "", nth: int = 1, seed: int = 1, chance: float = 0.0
    ) -> None:
        self.point = point
        self.fault = fault
        self._nth = nth
        self.injected: list[str] = []
        self._chance = chance
        self._dice = random.Random(seed)
        self.slots = [Slot(0), Slot(1)]
        self._frozen: set[object] = set()
        self._current: list[object] = []
        self.begun: list[Begun] = []
        self.killed: list[TaskKey] = []
        self.taken_over_s: list[float] = []
        self._fault_free = db
        super().__init__(db, seed=seed, start=START, script=self._play, schedulers=2, worker_slots=2)
        specs = tuple(TaskSpec(task_id=f"t{number}", retries=1, retry_delay_s=1.0) for number in range(TASKS))
        self.add_dags(
            [DagSpec(dag_id="d", timetable=reference(NullTimetable()), tasks=specs, paused_upon_creation=False)]
        )
        with db.write() as tx:
            self.run: RunRecord = manual(tx, "d", "r")

    # ---- what tasks and triggers do ---------------------------------------------------------------------------------
    def _play(self, attempt: Attempt, rng: random.Random) -> Play:
        number = attempt.task_no
        again = number == TWICE and attempt.resume is not None and attempt.resume.result.payload == f'"{TWICE}.1"'
        if attempt.try_number == 1 and (attempt.resume is None or again):
            wait = Deferral(
                classpath="scripted.Trigger",
                kwargs='{"a":1}',
                next_method=None if number == ENDED else "go_on",
                timeout_s=TIMEOUT_S if number == LATE else None,
            )
            return Play(RUN_S, outcome="deferred", wait=wait)
        return Play(RUN_S)

    # ---- faults -----------------------------------------------------------------------------------------------------
    def moment(self, point: str) -> None:
        """The current process is at the point, between two transactions."""
        fault = self._falls(point, MOMENT)
        if fault == "crash":
            raise SimulatedCrash
        if fault == "frozen":
            self.freeze()

    @contextmanager
    def transaction(self, point: str, db: Faults, is_there: bool) -> Iterator[None]:
        """The next transaction is that of the point, if it `is_there`."""
        db.armed = self._falls(point, TRANSACTION) if is_there else None
        try:
            yield
        finally:
            db.armed = None

    def _falls(self, point: str, kinds: tuple[str, ...]) -> str | None:
        if self._chance:
            fault = self._dice.choice(kinds) if self._dice.random() < self._chance else None
        elif point != self.point or self.injected:
            return None
        else:
            self._nth -= 1
            fault = self.fault if self._nth == 0 else None
        if fault is not None:
            self.injected.append(f"{fault} at {point}")
        return fault

    def freeze(self) -> None:
        """The current process stands still while the others go on, and then goes on itself."""
        if len(self._frozen) == 1 and self._chance:
            return  # somebody has to take over
        process = self._current[-1]
        self._frozen.add(process)
        chance, self._chance = self._chance, 0.0
        self.run_until(self.clock.now() + round(FREEZE_S * SECOND), Deferring.tick_keepers)
        self._chance = chance
        self._frozen.discard(process)

    # ---- the processes ----------------------------------------------------------------------------------------------
    def _tick(self, number: int) -> None:
        if number in self._frozen:
            return
        self._current.append(number)
        try:
            super()._tick(number)
        finally:
            self._current.pop()

    def _new_scheduler(self) -> SchedulerService:
        faults = Faults(self._fault_free, self)
        made = PointedScheduler(
            settings=self._settings,
            db=faults,
            executor=ScriptedExecutor(lambda: self.workers),
            clock=self.clock,  # type: ignore[arg-type]
            listener=None,
            new_id=self.new_id,
            scheduler_id=self.new_id(),
            host="simulated",
            timetables=InProcessTimetableHost(),
            wake_triggerers=self._ring_keepers,
        )
        made.world, made.faults = self, faults
        return made

    def tick_keepers(self) -> None:
        """Each triggerer whose time has come has its round; the next incarnation follows one that is over."""
        for slot in self.slots:
            if slot.wake_at > self.clock.now() or id(slot) in self._frozen:
                continue
            if slot.keeper is None:
                slot.incarnations += 1
                slot.keeper = PointedKeeper(self, Faults(self._fault_free, self), f"{slot.number}.{slot.incarnations}")
            self._current.append(id(slot))
            try:
                slot.wake_at = slot.keeper.tick()
            except SimulatedCrash:
                self.crashes += 1
                slot.keeper, slot.wake_at = None, self.clock.now() + SECOND
            except FencedError:
                self.fenced += 1
                slot.keeper, slot.wake_at = None, self.clock.now()
            finally:
                self._current.pop()

    def _next_at(self) -> Instant:
        schedulers = [at for number, at in enumerate(self._wake_at) if number not in self._frozen]
        keepers = [slot.wake_at for slot in self.slots if id(slot) not in self._frozen]
        workers = [at for worker in self.workers if (at := worker.next_at()) is not None]
        return min([*schedulers, *keepers, *workers, self._next_beat])

    def _ring_keepers(self) -> None:
        for slot in self.slots:
            if slot.keeper is not None:
                slot.keeper.wake()
                slot.wake_at = min(slot.wake_at, self.clock.now())

    def ring_owners(self) -> None:
        """Loses every notification: a lost notification only delays work until the next poll."""

    def note_start(self, begun: Begun) -> None:
        """A start is noted; a trigger is begun anew elsewhere after the deadline of who had it, and not before."""
        earlier = [one for one in self.begun if (one.key, one.defer_seq) == (begun.key, begun.defer_seq)]
        if earlier:
            with self._fault_free.read() as tx:
                known = {row.triggerer_id: row for row in triggerer_leases.list_triggerers(tx)}
            if known[begun.triggerer].fenced:
                return  # it thawed with a claim in hand, and its next word is refused
            silent_s = (begun.at - known[earlier[-1].triggerer].beat_at) / SECOND
            assert silent_s > DEADLINE_S, f"{begun} after {silent_s} s of silence"
            self.taken_over_s.append(silent_s)
        self.begun.append(begun)

    # ---- what came of it --------------------------------------------------------------------------------------------
    def play(self) -> None:
        """Play until the run has ended and no process has work left."""
        end = START + round(LIMIT_S * SECOND)
        while self.clock.now() < end and not self._is_over():
            self.run_until(self.clock.now() + SECOND, Deferring.tick_keepers)
        self._chance = 0.0
        self.run_until(self.clock.now() + 30 * SECOND, Deferring.tick_keepers)

    def _is_over(self) -> bool:
        with self._fault_free.read() as tx:
            found = dag_runs.find_stored_run(tx, "d", "r")
            return found is not None and found.state in FINISHED_RUN_STATES

    def audit(self) -> list[str]:
        """A sentence for each fault that the audit finds."""
        found: list[str] = []
        with self._fault_free.read() as tx:
            rows = {row.task_no: row for row in dag_runs.list_task_states(tx, self.run.run_pk)}
            made = Counter((one.task_no, one.state) for one in dag_runs.list_attempts(tx, self.run.run_pk))
            letters = [letter.key for letter in mailbox.read_messages(tx, range(GROUPS), 1000)]
            left = list(deferrals.load_deferrals(tx, [self.run.run_pk]))
            notes = raw(tx, "SELECT trigger_pk, triggerer, on_kill FROM trigger_end")
        for number in range(TASKS):
            row = rows.get(number)
            if row is None or (row.state, row.try_number) != (S.SUCCESS, 2 if number == LATE else 1):
                found.append(f"task {number} is {row}")
            wanted = {
                (number, "deferred"): 2 if number == TWICE else 1,
                (number, "success"): 0 if number == ENDED else 1,
            }
            found += [
                f"task {key[0]} {key[1]} {made[key]} times" for key, times in wanted.items() if made[key] != times
            ]
        found += [f"an attempt {key}" for key in made if key[1] not in ("deferred", "success")]
        found += self._events_once()
        found += [f"a letter is left: {key}" for key in letters] + [f"a wait is left: {key}" for key in left]
        found += [f"a note is left: {note}" for note in notes]
        if any(one.key.task_no == LATE for one in self.begun) and LATE not in {key.task_no for key in self.killed}:
            found.append("the trigger that was too late has not heard on_kill")
        return found

    def _events_once(self) -> list[str]:
        """Each event reached its task once, in one attempt; as the worker noted it."""
        got = Counter(
            (attempt.task_no, attempt.resume.result.payload)
            for worker in self.workers
            for _, attempt, _ in worker.started
            if attempt.resume is not None
        )
        wanted = Counter(
            {(n, f'"{n}.1"'): 1 for n in range(TASKS) if n not in (ENDED, LATE)} | {(TWICE, f'"{TWICE}.2"'): 1}
        )
        return [
            f"event {one} was applied {got[one]} times, not {wanted[one]}"
            for one in got | wanted
            if got[one] != wanted[one]
        ]


def event(task_no: int, defer_seq: int) -> DeferralResult:
    """The event of a trigger tells whose it is."""
    return (
        DeferralResult(outcome="success")
        if task_no == ENDED
        else DeferralResult(outcome="event", payload=f'"{task_no}.{defer_seq}"')
    )
