"""`gnomon dags test`: runs one DAG once in the foreground, in a database of its own."""

from __future__ import annotations

from datetime import datetime

import click

from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.output import output_option, print_document, print_records
from gnomon.entry.cli.parameter_types import ConfType, MomentType, resolve_instant
from gnomon.entry.cli.trial.trial_answers import Answer, AnswerType
from gnomon.entry.cli.trial.trial_progress import open_display
from gnomon.entry.cli.trial.trial_run import TrialRequest, run_trial
from gnomon.entry.cli.trial.trial_services import TrialStatus
from gnomon.model.states import DagRunState

_FIELDS = ("state", "try_number", "start_date", "end_date")


@click.command()
@click.argument("file_or_id", metavar="FILE_OR_ID")
@click.option("--dag-id", help="Id of the DAG, when the file defines several.")
@click.option(
    "-c", "--conf", type=ConfType(), default="{}", help="JSON object: the conf of the run, which also sets its params."
)
@click.option("-l", "--logical-date", type=MomentType(), help="Logical date of the run; default: now.")
@click.option(
    "--answer",
    "answers",
    type=AnswerType(),
    multiple=True,
    help='Answer of a person to a task that asks for one: TASK=OPTION, or TASK={"options": [...], "params": {...}}.',
)
@output_option
@pass_home
def test(
    home: Home,
    file_or_id: str,
    dag_id: str | None,
    conf: dict[str, object],
    logical_date: datetime | None,
    answers: tuple[tuple[str, Answer], ...],
    output: str,
) -> int:
    """Run one DAG once in the foreground, to its end. FILE_OR_ID is a DAG file or the id of a DAG of this home.

    The output and the logs of tasks appear on stderr while they run, each line after the name of its task.

    The run uses a database of its own, with copies of the home's Variables, connections and pools. That database is deleted
    afterwards, with everything that tasks wrote to it. Exit code 0 if the run succeeds, else 1.
    """
    now = home.clock.now()
    logical_at = resolve_instant(logical_date, home.cfg) if logical_date is not None else now
    with open_display() as display:
        trial = run_trial(home, TrialRequest(file_or_id, dag_id, logical_at, conf, dict(answers)), display)
    if output == "table":
        print_records(trial.tasks, output, (*_list_fields(trial), "reason"), empty="the run has no tasks")
        click.echo(
            f"\nrun {trial.run.run_id} {trial.run.state}" + (f": {trial.run.reason}" if trial.run.reason else "")
        )
    else:
        print_document(_record(trial), output)
    return 0 if trial.run.state is DagRunState.SUCCESS else 1


def _record(trial: TrialStatus) -> dict[str, object]:
    return {
        "run_id": trial.run.run_id,
        "state": trial.run.state.value,
        "tasks": [{name: getattr(row, name) for name in _list_fields(trial)} for row in trial.tasks],
    }


def _list_fields(trial: TrialStatus) -> tuple[str, ...]:
    """The fields of a task instance; with its label if one has a label."""
    has_labels = any(row.rendered_map_index is not None for row in trial.tasks)
    return ("task_id", "map_index", *(("rendered_map_index",) if has_labels else ()), *_FIELDS)
