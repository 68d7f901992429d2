"""Two workers, one DAG, and schedulers that stop at an exact point: the setup of the tests of WINDOWS in docs/contributing/ownership.md."""

from __future__ import annotations

import signal
import time
import uuid

from tests.chaos import journal
from tests.chaos.home import Home
from tests.chaos.processes import until
from tests.chaos.stopping import FENCED
from tests.conformance.storeworld import raw
from tests.patience import PATIENCE_S

from gnomon.ground.wakeups import Notifier
from gnomon.model.states import DagRunState, DagRunType
from gnomon.model.states import TaskInstanceState as S
from gnomon.storage.store.dag_records import dag_runs

TTL_S = 1.0
"""Of a scheduler in these tests; the real one has 4 s."""
DAG = (
    journal.HEAD
    + """
with DAG("windows", schedule=None):
    @task
    def t(ti=None):
        note("start", ti)
        while not os.path.exists(f"{os.environ['GNOMON_HOME']}/go-{ti.run_id}"):
            time.sleep(0.02)
        note("end", ti)
    t()
"""
)


class Scheduler:
    """One scheduler process of `tests.chaos.stopping`."""

    def __init__(self, here: Home, window: str = "none", number: int = signal.SIGSTOP) -> None:
        self.process = here.spawn("tests.chaos.stopping", window, str(int(number)), str(TTL_S))

    def says(self) -> str:
        """The next line of its output."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Its exit code and the rest of its output, when it has ended."""
        self.process.send_signal(number)
        said, _ = self.process.communicate(timeout=PATIENCE_S)
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
            dag_runs.create_manual_run(
                tx,
                dag_id="windows",
                run_id=run_id,
                logical_at=None,
                run_after=now,
                interval=None,
                conf={},
                by="test",
                at=now,
                run_type=DagRunType.MANUAL,
            )
        Notifier(self.here.folder / "run").notify()
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
        """Wait until another scheduler owns every group; returns how many seconds that took."""
        began = time.monotonic()
        self.scheduler()
        until(lambda: self.owners() == {self._newest()}, "the take-over")
        return time.monotonic() - began

    def owners(self) -> set[object]:
        with self.here.store() as database, database.read() as tx:
            return {row[0] for row in raw(tx, "SELECT DISTINCT owner FROM dag_group")}

    def _newest(self) -> object:
        with self.here.store() as database, database.read() as tx:
            return raw(tx, "SELECT id FROM scheduler ORDER BY started_at DESC LIMIT 1")[0][0]

    def go(self, run_id: str) -> None:
        """Let the task of the run end."""
        (self.here.folder / f"go-{run_id}").touch()

    def task_state(self, run_id: str) -> S | None:
        run = next(run for _, run in self.here.runs("windows") if run.run_id == run_id)
        rows = self.here.records([run.run_pk])[0][run.run_pk]
        return rows[0].state if rows else None

    def started(self, run_id: str) -> bool:
        return any(note.run_id == run_id for note in journal.starts(self.here))

    def ends_once(self, first: Scheduler, run_id: str) -> None:
        """Check that the run succeeds with one attempt, which started once, and that the thawed first scheduler cannot write."""
        self.go(run_id)
        until(lambda: not self.here.unfinished("windows"), "the end of the run")
        if self.frozen:
            code, said = first.end(signal.SIGCONT)
            assert (code, said) == (FENCED, "refused 1")
        else:
            assert first.process.wait(PATIENCE_S) == -signal.SIGKILL
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
