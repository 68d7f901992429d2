"""`gnomon runs wait`: waits for the end of a run, and tells how it ended by its exit code."""

from __future__ import annotations

from dataclasses import asdict

import click

from gnomon.changes.operations.run_operations import RunProgress, read_progress
from gnomon.entry.cli.deployment.api_errors import name_error
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import output_option, print_document
from gnomon.entry.cli.past_times import SecondsType
from gnomon.entry.cli.terminal.progress_line import ProgressLine
from gnomon.model.errors.product import UserError
from gnomon.model.ids import quote_arguments
from gnomon.queries.report.listings.not_found import NameNotFound

SUCCEEDED, FAILED, USAGE, TIMED_OUT = 0, 1, 2, 3
"""The exit codes."""
LOOK_S = 0.5
"""Interval between two reads of the run."""
COUNT_S = 5.0
"""Interval between two reads of its task instances, for the progress line."""


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.option(
    "--timeout",
    "timeout_s",
    type=SecondsType(),
    help="Give up after this time, for example 90s, 5m or 2h; default: never.",
)
@output_option
@pass_deployment
def wait(deployment: DeploymentAccess, dag_id: str, run_id: str, timeout_s: float | None, output: str) -> int:
    """Wait until RUN has ended, and print its state.

    Exit code 0: the run succeeded; 1: it failed; 2: wrong usage, or there is no such run; 3: it has not ended within --timeout.
    """
    try:
        progress = _wait_for_end(deployment, dag_id, run_id, timeout_s)
    except UserError as error:
        if name_error(error) != NameNotFound.__name__:
            raise
        click.echo(f"gnomon: {error}", err=True)
        return USAGE
    run = progress.run
    if output != "table":
        print_document(asdict(run), output)
    elif progress.is_finished:
        click.echo(run.state)
    if not progress.is_finished:
        click.echo(
            f"gnomon: run {run_id!r} of DAG {dag_id!r} is {run.state} after {timeout_s:g} s; `gnomon explain {quote_arguments(dag_id, run_id)}` says why",
            err=True,
        )
        return TIMED_OUT
    return SUCCEEDED if run.state == "success" else FAILED


def _wait_for_end(deployment: DeploymentAccess, dag_id: str, run_id: str, timeout_s: float | None) -> RunProgress:
    """The run when it has ended, or when the time is over. Raises UserError when there is no such run."""
    begun = deployment.clock.monotonic()
    count_at = begun
    is_warned = False
    with ProgressLine() as line:
        while True:
            now = deployment.clock.monotonic()
            progress = deployment.perform(read_progress, dag_id, run_id, line.is_shown and now >= count_at)
            if progress.task_states is not None:
                line.show(
                    f"{progress.run.state}: "
                    + ", ".join(f"{count} {state}" for state, count in progress.task_states.items())
                )
                count_at = now + COUNT_S
            if progress.is_finished or (timeout_s is not None and now - begun >= timeout_s):
                return progress
            if not progress.is_scheduler_alive and not is_warned:
                click.echo(
                    "no scheduler is alive, so the run does not go on; start one with: gnomon standalone", err=True
                )
                is_warned = True
            rest_s = LOOK_S if timeout_s is None else min(LOOK_S, timeout_s - (now - begun))
            deployment.sleep(max(rest_s, 0.001))
