"""`gnomon dags versions`: the versions of a DAG, and what each changed."""

from __future__ import annotations

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.version_list import list_versions


@click.command()
@click.argument("dag_id", metavar="DAG")
@output_option
@pass_home
def versions(home: Home, dag_id: str, output: str) -> None:
    """List the versions of DAG, newest first: when each was made, its hash, and what it changed.

    Unfinished and cleared runs use the newest version: their tasks run the present code of the file.
    """
    with home.store() as db, db.read() as tx:
        rows = list_versions(tx, find_dag(tx, dag_id))
    print_records(rows, output, ("version", "created_at", "hash", "newest", "runs", "changes"))
