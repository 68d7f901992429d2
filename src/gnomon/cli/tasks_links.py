"""`gnomon tasks links`: the links of a task instance into other systems."""

from __future__ import annotations

from dataclasses import dataclass

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.cli.task_selection import instance_arguments
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.extra_links import find_extra_links
from gnomon.report.listings.run_list import find_run


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link; `url` is None until an attempt of the task has given one."""

    name: str
    url: str | None


@click.command()
@instance_arguments
@output_option
@pass_home
def links(home: Home, dag_id: str, run_id: str, task_id: str, map_index: int, output: str) -> None:
    """Print the links of TASK in RUN into other systems: those of its operator, and those that plugins add.

    A link has its URL from the end of the last attempt on; the log of the attempt says why a link has none.
    """
    with home.store() as db, db.read() as tx:
        dag = find_dag(tx, dag_id)
        found = find_extra_links(tx, dag, find_run(tx, dag, run_id), task_id, map_index)
    print_records([LinkRow(name, url) for name, url in found.items()], output, ("name", "url"), empty="the task has no links")
