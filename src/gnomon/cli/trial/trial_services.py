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
from gnomon.app.service_process import Service, fork_service
from gnomon.app.triggerer_wiring import TriggererNotifier, run_triggerer_when_needed
from gnomon.cli.trial.private_home import to_environment
from gnomon.clock import Clock
from gnomon.config import Config, run_folder, set_current_config
from gnomon.errors.product import ResourceUnavailable
from gnomon.executors.local import LocalExecutor
from gnomon.model.instants import SECOND
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.processes.exit_reasons import describe_exit
from gnomon.processes.process_title import name_service
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.run_list import TaskInstanceRow, find_run, list_task_instances
from gnomon.scheduler.service import SchedulerService
from gnomon.scheduler.settings import build_scheduler_settings
from gnomon.store import Database
from gnomon.wakeups import Listener

CHILD_END_S = 10.0
"""A child that was told to end and does not is killed after so long."""
_CHECK_INTERVAL_S = 0.5
"""Between two looks at whether the children still live."""


@dataclass(frozen=True, slots=True)
class TrialStatus:
    """Where a run of a trial stands."""

    dag: DagRecord
    run: RunRecord
    tasks: list[TaskInstanceRow]


@contextmanager
def start_companions(cfg: Config) -> Iterator[Callable[[], None]]:
    """A worker for this home runs as a child, and a triggerer once a task waits for one; what is given raises WorldAway when
    one of them has died.

    They are forked here: this process must have one thread and no database open.
    """
    def work() -> int:
        from gnomon.worker import service

        return service.main(cfg)

    with _run_child(cfg, "worker", work) as check_worker, _run_child(cfg, "triggerer", lambda: run_triggerer_when_needed(cfg)) as check_triggerer:

        def check() -> None:
            check_worker()
            check_triggerer()

        yield check


@contextmanager
def _run_child(cfg: Config, name: str, serve: Callable[[], int]) -> Iterator[Callable[[], None]]:
    def settle_in() -> None:
        os.dup2(2, 1)  # what DAG files print while they are imported is not the answer of this command
        set_current_config(cfg)
        name_service(name, cfg.home)
        os.environ.update(to_environment(cfg.for_author_code()))  # noqa: TID251 - of this child, for the interpreters that it starts
        log.configure(name, "WARNING", "text")

    pid = fork_service(Service(name, serve), settle_in)
    ended: list[int] = []

    def check() -> None:
        if not ended:
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                ended.append(os.waitstatus_to_exitcode(status))
        if ended:
            raise ResourceUnavailable(f"the {name} of this test {describe_exit(ended[0])}; what it said stands above")

    try:
        yield check
    finally:
        if not ended:
            _stop_child(pid)


def run_scheduler(
    cfg: Config, db: Database, clock: Clock, look: Callable[[], TrialStatus], check: Callable[[], None],
    show: Callable[[list[TaskInstanceRow]], None],
) -> TrialStatus:  # fmt: skip
    """The run has ended: scheduled here, its tasks on the worker; each step was shown."""
    scheduler_id = str(uuid.uuid4())
    executor = LocalExecutor(scheduler_id)
    ear = Listener(run_folder(cfg.home), f"scheduler-{os.getpid()}")
    service = SchedulerService(
        settings=replace(build_scheduler_settings(cfg), use_schedule=False), db=db, executor=executor, clock=clock, listener=ear,
        new_id=lambda: str(uuid.uuid4()), scheduler_id=scheduler_id, host=socket.gethostname(),
        wake_triggerers=TriggererNotifier(cfg).notify,
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
            select.select([*executor.read_filenos(), ear.fileno()], [], [], max(0.0, min(seconds, _CHECK_INTERVAL_S)))
    finally:
        executor.close()
        ear.close()


def load_status(db: Database, dag_id: str, run_id: str) -> TrialStatus:
    """The run as the database has it now."""
    with db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        return TrialStatus(dag, run, list_task_instances(tx, dag, run))


def _stop_child(pid: int) -> None:
    """The process is gone and reaped."""
    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, CHILD_END_S)
    try:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
