"""A home whose plugins folder has a timetable that does whatever its data says, and questions about it."""

from __future__ import annotations

import select
import time
from collections.abc import Mapping
from pathlib import Path

from tests.patience import PATIENCE_S

from gnomon.author_code.processes.task_api_messages import TaskApiHandler
from gnomon.author_code.timetable_host import (
    PLAN_RUNS,
    SubprocessTimetableHost,
    TimetableRequest,
    TimetableResponse,
    build_timetable_host_settings,
    pack_arguments,
    unpack_value,
)
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config
from gnomon.model.instants import SECOND
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.rules.planning import Plan

NOW = 1_767_225_600 * SECOND
CALL_S = 30.0
"""How long a call may take where none hangs."""
HASTE = {"GNOMON__SCHEDULER__TIMETABLE_TIMEOUT": "0.6"}
"""For calls that never end."""

MOODY = """
import ctypes, itertools, os, time
from datetime import datetime, timedelta
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable

class Moody(Timetable):
    def __init__(self, mood="well"):
        self.mood = mood

    def serialize(self):
        return {"mood": self.mood}

    @classmethod
    def deserialize(cls, data):
        return cls(**data)

    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        last = last_automated_data_interval
        moment = (restriction.earliest if last is None else last.end) + timedelta(hours=1)
        return getattr(self, self.mood)(moment)

    def well(self, moment):
        return DagRunInfo.exact(moment)

    def slow(self, moment):
        time.sleep(0.05)
        return DagRunInfo.exact(moment)

    def wait(self, moment):
        while not os.path.exists(f"{__file__}.go"):
            time.sleep(0.01)
        return DagRunInfo.exact(moment)

    def hang(self, moment):
        while True:
            time.sleep(0.01)

    def spin(self, moment):
        while True:
            pass

    def hang_once(self, moment):
        try:
            open(f"{__file__}.hung", "x").close()
        except FileExistsError:
            return self.slow(moment)
        self.hang(moment)

    def swallow(self, moment):
        while True:
            try:
                self.hang(moment)
            except BaseException:
                pass

    def hang_in_c(self, moment):
        sum(itertools.repeat(0))

    def leave(self, moment):
        os._exit(3)

    def sys_exit(self, moment):
        raise SystemExit("enough")

    def crash(self, moment):
        ctypes.string_at(0)

    def eat(self, moment):
        return [bytearray(2**20) for _ in range(10**6)]

    def fork_returns(self, moment):
        if os.fork():
            os.wait()
        return DagRunInfo.exact(moment)

    def fork_raises(self, moment):
        if os.fork() == 0:
            raise ValueError("only the fork fails")
        os.wait()
        return DagRunInfo.exact(moment)

    def fork_is_terminated(self, moment):
        pid = os.fork()
        if pid == 0:
            time.sleep(600)
        os.kill(pid, 2)
        os.kill(pid, 15)
        os.waitpid(pid, 0)
        return DagRunInfo.exact(moment)

    def no_text(self, moment):
        class E(Exception):
            def __str__(self):
                raise ValueError("no str")
        raise E

    def no_text_of_invalid(self, moment):
        from airflow.exceptions import AirflowTimetableInvalid
        class E(AirflowTimetableInvalid):
            def __str__(self):
                raise ValueError("no str")
        raise E

    def naive(self, moment):
        return DagRunInfo.exact(datetime(2026, 1, 1))

    def garbage(self, moment):
        return 7

    def chat(self, moment):
        print("x" * 1_500_000)
        return DagRunInfo.exact(moment)
"""


class Asking:
    """Questions to a real host process, and their answers by name."""

    def __init__(
        self, home: Path, environ: Mapping[str, str] | None = None, answers: TaskApiHandler | None = None
    ) -> None:
        self.home = home
        self.plugin = home / "plugins" / "moody.py"
        self.plugin.parent.mkdir(exist_ok=True)
        (home / "dags").mkdir(exist_ok=True)
        self.plugin.write_text(MOODY)
        limits = {
            "GNOMON__SCHEDULER__TIMETABLE_TIMEOUT": f"{CALL_S:g}",
            "GNOMON__DAG_PROCESSOR__PARSING_MEMORY_LIMIT": "256",
        }
        self.hosts = SubprocessTimetableHost(
            build_timetable_host_settings(load_config({**limits, **(environ or {})}, home)), SystemClock(), answers
        )
        self._numbers: dict[int, str] = {}
        self.answers: dict[str, TimetableResponse] = {}

    def ask(
        self,
        name: str,
        mood: str,
        *,
        path: str = "moody.Moody",
        file: str | None = None,
        input_hash: str = "1",
        hours: int = 3,
    ) -> None:
        """A DAG of that name is to be planned: `hours` runs are due."""
        ref = TimetableRef(path=path, data={"mood": mood}, builtin=False)
        dag = DagSpec(dag_id=name, timetable=ref, start_at=NOW - hours * 3600 * SECOND, catchup=True)
        number = len(self._numbers)
        self._numbers[number] = name
        self.hosts.ask(
            TimetableRequest(
                number=number,
                function=PLAN_RUNS,
                timetable=ref,
                file=file or str(self.home / "dags" / f"{name}.py"),
                input_hash=input_hash,
                arguments=pack_arguments(dag=dag, cursor=None, now=NOW, max_new_runs=200, has_unfinished_runs=False),
            )
        )

    def until(self, *names: str) -> None:
        """These have been answered."""
        ends_at = time.monotonic() + PATIENCE_S
        while not set(names) <= self.answers.keys():
            assert time.monotonic() < ends_at, f"not answered: {set(names) - self.answers.keys()}"
            for answer in self.hosts.collect():
                self.answers[self._numbers[answer.number]] = answer
            seconds = self.hosts.wake_in_s()
            if not set(names) <= self.answers.keys():
                select.select(self.hosts.filenos(), [], [], PATIENCE_S if seconds is None else seconds)

    def runs(self, name: str, mood: str, **about: object) -> int:
        """How many runs are planned for such a DAG."""
        self.ask(name, mood, **about)  # type: ignore[arg-type]
        self.until(name)
        answer = self.answers[name]
        assert answer.error is None, answer.error
        plan: Plan = unpack_value(answer, Plan)
        return len(plan.runs)

    def error(self, name: str, mood: str, **about: object) -> str:
        """The sentence for such a DAG."""
        self.ask(name, mood, **about)  # type: ignore[arg-type]
        self.until(name)
        error = self.answers[name].error
        assert error is not None
        return error

    def line_of(self, text: str) -> int:
        """Where the plugin has that text first."""
        return next(number for number, line in enumerate(self.plugin.read_text().splitlines(), 1) if text in line)
