"""The six windows of OWNERSHIP.md, lines 35 to 40, with real processes: user code runs once, wherever a scheduler stops.

On PostgreSQL the first scheduler is frozen in its window, the second takes over, and the first is thawed. On SQLite the
first is killed and replaced.
"""

from __future__ import annotations

import signal
import sys
import time
import uuid
from collections.abc import Iterator

import pytest
from tests.chaos import journal
from tests.chaos.home import Home, home
from tests.chaos.processes import until
from tests.chaos.stopping import FENCED
from tests.conformance.storeworld import parsed, spec
from tests.postgres import own_schema

from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunState, DagRunType
from gnomon.model.states import TaskInstanceState as S
from gnomon.store import files, runs
from gnomon.wakeups import Bell

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
TTL_S = 1.0
"""Of a scheduler in these tests; the real one has 4 s."""
DAG = journal.HEAD + '''
with DAG("windows", schedule=None):
    @task
    def t(ti=None):
        note("start", ti)
        while not os.path.exists(f"{os.environ['GNOMON_HOME']}/go-{ti.run_id}"):
            time.sleep(0.02)
        note("end", ti)
    t()
'''


class Scheduler:
    """One scheduler process of `tests.chaos.stopping`."""

    def __init__(self, here: Home, window: str = "none", number: int = signal.SIGSTOP) -> None:
        self.process = here.spawn("tests.chaos.stopping", window, str(int(number)), str(TTL_S))

    def says(self) -> str:
        """Its next line."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Its exit code and its last words."""
        self.process.send_signal(number)
        said, _ = self.process.communicate(timeout=30)
        return self.process.returncode, said.strip()


class Ground:
    """A home with two workers and one DAG, and the schedulers of one test."""

    def __init__(self, here: Home, *, frozen: bool) -> None:
        self.here = here
        self.frozen = frozen
        self.schedulers: list[Scheduler] = []

    def scheduler(self, window: str = "none") -> Scheduler:
        started = Scheduler(self.here, window, signal.SIGSTOP if self.frozen else signal.SIGKILL)
        self.schedulers.append(started)
        assert started.says().startswith("owns")
        return started

    def trigger(self) -> str:
        """The id of a new run."""
        run_id, now = f"run_{uuid.uuid4().hex[:8]}", time.time_ns() // 1000
        with self.here.store() as database, database.write() as tx:
            runs.create_manual(
                tx, dag_id="windows", run_id=run_id, logical_at=None, run_after=now, interval=None, conf={}, by="test",
                at=now, run_type=DagRunType.MANUAL,
            )
        Bell(self.here.folder / "run").ring()
        return run_id

    def stops_in(self, window: str) -> tuple[Scheduler, str]:
        """A scheduler that has stopped in that window, and the run in which it did."""
        first = self.scheduler(window)
        run_id = self.trigger()
        if window in ("ended, not committed", "committed, not acknowledged"):
            self.go(run_id)
        assert first.says() == "stopped"
        return first, run_id

    def take_over(self) -> float:
        """Another scheduler owns every group; returns after how many seconds."""
        began = time.monotonic()
        second = self.scheduler()
        until(lambda: self.owners() == {self._newest(second)}, "the take-over", 20)
        return time.monotonic() - began

    def owners(self) -> set[object]:
        with self.here.store() as database, database.read() as tx:
            return {row[0] for row in tx._link.rows(_query("SELECT DISTINCT owner FROM dag_group"), {})}

    def _newest(self, _scheduler: Scheduler) -> object:
        with self.here.store() as database, database.read() as tx:
            return tx._link.rows(_query("SELECT id FROM scheduler ORDER BY started_at DESC LIMIT 1"), {})[0][0]

    def go(self, run_id: str) -> None:
        """The task of the run may end."""
        (self.here.folder / f"go-{run_id}").touch()

    def task_state(self, run_id: str) -> S | None:
        run = next(run for _, run in self.here.runs("windows") if run.run_id == run_id)
        rows = self.here.records([run.run_pk])[0][run.run_pk]
        return rows[0].state if rows else None

    def started(self, run_id: str) -> bool:
        return any(note.run_id == run_id for note in journal.starts(self.here))

    def ends_once(self, first: Scheduler, run_id: str) -> None:
        """The run succeeds with one attempt, which started once; the first scheduler, thawed, may write nothing."""
        self.go(run_id)
        until(lambda: not self.here.unfinished("windows"), "the end of the run", 20)
        if self.frozen:
            code, said = first.end(signal.SIGCONT)
            assert (code, said) == (FENCED, "refused 1")
        else:
            assert first.process.wait(10) == -signal.SIGKILL
        run = next(run for _, run in self.here.runs("windows") if run.run_id == run_id)
        tasks, attempts = self.here.records([run.run_pk])
        assert run.state is DagRunState.SUCCESS
        assert [(row.state, row.try_number, row.seq) for row in tasks[run.run_pk]] == [(S.SUCCESS, 1, 1)]
        assert [attempt.state for attempt in attempts] == ["success"]
        assert [note.what for note in journal.read(self.here) if note.run_id == run_id] == ["start", "end"]
        assert journal.audit(self.here, retries=0) == []

    def end(self) -> None:
        for scheduler in self.schedulers:
            if scheduler.process.poll() is None:
                scheduler.process.send_signal(signal.SIGCONT)
                scheduler.end()
            assert scheduler.process.stdout is not None
            scheduler.process.stdout.close()
        self.schedulers.clear()


