"""Two triggerers: one is killed, or stops past its deadline and thaws; every task ends once, and nothing is lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from tests.chaos.home import Home, home
from tests.chaos.processes import until
from tests.postgres import own_schema

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
BEAT_S = 1.0
DEADLINE_S = 2.1 * BEAT_S
LATE_S = 30.0
"""How long a take-over may last on a busy machine; what it took is printed."""
SHORT = 100
LONG = 5000
ROUNDS = 20
SEED = 4
PLUGIN = '''
import asyncio, os
from airflow.triggers.base import BaseTrigger, TaskSuccessEvent, TriggerEvent

class Until(BaseTrigger):
    def __init__(self, n, ends):
        super().__init__()
        self.n, self.ends = n, ends

    def serialize(self):
        return "untils.Until", {"n": self.n, "ends": self.ends}

    async def run(self):
        home = os.environ["GNOMON_HOME"]
        with open(f"{home}/begun", "a") as file:
            file.write(f"{self.n} {os.getppid()}\\n")
        while not os.path.exists(f"{home}/go"):
            await asyncio.sleep(0.2)
        yield TaskSuccessEvent() if self.ends else TriggerEvent(self.n)
'''
DAGS = '''
import os
from airflow.sdk import DAG
from airflow.models.baseoperator import BaseOperator
from airflow.triggers.base import StartTriggerArgs

class Waits(BaseOperator):
    start_from_trigger = True

    def __init__(self, *, n, ends, **kwargs):
        super().__init__(**kwargs)
        self.start_trigger_args = StartTriggerArgs("untils.Until", None if ends else "woke", {"n": n, "ends": ends})

    def woke(self, context, event=None):
        with open(os.environ["GNOMON_HOME"] + "/woke", "a") as file:
            file.write(f"{context['run_id']} {event}\\n")

with DAG("waits", schedule=None, is_paused_upon_creation=False, max_active_runs=100):
    for n in range(100):
        Waits(task_id=f"t{n}", n=n, ends=ENDS)
'''


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> Iterator[str | None]:
    if request.param == "sqlite":
        yield None
    else:
        with own_schema() as address:
            yield address


class Ground:
    """A home whose services run one by one, so that there may be two triggerers."""

    def __init__(self, here: Home, *, ends: bool) -> None:
        self.here = here
        self.services: list[subprocess.Popen[str]] = []
        plugins = here.folder / "plugins"
        plugins.mkdir()
        (plugins / "untils.py").write_text(PLUGIN)
        here.dag_file("waits", DAGS.replace("ENDS", str(ends)))
        here.prepare()
        for name in ("dag-processor", "worker", "scheduler"):
            self.begin(name)
        until(lambda: "waits" in here.cli("dags", "list").stdout, "the DAG is listed")

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """A service runs."""
        made = self.here.spawn("gnomon", *words)
        self.services.append(made)
        return made

    def triggerer(self) -> subprocess.Popen[str]:
        """One more triggerer."""
        return self.begin("triggerer", "--capacity", str(LONG))

    def begun(self, keeper: int | None = None) -> list[str]:
        """The starts of triggers, of one triggerer or of all."""
        path = self.here.folder / "begun"
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [line.split()[0] for line in lines if keeper is None or line.endswith(f" {keeper}")]

    def runs(self, count: int) -> None:
        """So many runs of the DAG have begun."""
        for _ in range(count):
            done = self.here.cli("dags", "trigger", "waits")
            assert done.returncode == 0, done.stderr

    def go(self) -> None:
        """What they wait for is there."""
        (self.here.folder / "go").touch()

    def ended(self, limit_s: float = 120.0) -> None:
        """Every run has ended, and every task once."""
        until(lambda: not self.here.unfinished(), "the end of the runs", limit_s)
        found = self.here.runs()
        rows, attempts = self.here.records([run.run_pk for _, run in found])
        states = Counter(str(row.state) for tasks in rows.values() for row in tasks)
        assert states == {"success": 100 * len(found)}, states
        tries = Counter((one.run_pk, one.task_no, one.try_number) for one in attempts if one.kind == "task")
        assert not [one for one, times in tries.items() if times > 1]
        woke = self.here.folder / "woke"
        lines = Counter(woke.read_text().splitlines()) if woke.exists() else Counter()
        assert not [line for line, times in lines.items() if times > 1], "an event was applied twice"
        assert not lines or len(lines) == 100 * len(found), "an event was lost"

    def end(self) -> None:
        """No service is left."""
        for service in self.services:
            if service.poll() is None:
                os.kill(service.pid, signal.SIGKILL)
            service.communicate()


@pytest.fixture
def ground(url: str | None, request: pytest.FixtureRequest) -> Iterator[Ground]:
    options = {"GNOMON__TRIGGERER__JOB_HEARTBEAT_SEC": str(BEAT_S)}
    with home(url, options) as here:
        made = Ground(here, ends=getattr(request, "param", False))
        try:
            yield made
        finally:
            made.end()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
def test_the_triggers_of_a_triggerer_that_is_lost_are_taken_over_and_every_task_ends_once(ground: Ground, how: signal.Signals) -> None:
    first = ground.triggerer()
    ground.runs(1)
    until(lambda: len(ground.begun(first.pid)) == SHORT, "the first triggerer runs all")
    second = ground.triggerer()
    lost = time.monotonic()
    os.kill(first.pid, how)
    until(lambda: ground.begun(second.pid), "the second runs them", LATE_S)
    began_s = time.monotonic() - lost
    until(lambda: len(set(ground.begun(second.pid))) == SHORT, "the second runs all", LATE_S)
    print(f"taken over: the first of {SHORT} after {began_s:.2f} s, all after {time.monotonic() - lost:.2f} s (deadline {DEADLINE_S:g} s)")
    assert began_s > DEADLINE_S - BEAT_S - 0.1, "taken over before the deadline, counted from the last heartbeat"
    ground.go()
    ground.ended()
    if how == signal.SIGSTOP:
        os.kill(first.pid, signal.SIGCONT)
        told = ground.here.cli("dags", "trigger", "waits")
        assert told.returncode == 0
        ground.ended()
        assert first.poll() is None, "who thaws goes on"


@pytest.mark.soak
@pytest.mark.parametrize("ground", [True], indirect=True)
def test_rounds_of_kills_and_frosts_lose_none_of_thousands_of_triggers(ground: Ground) -> None:
    chance = random.Random(SEED)
    elder = ground.triggerer()
    ground.runs(LONG // 100)
    until(lambda: len(ground.begun(elder.pid)) == LONG, "all triggers run", 300)
    for n in range(ROUNDS):
        younger = ground.triggerer()
        lost = time.monotonic()
        os.kill(elder.pid, chance.choice([signal.SIGKILL, signal.SIGSTOP]))
        until(lambda pid=younger.pid: len(ground.begun(pid)) >= LONG, "all are taken over", 300)  # type: ignore[misc]
        print(f"round {n} of seed {SEED}: {LONG} taken over after {time.monotonic() - lost:.2f} s")
        if elder.poll() is None:
            os.kill(elder.pid, chance.choice([signal.SIGCONT, signal.SIGKILL]))
            os.kill(elder.pid, signal.SIGTERM)
        elder = younger
    ground.go()
    ground.ended(600)
