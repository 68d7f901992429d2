"""`gnomon runs list`: the runs of one DAG or of all DAGs."""

from __future__ import annotations

import click

from gnomon.changes.operations.run_operations import list_runs, list_runs_of_all_dags
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import output_option, print_records
from gnomon.entry.cli.past_times import PastTime, PastTimeType
from gnomon.entry.cli.terminal.screen import is_utc_asked
from gnomon.model.ids import quote_argument
from gnomon.model.states import DagRunState

LIMIT = 50
"""Runs of all DAGs that are listed unless `--limit` says otherwise."""


@click.command("list")
@click.argument("dag_id", metavar="[DAG]", required=False)
@click.option("--state", type=click.Choice([state.value for state in DagRunState]), help="Only runs in this state.")
@click.option(
    "--since",
    type=PastTimeType(),
    help="Only runs that ended since then, and unfinished ones: today, yesterday, 2h, 2026-11-01, or a time in ISO 8601.",
)
@click.option(
    "--limit", type=IntegerRange(1), help=f"At most so many runs; default: all runs of DAG, {LIMIT} of all DAGs."
)
@output_option
@pass_deployment
def list_runs_command(
    deployment: DeploymentAccess,
    dag_id: str | None,
    state: str | None,
    since: PastTime | None,
    limit: int | None,
    output: str,
) -> None:
    """List the runs of DAG, or of all DAGs, newest first.

    Of all DAGs, ended runs are in the order of their ends with --state or --since; otherwise runs are in the order in which they were created.
    """
    since_at = None if since is None else since.resolve(deployment.clock.now(), is_utc_asked())
    most = LIMIT if dag_id is None and limit is None else limit
    row_limit = None if most is None else most + 1
    if dag_id is None:
        rows = deployment.perform(list_runs_of_all_dags, state, since_at, row_limit or LIMIT)
    else:
        rows = deployment.perform(list_runs, dag_id, state, since_at, row_limit)
    is_cut = most is not None and len(rows) > most
    columns = ("run_id", "run_type", "state", "run_after", "start_date", "end_date", "reason")
    print_records(
        rows[:most],
        output,
        columns if dag_id is not None else ("dag_id", *columns),
        empty=_describe_none(dag_id, state, since),
    )
    if is_cut and output == "table":
        click.echo(f"more than {most} runs; --limit {2 * (most or 0)} shows more", err=True)


def _describe_none(dag_id: str | None, state: str | None, since: PastTime | None) -> str:
    if state is not None or since is not None:
        return f"no {state + ' ' if state else ''}runs" + (" since then" if since is not None else "")
    if dag_id is not None:
        return f"no runs; `gnomon explain {quote_argument(dag_id)}` says why"
    return "no runs yet; `gnomon dags trigger DAG` creates one"
