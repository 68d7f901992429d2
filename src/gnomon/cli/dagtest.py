"""`gnomon dags test`: one DAG, once, in the foreground, without touching the home's database."""

from __future__ import annotations

from datetime import datetime

import click

from gnomon.cli.conf import Conf
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import document, emit, output_option
from gnomon.cli.times import Moment, instant_of
from gnomon.cli.trial.progress import progress
from gnomon.cli.trial.run import Asked, try_dag
from gnomon.cli.trial.service import Trial
from gnomon.model.states import DagRunState

_FIELDS = ("task_id", "map_index", "state", "try_number", "start_date", "end_date")


@click.command()
@click.argument("file_or_id", metavar="FILE_OR_ID")
@click.option("--dag-id", help="Which DAG, when the file defines several.")
@click.option("-c", "--conf", type=Conf(), default="{}", help="JSON object that the run's tasks read, and its params.")
@click.option("-l", "--logical-date", type=Moment(), help="Logical date of the run; default: now.")
@output_option
@pass_home
def test(
    home: Home, file_or_id: str, dag_id: str | None, conf: dict[str, object], logical_date: datetime | None, output: str
) -> int:
    """Run one DAG to its end, here: a file, or the id of a DAG of this home.

    What tasks print and log is shown on stderr while they run, each line after the name of its task.

    The run uses a database of its own, with the home's Variables, connections and pools as they are now; what tasks
    write there is gone afterwards. Exit code 0 if the run succeeds, else 1.
    """
    now = home.clock.now()
    logical_at = instant_of(logical_date, home.cfg) if logical_date is not None else now
    with progress() as shown:
        trial = try_dag(home, Asked(file_or_id, dag_id, logical_at, conf), shown)
    if output == "table":
        emit(trial.tasks, output, (*_FIELDS, "reason"), empty="no task belongs to this run")
        click.echo(f"\nrun {trial.run.run_id} {trial.run.state}" + (f": {trial.run.reason}" if trial.run.reason else ""))
    else:
        document(_record(trial), output)
    return 0 if trial.run.state is DagRunState.SUCCESS else 1


def _record(trial: Trial) -> dict[str, object]:
    return {
        "run_id": trial.run.run_id,
        "state": trial.run.state.value,
        "tasks": [{name: getattr(row, name) for name in _FIELDS} for row in trial.tasks],
    }