def _query(text: str) -> object:
    from gnomon.store.statements import Statement

    return Statement("test", text)


@pytest.fixture(scope="module", params=["postgresql", "sqlite"])
def workers(request: pytest.FixtureRequest) -> Iterator[tuple[Home, bool]]:
    """A home with its database, one DAG and two workers; whether schedulers are frozen (or killed) in it."""
    frozen = request.param == "postgresql"
    schema = own_schema() if frozen else None
    with home(schema.__enter__() if schema else None) as here:
        here.dag_file("windows", DAG)
        here.prepare()
        file = str(here.folder / "dags" / "windows.py")
        with here.store() as database, database.write() as tx:
            files.record_many(tx, [parsed(file, spec("windows", [TaskSpec(task_id="t")]))], at=1, paused_by_default=False)
        running = [here.spawn("gnomon", "worker") for _ in range(2)]
        until(lambda: len(here.events("worker_started")) == 2, "two workers")
        yield here, frozen
        for worker in running:
            worker.terminate()
            worker.communicate(timeout=20)
            assert worker.returncode == 0
    if schema:
        schema.__exit__(None, None, None)


@pytest.fixture
def ground(workers: tuple[Home, bool]) -> Iterator[Ground]:
    made = Ground(workers[0], frozen=workers[1])
    yield made
    made.end()


def test_line_35_before_commit_nothing_happened(ground: Ground) -> None:
    first, run_id = ground.stops_in("before commit")
    assert ground.task_state(run_id) is None
    print(f"take-over after {ground.take_over():.1f} s")
    until(lambda: ground.started(run_id), "the task")
    ground.ends_once(first, run_id)


def test_line_36_committed_and_not_submitted_is_submitted_again(ground: Ground) -> None:
    first, run_id = ground.stops_in("committed, not submitted")
    assert ground.task_state(run_id) is S.QUEUED
    assert not ground.started(run_id)
    print(f"take-over after {ground.take_over():.1f} s")
    until(lambda: ground.started(run_id), "the task")
    ground.ends_once(first, run_id)
    if ground.frozen:
        until(lambda: ground.here.events("submission_refused"), "the worker's refusal of the lower epoch")


def test_line_37_submitted_and_start_not_recorded_is_adopted(ground: Ground) -> None:
    first, run_id = ground.stops_in("submitted, start not recorded")
    assert ground.task_state(run_id) is S.QUEUED
    print(f"take-over after {ground.take_over():.1f} s")
    until(lambda: ground.task_state(run_id) is S.RUNNING, "the inventory")
    ground.ends_once(first, run_id)


def test_line_38_ended_and_not_committed_is_sent_again(ground: Ground) -> None:
    first, run_id = ground.stops_in("ended, not committed")
    assert ground.task_state(run_id) in (S.QUEUED, S.RUNNING)
    print(f"take-over after {ground.take_over():.1f} s")
    ground.ends_once(first, run_id)


def test_line_39_committed_and_not_acknowledged_is_dropped_when_sent_again(ground: Ground) -> None:
    first, run_id = ground.stops_in("committed, not acknowledged")
    assert ground.task_state(run_id) is S.SUCCESS
    print(f"take-over after {ground.take_over():.1f} s")
    ground.ends_once(first, run_id)


@pytest.mark.parametrize("truth", ["stored", "not stored"])
def test_line_40_an_unknown_outcome_drops_memory_and_reads_again(ground: Ground, truth: str) -> None:
    only, run_id = ground.stops_in(f"outcome unknown, {truth}")
    until(lambda: ground.started(run_id), "the task")
    ground.go(run_id)
    until(lambda: not ground.here.unfinished("windows"), "the end of the run", 20)
    assert only.end() == (0, "refused 1")
    assert [note.what for note in journal.read(ground.here) if note.run_id == run_id] == ["start", "end"]
    assert journal.audit(ground.here, retries=0) == []
