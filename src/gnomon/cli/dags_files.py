"""`gnomon dags warnings` and `gnomon dags reserialize`: what the DAG processor noticed, and having it read files again."""

from __future__ import annotations

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.cli.terminal.progress_line import ProgressLine
from gnomon.report.listings import import_problems
from gnomon.report.listings.dag_list import find_dag
from gnomon.store import Database, notify_on_commit
from gnomon.store.dag_records import dag_files

WAIT_S = 300.0
"""How long `reserialize` waits for the DAG processor."""
_LOOK_S = 0.5
_SILENT_S = 15.0
"""Without a parsed file for so long, `reserialize` names the DAG processor."""


@click.command("warnings")
@click.argument("dag_id", metavar="[DAG]", required=False)
@output_option
@pass_home
def warnings_command(home: Home, dag_id: str | None, output: str) -> None:
    """List the warnings about DAG, or about all files and DAGs: what was loaded and does not do what it seems to."""
    with home.store() as db, db.read() as tx:
        if dag_id is None:
            rows = import_problems.list_all_warnings(tx)
        else:
            dag = find_dag(tx, dag_id)
            rows = [import_problems.DagWarning(dag_id, dag.file, text) for text in import_problems.list_dag_warnings(tx, dag_id, dag.file)]
    print_records(rows, output, ("subject", "warning"), empty="no warnings")


@click.command()
@click.argument("dag_id", metavar="[DAG]", required=False)
@click.option("--no-wait", is_flag=True, help="Do not wait until the files have been read.")
@pass_home
def reserialize(home: Home, dag_id: str | None, no_wait: bool) -> int:
    """Have the DAG processor read all files again, or the file of DAG, although they have not changed.

    Changed files are read without this command. Exit code 0 when all files have been read, 1 when they have not been within 5 minutes.
    """
    with home.store() as db:
        with db.write() as tx:
            if dag_id is not None:
                find_dag(tx, dag_id)
            count = dag_files.mark_stale(tx, dag_id)
            notify_on_commit(tx)
        home.wake_services()
        files = f"{count} file{'s' if count != 1 else ''}"
        if no_wait or not count:
            click.echo(f"{files} will be read again" if count else "no files to read")
            return 0
        left = _wait(home, db, count)
    if left:
        click.echo(f"gnomon: {left} of {files} not read after {WAIT_S:g} s; the DAG processor reads them as soon as it runs", err=True)
        return 1
    click.echo(f"{files} read again; `gnomon dags errors` lists those that failed")
    return 0


def _wait(home: Home, db: Database, count: int) -> int:
    """Wait for the DAG processor; returns the number of files that are left."""
    begun = home.clock.monotonic()
    is_warned = False
    with ProgressLine() as line:
        while True:
            with db.read() as tx:
                left = len(dag_files.list_stale_files(tx))
            waited_s = home.clock.monotonic() - begun
            if not left or waited_s >= WAIT_S:
                return left
            line.show_share(max(0, count - left), count, "files")
            if waited_s >= _SILENT_S and left >= count and not is_warned:
                click.echo("no file was read yet: is a DAG processor alive? start one with: gnomon standalone, or gnomon dag-processor", err=True)
                is_warned = True
            home.sleep(_LOOK_S)
