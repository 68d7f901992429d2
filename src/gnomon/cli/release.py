"""`gnomon runs release`: lets a run start without waiting for runs of other DAGs."""

from __future__ import annotations

import click

from gnomon.actions.owner_requests import ask_owner
from gnomon.cli.home import Home, pass_home
from gnomon.cli.pending_requests import print_pending
from gnomon.errors.product import UserError, find_close_matches
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.report.explanations.upstream_wait_status import list_upstreams
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.run_list import find_run
from gnomon.store import Transaction


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.option("--from", "up_dag", metavar="UPSTREAM_DAG", help="Release only from this DAG; the run still waits for others.")
@click.option("--all", "everything", is_flag=True, help="Release from all DAGs that the run waits for.")
@click.option("--reason", help="Reason, recorded in the event log with your user name.")
@pass_home
def release(home: Home, dag_id: str, run_id: str, up_dag: str | None, everything: bool, reason: str | None) -> None:
    """Release RUN, or its tasks, from waiting for runs of other DAGs.

    The run and its tasks start as soon as nothing else prevents them. Clearing the run makes it wait again.
    """
    if (up_dag is None) != everything:
        raise click.UsageError("give either --from UPSTREAM_DAG or --all")
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id)
            run = find_run(tx, dag, run_id)
            _check_releasable(tx, dag, run, up_dag)
        reply = ask_owner(home, db, dag, "release", {"dag_pk": dag.dag_pk, "run_pk": run.run_pk, "up_dag": up_dag, "reason": reason})
    if reply.answer is None:
        print_pending(reply)
        return
    released = reply.answer.get("released")
    names = ", ".join(map(str, released)) if isinstance(released, list) else ""
    click.echo(f"released run {run_id!r} of DAG {dag_id!r}" + (f" from {names}" if names else ""))


def _check_releasable(tx: Transaction, dag: DagRecord, run: RunRecord, up_dag: str | None) -> None:
    """Raise UserError when the run is not waiting, or not for that DAG: no request to the owner is needed then."""
    if run.state in FINISHED_RUN_STATES:
        raise UserError(f"run {run.run_id!r} ended in state {run.state}; it waits for nothing")
    upstreams = list_upstreams(tx, dag, run)
    if not upstreams:
        raise UserError(f"run {run.run_id!r} of DAG {dag.dag_id!r} waits for no other DAG; `gnomon explain` says what it waits for")
    if up_dag is not None and up_dag not in upstreams:
        near = find_close_matches(up_dag, upstreams)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UserError(f"run {run.run_id!r} does not depend on DAG {up_dag!r}; it depends on {', '.join(upstreams)}{hint}")
