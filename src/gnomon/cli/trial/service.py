"""The processes of a trial: a worker and a triggerer in children, the scheduler here, until the one run has ended."""

from __future__ import annotations

import os
import select
import signal
import socket
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from gnomon import log
from gnomon.app.children import Service, start
from gnomon.app.triggering import TriggererBell, when_wanted
from gnomon.app.words import how_it_ended
from gnomon.cli.trial.home import spoken
from gnomon.clock import Clock
from gnomon.config import Config, run_folder, set_ambient
from gnomon.errors.product import WorldAway
from gnomon.executors.local import LocalExecutor
from gnomon.model.instants import SECOND
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.processes.titles import name_service
from gnomon.report.dags import find_dag
from gnomon.report.runs import find_run
from gnomon.report.tasks import TaskInstanceRow, task_instances
from gnomon.scheduler.service import SchedulerService
from gnomon.scheduler.settings import settings_from
from gnomon.store import Database
from gnomon.wakeups import Ear

CHILD_END_S = 10.0
"""A child that was told to end and does not is killed after so long."""
_PAUSE_S = 0.5
"""Between two looks at whether the children still live."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Where a run of a trial stands."""

    dag: DagRecord
    run: RunRecord
    tasks: list[TaskInstanceRow]


@contextmanager
def companions(cfg: Config) -> Iterator[Callable[[], None]]:
    """A worker for this home runs as a child, and a triggerer once a task waits for one; what is given raises WorldAway when
    one of them has died.

    They are forked here: this process must have one thread and no database open.
    """
    def work() -> int:
        from gnomon.worker import service

        return service.main(cfg)

    with _child(cfg, "worker", work) as check_worker, _child(cfg, "triggerer", lambda: when_wanted(cfg)) as check_triggerer:

        def check() -> None:
            check_worker()
            check_triggerer()

        yield check


@contextmanager
def _child(cfg: Config, name: str, serve: Callable[[], int]) -> Iterator[Callable[[], None]]:
    def settle_in() -> None:
        os.dup2(2, 1)  # what DAG files print while they are imported is not the answer of this command
        set_ambient(cfg)
        name_service(name, cfg.home)
        os.environ.update(spoken(cfg.for_author_code()))  # noqa: TID251 - of this child, for the interpreters that it starts
        log.configure(name, "WARNING", "text")

    pid = start(Service(name, serve), settle_in)
    ended: list[int] = []

    def check() -> None:
        if not ended:
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                ended.append(os.waitstatus_to_exitcode(status))
        if ended:
            raise WorldAway(f"the {name} of this test {how_it_ended(ended[0])}; what it said stands above")

    try:
        yield check
    finally:
        if not ended:
            _end(pid)


def drive(
    cfg: Config, db: Database, clock: Clock, look: Callable[[], Trial], check: Callable[[], None],
    show: Callable[[list[TaskInstanceRow]], None],
) -> Trial:  # fmt: skip
    """The run has ended: scheduled here, its tasks on the worker; each step was shown."""
    scheduler_id = str(uuid.uuid4())
    executor = LocalExecutor(scheduler_id)
    ear = Ear(run_folder(cfg.home), f"scheduler-{os.getpid()}")
    service = SchedulerService(
        settings=replace(settings_from(cfg), use_schedule=False), db=db, executor=executor, clock=clock, ear=ear,
        new_id=lambda: str(uuid.uuid4()), scheduler_id=scheduler_id, host=socket.gethostname(),
        wake_triggerers=TriggererBell(cfg).ring,
    )  # fmt: skip
    try:
        while True:
            wake_at = service.tick()
            trial = look()
            show(trial.tasks)
            if trial.run.state in FINISHED_RUN_STATES:
                return trial
            check()
            seconds = (wake_at - clock.now()) / SECOND
            select.select([*executor.filenos(), ear.fileno()], [], [], max(0.0, min(seconds, _PAUSE_S)))
    finally:
        executor.close()
        ear.close()


def look(db: Database, dag_id: str, run_id: str) -> Trial:
    """The run as the database has it now."""
    with db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        return Trial(dag, run, task_instances(tx, dag, run))


def _end(pid: int) -> None:
    """The process is gone and reaped."""
    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, CHILD_END_S)
    try:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
