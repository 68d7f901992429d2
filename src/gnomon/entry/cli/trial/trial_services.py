"""The services of a trial: worker and triggerer in child processes, the scheduler in this one, until the run has ended."""

from __future__ import annotations

import os
import select
import signal
import socket
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gnomon.author_code.processes.exit_reasons import describe_exit
from gnomon.author_code.processes.process_title import name_service
from gnomon.entry.app.on_demand import TRIGGERER, OnDemandStart
from gnomon.entry.app.scheduler_wiring import create_timetable_host
from gnomon.entry.app.service_process import Service, fork_service
from gnomon.entry.app.triggerer_wiring import run_triggerer
from gnomon.entry.testing.dag_runs.marking_executor import MarkingExecutor
from gnomon.entry.testing.dag_runs.private_home import to_environment
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config, run_folder, set_current_config
from gnomon.ground.wakeups import Listener
from gnomon.model.errors.product import ResourceUnavailable
from gnomon.model.instants import SECOND
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import say
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import TaskInstanceRow, find_run, list_task_instances
from gnomon.services.executors.interface import Executor
from gnomon.services.executors.local import LocalExecutor
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import build_trial_settings
from gnomon.storage.store import Database

ATTEMPT_END_S = 1.0
"""How long an attempt may take to end after SIGTERM when the trial is interrupted, before it is killed."""
CHILD_END_S = 10.0
"""How long a child process may take to end after SIGTERM before it is killed."""
MISSING_POOL_SLOTS = 128
"""Slots of a pool that a task or a cluster policy names but the home does not have."""
_CHECK_INTERVAL_S = 0.5
"""Interval between two checks whether the child processes are alive."""


@dataclass(frozen=True, slots=True)
class TrialStatus:
    """The run of a trial and its task instances, as the database has them."""

    dag: DagRecord
    run: RunRecord
    tasks: list[TaskInstanceRow]


@contextmanager
def start_companions(cfg: Config) -> Iterator[Callable[[], None]]:
    """Run a worker as a child process, and a triggerer as soon as a task is deferred to a trigger.

    Yields a function that raises ResourceUnavailable when one of them has died. Both processes are forked here: this process
    must have one thread and no open database.
    """

    def work() -> int:
        from gnomon.services.worker import service  # needed in the child process only

        return service.main(cfg, ATTEMPT_END_S)

    with (
        _run_child(cfg, "worker", work) as check_worker,
        _run_child(
            cfg, "triggerer", lambda: run_triggerer(cfg) if OnDemandStart(cfg, TRIGGERER).wait() else 0
        ) as check_triggerer,
    ):

        def check() -> None:
            check_worker()
            check_triggerer()

        yield check


@contextmanager
def _run_child(cfg: Config, name: str, serve: Callable[[], int]) -> Iterator[Callable[[], None]]:
    def settle_in() -> None:
        os.dup2(2, 1)  # the output of imported DAG files must not mix with this command's on stdout
        set_current_config(cfg)
        name_service(name, cfg.home)
        os.environ.update(to_environment(cfg.for_author_code()))  # noqa: TID251 - of this child, for the interpreters that it starts
        log.configure(name, "WARNING", "text")

    pid = fork_service(Service(name, serve), settle_in)
    exit_codes: list[int] = []

    def check() -> None:
        if not exit_codes:
            ended_pid, status = os.waitpid(pid, os.WNOHANG)
            if ended_pid:
                exit_codes.append(os.waitstatus_to_exitcode(status))
        if exit_codes:
            raise ResourceUnavailable(
                say("process_of_test_ended", process_kind=name, reason=describe_exit(exit_codes[0]))
            )

    try:
        yield check
    finally:
        if not exit_codes:
            _stop_child(pid)


def run_scheduler(
    cfg: Config,
    db: Database,
    clock: Clock,
    look: Callable[[], TrialStatus],
    check: Callable[[], None],
    show: Callable[[list[TaskInstanceRow]], None],
    only_index: int | None = None,
) -> TrialStatus:
    """Run the scheduler in this process until the run and its callbacks have ended, and return the final status.

    `look`: reads the current status. `check`: raises when a child process has died. `show`: receives the task instances after
    each step. `only_index`: task instances with another map index end as success without running.
    """
    scheduler_id = str(uuid.uuid4())
    executor: Executor = LocalExecutor(scheduler_id)
    if only_index is not None:
        executor = MarkingExecutor(executor, lambda _: None, clock, only_index)
    listener = Listener(run_folder(cfg.home), f"scheduler-{os.getpid()}")
    timetables = create_timetable_host(cfg, db)
    service = SchedulerService(
        settings=build_trial_settings(cfg),
        db=db,
        executor=executor,
        clock=clock,
        listener=listener,
        new_id=lambda: str(uuid.uuid4()),
        scheduler_id=scheduler_id,
        host=socket.gethostname(),
        wake_triggerers=OnDemandStart(cfg, TRIGGERER).notify,
        timetables=timetables,
        missing_pool_slots=MISSING_POOL_SLOTS,
    )
    try:
        while True:
            wake_at = service.tick()
            trial = look()
            show(trial.tasks)
            if trial.run.state in FINISHED_RUN_STATES and not service.engine_state.callbacks:
                return trial
            check()
            seconds = (wake_at - clock.now()) / SECOND
            select.select(
                [*executor.read_filenos(), *timetables.filenos(), listener.fileno()],
                [],
                [],
                max(0.0, min(seconds, _CHECK_INTERVAL_S)),
            )
    finally:
        timetables.close()
        executor.close()
        listener.close()


def load_status(db: Database, dag_id: str, run_id: str) -> TrialStatus:
    """The run as the database has it now."""
    with db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        return TrialStatus(dag, run, list_task_instances(tx, dag, run))


def _stop_child(pid: int) -> None:
    """End the process with SIGTERM, or SIGKILL after CHILD_END_S, and reap it. A Ctrl-C meanwhile changes nothing: that is what it does."""
    before_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, CHILD_END_S)
    try:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.signal(signal.SIGINT, before_interrupt)
