"""What is known of the dead: a worker's last words count before its loss, and a scheduler's end need not be waited for."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from tests.databases import create_schema

from gnomon.entry.simulate import Deployment
from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.executors import WORKER_TTL_S
from gnomon.model.ids import GROUPS
from gnomon.model.instants import SECOND
from gnomon.model.records import NewMail, RunRecord
from gnomon.model.run_callbacks import CallbackKind, CallbackState
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.timetables.registry import reference
from gnomon.services.scheduler.lease import Lease
from gnomon.storage.store import Database, Transaction, open_database
from gnomon.storage.store.coordination import leases, mailbox
from gnomon.storage.store.dag_records import dag_runs, run_callbacks
from gnomon.testing import Play
from gnomon.timetables import NullTimetable

START = 1_767_225_600 * SECOND


@pytest.fixture
def url(tmp_path: Path) -> str:
    made = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(made)
    return made


@pytest.fixture
def db(url: str) -> Iterator[Database]:
    database = open_database(url, synchronous="OFF", lease_clock=lambda: START)
    yield database
    database.close()


@pytest.mark.parametrize(("dead", "gained"), [(True, GROUPS), (False, 0)])
def test_a_predecessor_is_succeeded_at_once_only_if_its_end_is_a_fact(db: Database, dead: bool, gained: int) -> None:
    clock = VirtualClock(START)
    assert len(Lease(db, clock, "first", "here").renew_and_claim()) == GROUPS
    assert len(Lease(db, clock, "second", "here", lambda other: dead and other == "first").renew_and_claim()) == gained
    with db.read() as tx:
        fenced = {row.scheduler_id: row.fenced for row in leases.list_schedulers(tx)}
    assert fenced == {"first": dead, "second": False}


def busy(url: str) -> tuple[Database, Deployment, RunRecord]:
    """A worker runs the only task of a run for ever."""
    clocks: list[VirtualClock] = []
    database = open_database(url, synchronous="OFF", lease_clock=lambda: clocks[0].now() if clocks else START)
    world = Deployment(database, seed=1, start=START, script=lambda attempt, rng: Play(run_s=1e6))
    clocks.append(world.clock)
    world.add_dags(
        [
            DagSpec(
                dag_id="d",
                timetable=reference(NullTimetable()),
                tasks=(TaskSpec(task_id="t"),),
                paused_upon_creation=False,
            )
        ]
    )
    with database.write() as tx:
        run = dag_runs.create_manual_run(
            tx,
            dag_id="d",
            run_id="r",
            logical_at=None,
            run_after=START,
            interval=None,
            conf={},
            by="test",
            at=START,
        )
    world.run_until(START + 3 * SECOND)
    return database, world, run


def letter(worker_id: str, attempt: Attempt, outcome: str) -> NewMail:
    """The worker's result by mail."""
    result = AttemptResult(
        attempt_id=attempt.attempt_id,
        group_no=attempt.group_no,
        run_pk=attempt.run.run_pk,
        task_no=attempt.task_no,
        outcome=outcome,
        started_at=START,
        ended_at=START + SECOND,
    )
    body = msgspec.json.encode({"worker_id": worker_id, "result": result}).decode()
    return NewMail(group_no=result.group_no, kind="result", body=body, key=f"res:{attempt.attempt_id}")


@pytest.mark.parametrize(("outcome", "state", "attempts"), [("success", S.SUCCESS, 1), (None, S.FAILED, 1)])
def test_a_result_that_was_mailed_before_the_worker_left_comes_before_its_loss(
    url: str, outcome: str | None, state: S, attempts: int
) -> None:
    database, world, run = busy(url)
    worker = world.workers[0]
    (attempt,) = (live.attempt for live in worker.live.values())
    world.kill_scheduler()
    with database.write() as tx:
        if outcome is not None:
            mailbox.send_messages(tx, [letter(worker.worker_id, attempt, outcome)])
        leases.retire_worker(tx, worker.worker_id)
    world.kill_worker()
    world.run_until(START + 20 * SECOND)
    with database.read() as tx:
        assert [row.state for row in dag_runs.list_task_states(tx, run.run_pk)] == [state]
        assert len(dag_runs.list_attempts(tx, run.run_pk)) == attempts
    database.close()


class LastWords:
    """A database to which a silent worker writes at the last moment: between the look at it and its loss."""

    def __init__(self, db: Database, words: NewMail) -> None:
        self._db = db
        self._words: list[NewMail] = [words]
        self._was_silent = False

    def __getattr__(self, name: str) -> object:
        return getattr(self._db, name)

    @contextmanager
    def autocommit(self) -> Iterator[Transaction]:
        with self._db.autocommit() as tx:
            yield tx
            self._was_silent = leases.has_silent_worker(tx, WORKER_TTL_S)

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        if self._was_silent:
            words, self._words = self._words, []
            with self._db.write() as tx:
                mailbox.send_messages(tx, words)
        with self._db.write() as tx:
            yield tx


