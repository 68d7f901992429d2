"""A home with separate services and thousands of triggers, which fire while processes are killed and frozen.

Triggers and the methods that tasks resume in record their actions in files of the home; the audit reads these and the database.
"""

from __future__ import annotations

import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.home import Home
from tests.chaos.processes import kill, of_home, until
from tests.conformance.storeworld import raw

from gnomon.ground.wakeups import Notifier
from gnomon.model.instants import SECOND
from gnomon.model.states import DagRunType
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.drivers.lock_holder import LockHolder, find_lock_holder, write_lock_path
from gnomon.storage.store.trigger_queue import triggerer_leases
from gnomon.storage.store.trigger_queue.triggerer_leases import TriggererLease

BEAT_S = 1.0
DEADLINE_S = 2.1 * BEAT_S
A_RUN = 100
"""Triggers of one run."""
END_S = 300.0
"""A bound, not an expectation: the machine may be busy."""
FREE_S = 0.5
"""Who holds the right to write for so long while it is frozen is thawed, and frozen again at another moment."""
OPTIONS = {
    "GNOMON__TRIGGERER__JOB_HEARTBEAT_SEC": str(BEAT_S),
    "GNOMON__CORE__PARALLELISM": "8",
    "GNOMON__WORKERS__ATTEMPTS_PER_CHILD": "100",
}
PLUGIN = '''
import asyncio, os, time, zlib
from airflow.triggers.base import BaseTrigger, TriggerEvent

HOME = os.environ["GNOMON_HOME"]

def note(file, *words):
    journal = os.open(f"{HOME}/{file}", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(journal, (" ".join(map(str, words)) + "\\n").encode())
    os.close(journal)

class At(BaseTrigger):
    """Fires at its moment within the span that the test names some time."""

    def __init__(self, n):
        super().__init__()
        self.n = n

    def serialize(self):
        return "moments.At", {"n": self.n}

    async def run(self):
        me = f"{self.task_instance.run_id}/{self.task_instance.task_id}"
        note("begun", me, os.getppid(), f"{time.time():.6f}")
        while not os.path.exists(f"{HOME}/span"):
            await asyncio.sleep(1)
        begins, lasts = map(float, open(f"{HOME}/span").read().split())
        await asyncio.sleep(max(0, begins + lasts * zlib.crc32(me.encode()) / 2**32 - time.time()))
        note("fired", me, os.getppid(), f"{time.time():.6f}")
        yield TriggerEvent(me)
'''
DAGS = f"""
import os
from airflow.sdk import DAG
from airflow.models.baseoperator import BaseOperator
from airflow.triggers.base import StartTriggerArgs

class Waits(BaseOperator):
    start_from_trigger = True

    def __init__(self, *, n, **kwargs):
        super().__init__(**kwargs)
        self.start_trigger_args = StartTriggerArgs("moments.At", "woke", {{"n": n}})

    def woke(self, context, event=None):
        journal = os.open(os.environ["GNOMON_HOME"] + "/woke", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(journal, f"{{context['run_id']}}/{{self.task_id}} {{event}}\\n".encode())
        os.close(journal)

with DAG("waits", schedule=None, is_paused_upon_creation=False, max_active_runs=100, max_active_tasks=1000):
    for n in range({A_RUN}):
        Waits(task_id=f"t{{n}}", n=n)
"""


@dataclass(frozen=True)
class Note:
    """A trigger began, or fired."""

    trigger: str
    keeper: int
    """The process id of its triggerer."""
    at: float


