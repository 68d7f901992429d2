"""`gnomon runs wait`: waits for the end of a run, and tells how it ended by its exit code."""

from __future__ import annotations

from dataclasses import asdict

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_document
from gnomon.cli.past_times import SecondsType
from gnomon.cli.terminal.progress_line import ProgressLine
from gnomon.model.records import RunRecord
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.not_found import NameNotFound
from gnomon.report.listings.process_health import is_scheduler_alive
from gnomon.report.listings.run_list import build_run_row, count_states, find_run, list_task_instances
from gnomon.store import Database

SUCCEEDED, FAILED, USAGE, TIMED_OUT = 0, 1, 2, 3
"""The exit codes."""
LOOK_S = 0.5
"""Interval between two reads of the run."""
COUNT_S = 5.0
"""Interval between two reads of its task instances, for the progress line."""


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.option("--timeout", "timeout_s", type=SecondsType(), help="Give up after this time, for example 90s, 5m or 2h; default: never.")
@output_option
@pass_home
def wait(home: Home, dag_id: str, run_id: str, timeout_s: float | None, output: str) -> int:
    """Wait until RUN has ended, and print its state.

    Exit code 0: the run succeeded; 1: it failed; 2: wrong usage, or there is no such run; 3: it has not ended within --timeout.
    """
    with home.store() as db:
        try:
            run = _wait_for_end(home, db, dag_id, run_id, timeout_s)
        except NameNotFound as error:
            click.echo(f"gnomon: {error}", err=True)
            return USAGE
    if output != "table":
        print_document(asdict(build_run_row(dag_id, run)), output)
    elif run.state in FINISHED_RUN_STATES:
        click.echo(run.state.value)
    if run.state not in FINISHED_RUN_STATES:
        click.echo(f"gnomon: run {run_id!r} of DAG {dag_id!r} is {run.state} after {timeout_s:g} s; `gnomon explain {dag_id} {run_id}` says why", err=True)
        return TIMED_OUT
    return SUCCEEDED if run.state is DagRunState.SUCCESS else FAILED


def _wait_for_end(home: Home, db: Database, dag_id: str, run_id: str, timeout_s: float | None) -> RunRecord:
    """The run when it has ended, or when the time is over. Raises NameNotFound."""
    begun = home.clock.monotonic()
    count_at = begun
    is_warned = False
    with ProgressLine() as line:
        while True:
            with db.read() as tx:
                dag = find_dag(tx, dag_id)
                run = find_run(tx, dag, run_id)
                alive = is_scheduler_alive(tx)
                now = home.clock.monotonic()
                if line.is_shown and now >= count_at:
                    counts = count_states(list_task_instances(tx, dag, run))
                    line.show(f"{run.state}: " + ", ".join(f"{count} {state}" for state, count in counts.items()))
                    count_at = now + COUNT_S
            if run.state in FINISHED_RUN_STATES or (timeout_s is not None and now - begun >= timeout_s):
                return run
            if not alive and not is_warned:
                click.echo("no scheduler is alive, so the run does not go on; start one with: gnomon standalone", err=True)
                is_warned = True
            rest_s = LOOK_S if timeout_s is None else min(LOOK_S, timeout_s - (now - begun))
            home.sleep(max(rest_s, 0.001))
