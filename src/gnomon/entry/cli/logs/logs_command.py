"""`gnomon tasks logs`."""

from __future__ import annotations

import click

from gnomon.changes.operations import log_operations as operations
from gnomon.changes.operations.log_operations import AttemptFiles
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess, LogLines
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.logs.log_follower import LogFollower, find_first_seq
from gnomon.entry.cli.logs.log_stream import LineFormat, merge_logs
from gnomon.entry.cli.output import format_sentence, utc_option
from gnomon.entry.cli.task_selection import MAP_INDEX, split_choice
from gnomon.entry.cli.terminal.screen import read_screen
from gnomon.model.errors.product import UserError
from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import Command, RunName, say


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.argument("task", metavar="[TASK]", required=False)
@click.option("--map-index", type=MAP_INDEX, help="Map index of a mapped task; TASK[INDEX] says the same.")
@click.option("--try", "try_number", type=IntegerRange(1), help="Number of the try of TASK; default: the last one.")
@click.option(
    "-f",
    "--follow",
    is_flag=True,
    help="Continue until TASK, or RUN, has ended: also over retries, deferrals and waits.",
)
@utc_option
@pass_deployment
def logs(
    deployment: DeploymentAccess,
    dag_id: str,
    run_id: str,
    task: str | None,
    map_index: int | None,
    try_number: int | None,
    follow: bool,
) -> None:
    """Print the log of TASK in RUN, or without TASK the logs of all tasks of RUN in the order of their lines' times.

    The logs are read from the log folder, where the workers of this machine write them, else from the remote log folder, if there is one;
    with --api, from those of the api-server.
    """
    if task is None and (map_index is not None or try_number is not None):
        raise click.UsageError("--map-index and --try are about one task: name it after RUN")
    if follow and try_number is not None:
        raise click.UsageError("--follow begins with the last try and --try selects one: leave one of them out")
    task_id, index = (None, UNMAPPED) if task is None else split_choice(task, map_index)
    if follow:
        _follow(deployment, dag_id, run_id, task_id, index)
    elif task_id is None:
        _print_all(deployment, dag_id, run_id)
    else:
        _print_one(deployment, dag_id, run_id, task_id, index, try_number)


def _print_one(
    deployment: DeploymentAccess, dag_id: str, run_id: str, task_id: str, map_index: int, try_number: int | None
) -> None:
    files = deployment.perform(operations.list_try_logs, dag_id, run_id, task_id, map_index, try_number)
    line_format = LineFormat(read_screen(), has_names=False)
    for file in files:
        if len(files) > 1:
            click.echo(f"==> {deployment.describe_log(file)} <==", err=True)
        for line in deployment.open_task_log(dag_id, run_id, task_id, map_index, file).new_lines(is_over=True):
            click.echo(line_format.format_line(line), color=True)


def _print_all(deployment: DeploymentAccess, dag_id: str, run_id: str) -> None:
    logs = deployment.perform(operations.list_run_logs, dag_id, run_id).attempts
    if not logs:
        raise UserError(
            say("no_task_was_started", run=RunName(dag_id, run_id), command=Command("explain", (dag_id, run_id)))
        )
    missing = [log for log in logs if log.is_ended and not log.is_stored]
    write = _make_writer(has_names=True)

    def open_log(log: AttemptFiles, file: str) -> LogLines:
        return deployment.open_task_log(dag_id, run_id, log.task_id, log.map_index, file)

    for log, line in merge_logs(logs, open_log):
        write(log, line)
    if missing:
        click.echo(
            f"{len(missing)} of {len(logs)} logs are not on this machine: they are on those of their workers, or were removed",
            err=True,
        )


def _follow(deployment: DeploymentAccess, dag_id: str, run_id: str, task_id: str | None, map_index: int) -> None:
    index = None if map_index == UNMAPPED else map_index
    logs = deployment.perform(operations.list_run_logs, dag_id, run_id, task_id, index).attempts
    if task_id is not None and not logs:
        for sentence in deployment.perform(operations.explain_missing_log, dag_id, run_id, task_id, map_index):
            click.echo(f"--- {format_sentence(sentence)}", err=True)
    has_names = task_id is None or len({log.map_index for log in logs}) > 1
    first = find_first_seq(logs) if task_id is not None and not has_names else 0
    LogFollower(deployment, dag_id, run_id, _make_writer(has_names=has_names)).follow(task_id, index, first)


def _make_writer(*, has_names: bool) -> _Writer:
    return _Writer(LineFormat(read_screen(), has_names=has_names))


class _Writer:
    """Writes formatted lines to stdout, each at once."""

    def __init__(self, line_format: LineFormat) -> None:
        self._format = line_format

    def __call__(self, log: AttemptFiles, line: str) -> None:
        click.echo(self._format.format(log, line), color=True)