class Waiting:
    """Services, and the triggers that they run."""

    def __init__(self, here: Home) -> None:
        self.here = here
        self.services: dict[str, list[subprocess.Popen[str]]] = {}
        self.count = 0
        """Number of triggers so far."""
        plugins = here.folder / "plugins"
        plugins.mkdir()
        (plugins / "moments.py").write_text(PLUGIN)
        here.dag_file("waits", DAGS)
        here.prepare()
        for name in ("dag-processor", "worker", "scheduler"):
            self.begin(name)
        until(lambda: self.query("SELECT count(*) FROM dag") == [(1,)], "the DAG is known")

    # ---- processes --------------------------------------------------------------------------------------------------
    def begin(self, name: str) -> subprocess.Popen[str]:
        """Start a service."""
        words = (name, "--capacity", "10000") if name == "triggerer" else (name,)
        made = self.here.spawn("gnomon", *words)
        self.services.setdefault(name, []).append(made)
        return made

    def triggerer(self) -> subprocess.Popen[str]:
        """Start one more triggerer; returns when it is registered."""
        before = len(self.known())
        made = self.begin("triggerer")
        until(lambda: len(self.known()) > before, "the triggerer is registered")
        return made

    def running(self, name: str) -> list[subprocess.Popen[str]]:
        """Those that have not ended, the eldest first."""
        return [one for one in self.services.get(name, []) if one.poll() is None]

    def hosts(self) -> list[int]:
        """The processes that run author code for the triggerers."""
        return [
            pid
            for pid, process in of_home(self.here.folder).items()
            if process.command.startswith("gnomon: trigger host ")
        ]

    def freeze(self, pid: int) -> None:
        """The process stands still, and not while it is the one that may write: on SQLite everybody would stand still with it."""
        path = write_lock_path(Path(self.here.url.removeprefix("sqlite:///")))
        while True:
            kill(pid, signal.SIGSTOP)
            until(lambda: _state(pid) in "TtZX", "the process stands still")
            held = self._stays(path)
            if held is None:
                return
            kill(pid, signal.SIGCONT)
            until(lambda held=held: find_lock_holder(path) != held, "it has written")  # type: ignore[misc]

    @staticmethod
    def _stays(path: Path) -> LockHolder | None:
        """Who has held the write lock since before and for FREE_S."""
        first, until_at = find_lock_holder(path), time.monotonic() + FREE_S
        while first is not None and find_lock_holder(path) == first:
            if time.monotonic() > until_at:
                return first
            time.sleep(0.01)
        return None

    def end(self) -> None:
        """Stop all services."""
        for service in [one for all_of_it in self.services.values() for one in all_of_it]:
            if service.poll() is None:
                service.kill()
            service.communicate()

    # ---- what they do -----------------------------------------------------------------------------------------------
    def wait_for(self, count: int) -> None:
        """So many triggers wait for their moment, and all are run."""
        now = time.time_ns() // 1000
        with self.here.store() as database, database.write() as tx:
            for number in range(count // A_RUN):
                dag_runs.create_manual_run(
                    tx,
                    dag_id="waits",
                    run_id=f"r{number}",
                    logical_at=None,
                    run_after=now,
                    interval=None,
                    conf={},
                    by="test",
                    at=now,
                    run_type=DagRunType.MANUAL,
                )
        Notifier(self.here.folder / "run").notify()
        self.count = count
        until(lambda: len({one.trigger for one in self.notes("begun")}) == count, "all triggers have begun", END_S)

    def moments(self, span_s: float) -> None:
        """Let the triggers fire, evenly distributed over that time from now."""
        (self.here.folder / "next").write_text(f"{time.time() + 1.5} {span_s}")
        (self.here.folder / "next").rename(self.here.folder / "span")

    def notes(self, file: str) -> list[Note]:
        path = self.here.folder / file
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [Note(trigger, int(keeper), float(at)) for trigger, keeper, at in map(str.split, lines)]

    def query(self, text: str) -> list[tuple[object, ...]]:
        with self.here.store() as database, database.read() as tx:
            return raw(tx, text)

    def known(self) -> list[TriggererLease]:
        with self.here.store() as database, database.read() as tx:
            return triggerer_leases.list_triggerers(tx)

    def row(self, triggerer_id: str) -> TriggererLease:
        return next(row for row in self.known() if row.triggerer_id == triggerer_id)

    def taken_over(self, dead: TriggererLease, was: int, by: int) -> list[float]:
        """When the triggers of a keeper began anew with another, in seconds after its last beat. None: all had fired before."""
        had = {note.trigger for note in self.notes("begun") if note.keeper == was}
        again = [
            note.at - dead.beat_at / SECOND for note in self.notes("begun") if note.keeper == by and note.trigger in had
        ]
        print(
            f"{self.count} in flight, {len(again)} taken over (deadline {DEADLINE_S:g} s): {min(again, default=0):.2f} to {max(again, default=0):.2f} s"
        )
        return again

    # ---- what came of it --------------------------------------------------------------------------------------------
    def audit(self) -> None:
        """Every run has ended, every task once; each event reached its task, once; nothing is left of the waits."""
        until(lambda: not self.here.unfinished(), "the end of the runs", END_S)
        found = self.here.runs()
        rows, attempts = self.here.records([run.run_pk for _, run in found])
        states = Counter((str(row.state), row.try_number) for tasks in rows.values() for row in tasks)
        reasons = {str(row.reason) for tasks in rows.values() for row in tasks if row.reason is not None}
        assert states == {("success", 1): self.count}, (states, sorted(reasons)[:5])
        ends = Counter((one.run_pk, one.task_no) for one in attempts if one.state == "success")
        assert len(ends) == self.count and set(ends.values()) == {1}, "a task ended twice"
        lines = (self.here.folder / "woke").read_text().splitlines()
        assert all(line.split()[0] == line.split()[1] for line in lines), "a task has the event of another"
        woke = Counter(lines)
        assert not [line for line, times in woke.items() if times > 1], "an event was applied twice"
        assert len(woke) == self.count, "an event was lost"
        assert {note.trigger for note in self.notes("fired")} == {line.split()[0] for line in lines}
        until(
            lambda: self.query("SELECT (SELECT count(*) FROM trigger) + (SELECT count(*) FROM trigger_end)") == [(0,)],
            "nothing is left",
        )


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"