def test_what_a_silent_worker_said_at_the_last_moment_comes_before_its_loss(url: str) -> None:
    database, world, run = busy(url)
    (attempt,) = (live.attempt for live in world.workers[0].live.values())
    world.faulty._db = LastWords(database, letter(world.workers[0].worker_id, attempt, "success"))  # type: ignore[assignment]
    world.run_until(START + int(2 * WORKER_TTL_S * SECOND))
    world.kill_worker()
    world.run_until(START + int(4 * WORKER_TTL_S * SECOND))
    with database.read() as tx:
        assert [(row.state, row.try_number) for row in dag_runs.list_task_states(tx, run.run_pk)] == [(S.SUCCESS, 1)]
    database.close()


def test_a_callback_whose_worker_was_lost_while_nobody_looked_is_called_again(url: str) -> None:
    """Its worker is known from the row of the callback alone: no task of it is unfinished, and it never joined this scheduler."""
    clocks: list[VirtualClock] = []
    database = open_database(url, synchronous="OFF", lease_clock=lambda: clocks[0].now() if clocks else START)
    called: list[str] = []

    def play(attempt: Attempt, rng: random.Random) -> Play:
        called.extend([attempt.attempt_id] * (attempt.kind == "callback"))
        return Play(run_s=1e6 if len(called) == 1 and attempt.kind == "callback" else 1.0)

    world = Deployment(database, seed=1, start=START, script=play)
    clocks.append(world.clock)
    world.add_dags(
        [
            DagSpec(
                dag_id="d",
                timetable=reference(NullTimetable()),
                tasks=(TaskSpec(task_id="t"),),
                paused_upon_creation=False,
                run_callbacks=(CallbackKind.RUN_SUCCEEDED.value,),
            )
        ]
    )
    with database.write() as tx:
        run = dag_runs.create_manual_run(
            tx,
            dag_id="d",
            run_id="r",
            logical_at=None,
            run_after=START,
            interval=None,
            conf={},
            by="test",
            at=START,
        )
    world.run_until(START + 5 * SECOND)
    with database.read() as tx:
        (callback,) = run_callbacks.list_callbacks(tx, run.run_pk)
    lost = world.workers[0].worker_id
    assert (callback.state, callback.worker) == (CallbackState.RUNNING, lost)
    world.kill_scheduler()  # it was cut off from the database, and has dropped its memory
    with database.write() as tx:
        leases.retire_worker(tx, lost)
    world.kill_worker()
    world.run_until(START + 40 * SECOND)
    with database.read() as tx:
        (callback,) = run_callbacks.list_callbacks(tx, run.run_pk)
    assert (callback.state, callback.tries, len(called)) == (CallbackState.SUCCESS, 2, 2)
    database.close()


@pytest.mark.parametrize("is_step", [False, True])
def test_a_worker_is_not_lost_because_the_scheduler_goes_on_first_after_a_pause(url: str, is_step: bool) -> None:
    """As after the sleep of a machine, or a step of its wall clock; a worker that is dead is lost a time to live later."""
    database, world, _run = busy(url)
    world.run_until(START + int(2 * WORKER_TTL_S * SECOND))
    worker_id = world.workers[0].worker_id
    if is_step:
        world.clock.step(2 * WORKER_TTL_S)
        world.clock.advance(1.0)
    else:
        world.clock.advance(2 * WORKER_TTL_S)
    world._tick(0)
    assert worker_id in _live_workers(database)
    world.run_until(world.clock.now() + 3 * SECOND)
    assert worker_id in _live_workers(database)
    world.kill_worker()
    world.run_until(world.clock.now() + int(2 * WORKER_TTL_S * SECOND))
    assert worker_id not in _live_workers(database)
    database.close()


class LockedWorkers:
    """A database in which the declaration that a worker is lost waits for a lock for a second."""

    def __init__(self, db: Database, clock: VirtualClock) -> None:
        self._db = db
        self._clock = clock

    def __getattr__(self, name: str) -> object:
        return getattr(self._db, name)

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        with self._db.write() as tx:
            if leases.has_silent_worker(tx, WORKER_TTL_S):
                self._clock.advance(1.0)
            yield tx


def test_a_worker_whose_heartbeats_wait_for_the_lock_for_which_its_loss_waits_is_not_lost(url: str) -> None:
    database, world, _run = busy(url)
    world.run_until(START + int(2 * WORKER_TTL_S * SECOND))
    worker_id = world.workers[0].worker_id
    world.faulty._db = LockedWorkers(database, world.clock)  # type: ignore[assignment]
    with database.write() as tx:
        tx._connection.execute_raw(f"UPDATE worker SET beat_at = beat_at - {int(2 * WORKER_TTL_S * SECOND)}")
    world.clock.advance(1.0)
    world._tick(0)
    assert worker_id in _live_workers(database)
    world.run_until(world.clock.now() + 3 * SECOND)
    assert worker_id in _live_workers(database)
    world.kill_worker()
    world.run_until(world.clock.now() + int(2 * WORKER_TTL_S * SECOND))
    assert worker_id not in _live_workers(database)
    database.close()


def _live_workers(database: Database) -> set[str]:
    with database.read() as tx:
        return {worker.worker_id for worker in leases.list_workers(tx)}
