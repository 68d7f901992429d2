"""`gnomon tasks logs`."""

from __future__ import annotations

import shutil
import sys

import click

from gnomon.cli.home import Home, pass_home
from gnomon.report.dags import find_dag
from gnomon.report.logs import log_files
from gnomon.report.runs import find_run


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.argument("task_id", metavar="TASK")
@click.option("--try", "try_number", type=click.IntRange(min=1), help="Which try; default: the last.")
@click.option("--map-index", type=int, default=-1, help="Which instance of a mapped task.")
@pass_home
def logs(home: Home, dag_id: str, run_id: str, task_id: str, try_number: int | None, map_index: int) -> None:
    """Print the log of TASK in RUN."""
    with home.store() as db, db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        found = log_files(tx, dag, run, task_id, map_index, try_number, home.cfg.logs_folder)
    for path in found:
        if len(found) > 1:
            click.echo(f"==> {path} <==", err=True)
        with path.open(errors="replace") as log:
            shutil.copyfileobj(log, sys.stdout)
