"""`gnomon tasks logs`."""

from __future__ import annotations

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.logs.log_follower import LogFollower, find_first_seq
from gnomon.cli.logs.log_stream import LineFormat, merge_logs
from gnomon.cli.output import format_sentence, utc_option
from gnomon.cli.task_selection import MAP_INDEX, split_choice
from gnomon.cli.terminal.screen import read_screen
from gnomon.engine.state.engine_state import EngineLimits
from gnomon.errors.product import UserError
from gnomon.model.ids import UNMAPPED, quote_argument
from gnomon.report.explanations.explanation import explain_task
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.log_files import AttemptLog, find_log_files, list_attempt_logs
from gnomon.report.listings.log_tail import LogTail
from gnomon.report.listings.not_found import task_not_found
from gnomon.report.listings.run_list import find_run
from gnomon.store import Database


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.argument("task", metavar="[TASK]", required=False)
@click.option("--map-index", type=MAP_INDEX, help="Map index of a mapped task; TASK[INDEX] says the same.")
@click.option("--try", "try_number", type=click.IntRange(min=1), help="Number of the try of TASK; default: the last one.")
@click.option("-f", "--follow", is_flag=True, help="Continue until TASK, or RUN, has ended: also over retries, deferrals and waits.")
@utc_option
@pass_home
def logs(
    home: Home, dag_id: str, run_id: str, task: str | None, map_index: int | None, try_number: int | None, follow: bool
) -> None:
    """Print the log of TASK in RUN, or without TASK the logs of all tasks of RUN in the order of their lines' times.

    The logs are read from files in this home, where the workers of this machine write them.
    """
    if task is None and (map_index is not None or try_number is not None):
        raise click.UsageError("--map-index and --try are about one task: name it after RUN")
    if follow and try_number is not None:
        raise click.UsageError("--follow begins with the last try and --try selects one: leave one of them out")
    task_id, index = (None, UNMAPPED) if task is None else split_choice(task, map_index)
    with home.store() as db:
        if follow:
            _follow(home, db, dag_id, run_id, task_id, index)
        elif task_id is None:
            _print_all(home, db, dag_id, run_id)
        else:
            _print_one(home, db, dag_id, run_id, task_id, index, try_number)


def _print_one(home: Home, db: Database, dag_id: str, run_id: str, task_id: str, map_index: int, try_number: int | None) -> None:
    with db.read() as tx:
        dag = find_dag(tx, dag_id)
        paths = find_log_files(tx, dag, find_run(tx, dag, run_id), task_id, map_index, try_number, home.cfg.logs_folder)
    line_format = LineFormat(read_screen(), has_names=False)
    for path in paths:
        if len(paths) > 1:
            click.echo(f"==> {path} <==", err=True)
        for line in LogTail(path).new_lines(is_over=True):
            click.echo(line_format.format_line(line), color=True)


def _print_all(home: Home, db: Database, dag_id: str, run_id: str) -> None:
    with db.read() as tx:
        dag = find_dag(tx, dag_id)
        found = list_attempt_logs(tx, dag, find_run(tx, dag, run_id), home.cfg.logs_folder)
    if not found:
        raise UserError(f"no task of run {run_id!r} has been started; `gnomon explain {dag_id} {quote_argument(run_id)}` says why")
    missing = [log for log in found if log.is_ended and not any(path.is_file() for path in log.paths)]
    write = _make_writer(has_names=True)
    for log, line in merge_logs(found):
        write(log, line)
    if missing:
        click.echo(f"{len(missing)} of {len(found)} logs are not on this machine: they are on those of their workers, or were removed", err=True)


def _follow(home: Home, db: Database, dag_id: str, run_id: str, task_id: str | None, map_index: int) -> None:
    index = None if map_index == UNMAPPED else map_index
    with db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        if task_id is not None and task_id not in dag.task_numbers:
            raise task_not_found(dag_id, task_id, dag.task_numbers)
        found = list_attempt_logs(tx, dag, run, home.cfg.logs_folder, task_id, index)
        if task_id is not None and not found:
            limits = EngineLimits(parallelism=home.cfg.integer("core", "parallelism") or None)
            for sentence in explain_task(tx, dag, run, task_id, map_index, limits, home.clock.now()):
                click.echo(f"--- {format_sentence(sentence)}", err=True)
    has_names = task_id is None or len({log.map_index for log in found}) > 1
    first = find_first_seq(found) if task_id is not None and not has_names else 0
    LogFollower(home, db, dag_id, run_id, _make_writer(has_names=has_names)).follow(task_id, index, first)


def _make_writer(*, has_names: bool) -> _Writer:
    return _Writer(LineFormat(read_screen(), has_names=has_names))


class _Writer:
    """Writes formatted lines to stdout, each at once."""

    def __init__(self, line_format: LineFormat) -> None:
        self._format = line_format

    def __call__(self, log: AttemptLog, line: str) -> None:
        click.echo(self._format.format(log, line), color=True)
