"""`gnomon tasks run`: runs one task instance of a run again through the scheduler, and follows its log."""

from __future__ import annotations

import click

from gnomon.changes.operations import log_operations, task_operations
from gnomon.changes.operations.log_operations import AttemptFiles
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.logs.log_follower import LogFollower, find_first_seq
from gnomon.entry.cli.logs.log_stream import LineFormat
from gnomon.entry.cli.output import utc_option
from gnomon.entry.cli.pending_requests import print_pending
from gnomon.entry.cli.task_selection import instance_arguments
from gnomon.entry.cli.terminal.screen import read_screen
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Command, RunName, TaskName, say
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.queries.report.listings.run_list import TaskInstanceRow


@click.command()
@instance_arguments
@utc_option
@pass_deployment
def run(deployment: DeploymentAccess, dag_id: str, run_id: str, task_id: str, map_index: int) -> int:
    """Run TASK of RUN again, follow its log to its end, and tell by the exit code whether it succeeded (0) or not (1).

    The scheduler starts the task as `gnomon tasks clear` has it start: on a worker, and only when the run, the trigger rule, the pool and
    all limits permit. A task that has not ended is only followed. To try a task without a run, use `gnomon tasks test`.
    """
    run_logs = deployment.perform(log_operations.list_run_logs, dag_id, run_id, task_id)
    row = _select(run_logs.instances, dag_id, run_id, task_id, map_index)
    before = [log for log in run_logs.attempts if log.map_index == map_index]
    first = find_first_seq(before)
    if row.state in FINISHED_TASK_STATES:
        first = max((log.seq for log in before), default=0) + 1
        change = deployment.perform(task_operations.clear_tasks, dag_id, run_id, [task_id], map_index=map_index)
        if change.reply is not None and change.reply.answer is None:
            print_pending(change.reply)
            return 1
    return _follow(deployment, dag_id, run_id, task_id, map_index, first)


def _select(rows: list[TaskInstanceRow], dag_id: str, run_id: str, task_id: str, map_index: int) -> TaskInstanceRow:
    """The task instance. Raises UserError for a map index that the task does not have."""
    chosen = next((row for row in rows if row.map_index == map_index), None)
    if chosen is None:
        indices = sorted(row.map_index for row in rows if row.map_index >= 0)
        remedy = (
            say("name_one_instance", task=TaskName(dag_id, run_id, task_id, indices[0]))
            if indices
            else say("see_command", command=Command("tasks states"))
        )
        raise UserError(say("task_has_no_such_instance", task_id=task_id, run=RunName(dag_id, run_id), hint=remedy))
    return chosen


def _follow(deployment: DeploymentAccess, dag_id: str, run_id: str, task_id: str, map_index: int, first: int) -> int:
    line_format = LineFormat(read_screen(), has_names=False)

    def write(_log: AttemptFiles, line: str) -> None:
        click.echo(line_format.format_line(line), color=True)

    rows = LogFollower(deployment, dag_id, run_id, write).follow(task_id, map_index, first)
    state = rows[0].state if rows else None
    return 0 if state == "success" else 1
