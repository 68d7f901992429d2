"""`gnomon tasks render`: the rendered templates of a task, for a run or for a date."""

from __future__ import annotations

import click

from gnomon.author_code.timetable_host import ask_and_wait
from gnomon.changes.actions.author_queries import plan_manual_run
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.output import output_option, print_document
from gnomon.entry.cli.parameter_types import MomentType, resolve_instant
from gnomon.entry.cli.task_selection import MAP_INDEX, split_choice
from gnomon.entry.cli.terminal.screen import read_screen
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.errors.product import UserError
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import iso
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Command, say
from gnomon.model.states import DagRunType
from gnomon.model.task_api_requests import AnyTaskApiRequest
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_list import find_run, list_task_instances
from gnomon.queries.taskapi import TaskApiRefused, answer_task
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.dag_records import dag_runs

_RENDER = "gnomon.author_code.runner.template_rendering:render_task_fields"


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("task", metavar="TASK")
@click.argument("run_or_date", metavar="[RUN|DATE]", required=False)
@click.option("--map-index", type=MAP_INDEX, help="Map index of a mapped task; TASK[INDEX] says the same.")
@output_option
@pass_home
def render(home: Home, dag_id: str, task: str, run_or_date: str | None, map_index: int | None, output: str) -> None:
    """Print the template fields of TASK as RUN, or a manual run with the logical date DATE (default: now), would see them.

    The fields are rendered now, from the DAG file as it is, in a process of their own. The page and the API show those of the last attempt that ended.
    Templates read Variables, connections and XComs; a template that writes one is refused.
    """
    task_id, index = split_choice(task, map_index)
    with home.store() as db:
        with db.read() as tx:
            dag = find_dag(tx, dag_id)
            if task_id not in dag.task_numbers:
                raise task_not_found(dag_id, task_id, dag.task_numbers)
            run = _find_run(home, tx, dag, run_or_date)
            count = _count_instances(tx, dag, run, task_id)
        if index < 0 and count is not None:
            raise UserError(
                say(
                    "mapped_task_is_rendered_by_instance",
                    task_id=task_id,
                    question=say("run_with_expansion") if not count else say("one_of_its_instances", number=count),
                    command=Command("tasks render", (dag_id, f"{task_id}[0]")),
                )
            )
        attempt = Attempt(
            attempt_id="render",
            group_no=dag.group_no,
            epoch=0,
            run=run,
            task_id=task_id,
            task_no=dag.task_numbers[task_id],
            map_index=index,
            file=dag.file,
            expanded_count=count,
        )
        try:
            fields: list[tuple[str, str]] = ask_and_wait(
                home.cfg,
                _RENDER,
                list[tuple[str, str]],
                imports=True,
                path=dag.file,
                attempt=attempt,
                answers=lambda request: _answer_reads(db, attempt, request),
            )
        except PlanningError as error:
            raise UserError(say("fields_cannot_be_rendered", error=str(error))) from None
    if output == "table":
        screen = read_screen()
        click.echo(
            "\n".join(f"{screen.paint(name, 'bold')}\n{_indent(text)}" for name, text in fields)
            or "the task has no template fields"
        )
    else:
        print_document(dict(fields), output)


def _find_run(home: Home, tx: Transaction, dag: DagRecord, run_or_date: str | None) -> RunFacts:
    """The named run, or the manual run that a date would give. Raises NameNotFound for a text that is neither."""
    stored = None if run_or_date is None else dag_runs.find_stored_run(tx, dag.dag_id, run_or_date)
    if stored is not None:
        return RunFacts(
            run_pk=stored.run_pk,
            dag_id=dag.dag_id,
            run_id=stored.run_id,
            run_type=stored.run_type.value,
            run_after=stored.run_after,
            logical_at=stored.logical_at,
            interval_start=stored.interval_start,
            interval_end=stored.interval_end,
            queued_at=stored.queued_at,
            started_at=stored.started_at,
            ended_at=stored.ended_at,
            state=stored.state.value,
            conf=stored.conf,
            partition_key=stored.partition_key,
            partition_date=stored.partition_date,
        )
    now = home.clock.now()
    try:
        logical_at = (
            now if run_or_date is None else resolve_instant(MomentType().convert(run_or_date, None, None), home.cfg)
        )
    except click.BadParameter:
        find_run(tx, dag, run_or_date or "")
        raise
    planned = plan_manual_run(home.cfg, dag.spec, dag.file, logical_at, now)
    return RunFacts(
        run_pk=0,
        dag_id=dag.dag_id,
        run_id=DagRunType.MANUAL.generate_run_id(iso(logical_at)),
        run_type="manual",
        run_after=planned.run_after,
        logical_at=logical_at,
        interval_start=planned.interval_start,
        interval_end=planned.interval_end,
    )


def _count_instances(tx: Transaction, dag: DagRecord, run: RunFacts, task_id: str) -> int | None:
    """The number of instances of a mapped task in the run; None for a task that is not mapped."""
    spec = next((task for task in dag.spec.tasks if task.task_id == task_id), None)
    stored = dag_runs.find_stored_run(tx, dag.dag_id, run.run_id)
    rows = (
        []
        if stored is None
        else [row for row in list_task_instances(tx, dag, stored) if row.task_id == task_id and row.map_index >= 0]
    )
    return len(rows) if rows or (spec is not None and spec.expansion is not None) else None


def _answer_reads(db: Database, attempt: Attempt, request: AnyTaskApiRequest) -> object:
    """The answer to a request that reads. Raises TaskApiRefused for one that writes."""
    name = type(request).__name__
    if not name.startswith(("Get", "List")):
        raise TaskApiRefused(
            say(
                "render_changes_nothing",
                name=name,
                command=Command("tasks render"),
                other_command=Command("tasks test"),
            )
        )
    return answer_task(db, attempt, request)


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
