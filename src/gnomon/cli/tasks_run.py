"""`gnomon tasks run`: runs one task instance of a run again through the scheduler, and follows its log."""

from __future__ import annotations

import click

from gnomon.actions.owner_requests import ask_owner
from gnomon.cli.home import Home, pass_home
from gnomon.cli.logs.log_follower import LogFollower, find_first_seq
from gnomon.cli.logs.log_stream import LineFormat
from gnomon.cli.output import utc_option
from gnomon.cli.pending_requests import print_pending
from gnomon.cli.task_selection import instance_arguments
from gnomon.cli.terminal.screen import read_screen
from gnomon.errors.product import UserError
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.log_files import AttemptLog, list_attempt_logs
from gnomon.report.listings.not_found import task_not_found
from gnomon.report.listings.run_list import TaskInstanceRow, find_run, list_task_instances
from gnomon.store import Database, Transaction

_FINISHED = {state.value for state in FINISHED_TASK_STATES}


@click.command()
@instance_arguments
@utc_option
@pass_home
def run(home: Home, dag_id: str, run_id: str, task_id: str, map_index: int) -> int:
    """Run TASK of RUN again, follow its log to its end, and tell by the exit code whether it succeeded (0) or not (1).

    The scheduler starts the task as `gnomon tasks clear` has it start: on a worker, and only when the run, the trigger rule, the pool and
    all limits permit. A task that has not ended is only followed. To try a task without a run, use `gnomon tasks test`.
    """
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id)
            dag_run = find_run(tx, dag, run_id)
            row = _select(tx, dag, dag_run, task_id, map_index)
            before = list_attempt_logs(tx, dag, dag_run, home.cfg.logs_folder, task_id, map_index)
        first = find_first_seq(before)
        if row.state in _FINISHED:
            first = max((log.seq for log in before), default=0) + 1
            body = {"dag_pk": dag.dag_pk, "run_pk": dag_run.run_pk, "tasks": [[dag.task_numbers[task_id], map_index]], "only_failed": False}
            reply = ask_owner(home, db, dag, "clear", body)
            if reply.answer is None:
                print_pending(reply)
                return 1
        return _follow(home, db, dag_id, run_id, task_id, map_index, first)


def _select(tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str, map_index: int) -> TaskInstanceRow:
    """The task instance. Raises NameNotFound for an unknown task, UserError for a map index that it does not have."""
    if task_id not in dag.task_numbers:
        raise task_not_found(dag.dag_id, task_id, dag.task_numbers)
    rows = [row for row in list_task_instances(tx, dag, run) if row.task_id == task_id]
    found = next((row for row in rows if row.map_index == map_index), None)
    if found is None:
        indices = sorted(row.map_index for row in rows if row.map_index >= 0)
        remedy = f"it is mapped: name one instance, such as {task_id}[{indices[0]}]" if indices else "see `gnomon tasks states`"
        raise UserError(f"task {task_id!r} has no such instance in run {run.run_id!r}; {remedy}")
    return found


def _follow(home: Home, db: Database, dag_id: str, run_id: str, task_id: str, map_index: int, first: int) -> int:
    line_format = LineFormat(read_screen(), has_names=False)

    def write(_log: AttemptLog, line: str) -> None:
        click.echo(line_format.format_line(line), color=True)

    rows = LogFollower(home, db, dag_id, run_id, write).follow(task_id, map_index, first)
    state = rows[0].state if rows else None
    return 0 if state == "success" else 1
