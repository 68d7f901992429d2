"""`gnomon tasks test`: runs one task once in the foreground, in a database of its own."""

from __future__ import annotations

from datetime import datetime

import click

from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.output import output_option, print_document
from gnomon.entry.cli.parameter_types import ConfType, MomentType, resolve_instant
from gnomon.entry.cli.task_selection import MAP_INDEX, split_choice
from gnomon.entry.cli.trial.trial_answers import Answer, AnswerType
from gnomon.entry.cli.trial.trial_progress import open_display
from gnomon.entry.cli.trial.trial_run import TrialRequest, run_trial
from gnomon.model.ids import UNMAPPED


@click.command()
@click.argument("file_or_id", metavar="FILE_OR_ID")
@click.argument("task_id", metavar="TASK")
@click.argument("date", metavar="[DATE]", type=MomentType(), required=False)
@click.option("--map-index", type=MAP_INDEX, help="Map index of a mapped task; TASK[INDEX] says the same.")
@click.option("--dag-id", help="Id of the DAG, when the file defines several.")
@click.option("-l", "--logical-date", type=MomentType(), help="The same as DATE.")
@click.option(
    "-c", "--conf", type=ConfType(), default="{}", help="JSON object: the conf of the run, which also sets its params."
)
@click.option(
    "--answer", "answers", type=AnswerType(), multiple=True, help="Answer of a person, as in `gnomon dags test`."
)
@output_option
@pass_home
def test(
    home: Home,
    file_or_id: str,
    task_id: str,
    map_index: int | None,
    date: datetime | None,
    dag_id: str | None,
    logical_date: datetime | None,
    conf: dict[str, object],
    answers: tuple[tuple[str, Answer], ...],
    output: str,
) -> int:
    """Run TASK once in the foreground, for the logical date DATE (default: now). FILE_OR_ID is a DAG file or the id of a DAG.

    Nothing is stored, as in Airflow: the task runs in a database of its own, with copies of the Variables, connections and pools of the home.
    Upstream tasks, retries and callbacks of the run are left out, so XComs of upstream tasks are missing. Of a task that is mapped over values of the
    file, TASK[INDEX] runs one instance. The log appears on stderr.
    Exit code 0 if the task succeeds or is skipped, else 1.
    """
    if date is not None and logical_date is not None:
        raise click.UsageError("DATE and --logical-date are the same: give one of them")
    date = date if date is not None else logical_date
    logical_at = resolve_instant(date, home.cfg) if date is not None else home.clock.now()
    named, index = split_choice(task_id, map_index)
    chosen = None if index == UNMAPPED else index
    with open_display() as display:
        trial = run_trial(
            home, TrialRequest(file_or_id, dag_id, logical_at, conf, dict(answers), named, chosen), display
        )
    row = next(row for row in trial.tasks if row.map_index == index)
    if output == "table":
        click.echo(f"{row.name} {row.state}" + (f": {row.reason}" if row.reason else ""))
    else:
        print_document(
            {
                "task_id": row.task_id,
                "map_index": row.map_index,
                "state": row.state,
                "start_date": row.start_date,
                "end_date": row.end_date,
                "reason": row.reason,
            },
            output,
        )
    return 0 if row.state in ("success", "skipped") else 1
