"""`gnomon runs release`: lets a run start without waiting for runs of other DAGs."""

from __future__ import annotations

import click

from gnomon.changes.operations.run_operations import release_run
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.pending_requests import print_pending


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.option(
    "--from", "up_dag", metavar="UPSTREAM_DAG", help="Release only from this DAG; the run still waits for others."
)
@click.option("--all", "everything", is_flag=True, help="Release from all DAGs that the run waits for.")
@click.option("--reason", help="Reason, recorded in the event log with your user name.")
@pass_deployment
def release(
    deployment: DeploymentAccess, dag_id: str, run_id: str, up_dag: str | None, everything: bool, reason: str | None
) -> None:
    """Release RUN, or its tasks, from waiting for runs of other DAGs.

    The run and its tasks start as soon as nothing else prevents them. Clearing the run makes it wait again.
    """
    if (up_dag is None) != everything:
        raise click.UsageError("give either --from UPSTREAM_DAG or --all")
    reply = deployment.perform(release_run, dag_id, run_id, up_dag, reason)
    if reply.answer is None:
        print_pending(reply)
        return
    released = reply.answer.get("released")
    names = ", ".join(map(str, released)) if isinstance(released, list) else ""
    click.echo(f"released run {run_id!r} of DAG {dag_id!r}" + (f" from {names}" if names else ""))
