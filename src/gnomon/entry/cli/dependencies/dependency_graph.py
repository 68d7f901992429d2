"""`gnomon dependencies graph`: the dependencies between all DAGs."""

from __future__ import annotations

from dataclasses import asdict

import click

from gnomon.entry.cli.dependencies.dag_lookup import load_all_specs
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.output import format_option, format_table, print_document
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.queries.report.pictures.wait_graph_svg import render_wait_graph_svg
from gnomon.queries.report.waits.sensor_waits import SENSOR
from gnomon.queries.report.waits.wait_graph import EdgeRow, format_dot, list_spec_edges, list_stored_edges
from gnomon.storage.store import DatabaseNotInitialised

_COLUMNS = ("downstream", "waits_for", "chosen")


@click.command()
@format_option("svg", "dot", text="Output format; dot is for Graphviz.")
@pass_home
def graph(home: Home, output: str) -> None:
    """Show the dependencies of all DAGs on other DAGs, and errors in them.

    Those of ExternalTaskSensor and ExternalTaskMarker are shown with the `depends_on=After(...)` that could take their place.

    The DAGs are those of the database; without a database, those of the files in the DAGs folder.
    """
    rows = _rows(home)
    if output == "svg":
        if not rows:
            raise UserError(say("no_dag_waits"))
        click.echo(render_wait_graph_svg(rows), nl=False)
    elif output == "dot":
        click.echo("\n".join(format_dot(rows)))
    elif output == "table":
        _print(rows)
    else:
        print_document([asdict(row) for row in rows], output)


def _rows(home: Home) -> list[EdgeRow]:
    try:
        with home.store() as db, db.read() as tx:
            return list_stored_edges(tx)
    except DatabaseNotInitialised:
        return list_spec_edges(load_all_specs(home))


def _print(rows: list[EdgeRow]) -> None:
    if not rows:
        click.echo("no DAG waits for another DAG")
        return
    click.echo(format_table([row.as_line() for row in rows], _COLUMNS))
    for line in dict.fromkeys(
        f"{row.downstream} could wait without a task: {row.could_be}" for row in rows if row.could_be
    ):
        click.echo(line)
    problems = dict.fromkeys(f"{row.dag_id}: {row.error}" for row in rows if row.error)
    problems |= dict.fromkeys(
        f"{row.downstream}: there is no DAG {row.upstream_dag_id}; {_describe_missing(row)}"
        for row in rows
        if row.unknown
    )
    for line in problems:
        click.echo(line, err=True)


def _describe_missing(row: EdgeRow) -> str:
    return "the sensor waits until its timeout" if row.kind == SENSOR else "runs wait until a file defines it"
