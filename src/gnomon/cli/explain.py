"""`gnomon explain`: why a DAG, a run or a task is not running."""

from __future__ import annotations

import click

from gnomon.actions.author_queries import ask_partition_mappers
from gnomon.assets.leaf_mappers import PartitionAnswers
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import format_sentence, output_option, print_document
from gnomon.cli.task_selection import MAP_INDEX, split_choice
from gnomon.cli.terminal.screen import read_screen
from gnomon.engine.state.engine_state import EngineLimits
from gnomon.errors.timetable import PlanningError
from gnomon.model.records import DagRecord
from gnomon.report.explanations import explanation as report
from gnomon.report.explanations.schedule_switch import describe_schedule_switch
from gnomon.report.explanations.skipped_slots import explain_slot, parse_instant
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.run_list import find_run
from gnomon.store import Database, Transaction
from gnomon.store.dag_records import dag_runs


@click.command()
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="[RUN]", required=False)
@click.argument("task_id", metavar="[TASK]", required=False)
@click.option("--map-index", type=MAP_INDEX, help="Map index of a mapped task; TASK[INDEX] says the same.")
@output_option
@pass_home
def explain(home: Home, dag_id: str, run_id: str | None, task_id: str | None, map_index: int | None, output: str) -> None:
    """Explain why a DAG, a run or a task is not running, or how it ended.

    RUN is a run id, or the logical date or due time of a slot: then the command explains why the slot has no run.
    """
    with home.store() as db:
        answers = _ask_partition_mappers(home, db, dag_id) if run_id is None else None
        with db.read() as tx:
            dag = find_dag(tx, dag_id)
            sentences = _explain_part(tx, home, dag, (run_id, task_id, map_index), answers)
    if output == "table":
        screen = read_screen()
        click.echo("\n".join(screen.wrap(format_sentence(sentence), "  ") for sentence in sentences) or "nothing prevents it from running")
    else:
        print_document({"dag_id": dag_id, "run_id": run_id, "task_id": task_id, "sentences": sentences}, output)


def _explain_part(
    tx: Transaction, home: Home, dag: DagRecord, part: tuple[str | None, str | None, int | None], answers: PartitionAnswers | PlanningError | None
) -> list[str]:
    """The sentences about the DAG, or about the run, the task and the map index in `part`."""
    run_id, task_id, map_index = part
    limits = EngineLimits(parallelism=home.cfg.integer("core", "parallelism") or None)
    now = home.clock.now()
    if run_id is None:
        return describe_schedule_switch(home.cfg, dag) + report.explain_dag(tx, dag, limits, now, answers)
    at = parse_instant(run_id)
    run = find_run(tx, dag, run_id) if at is None else dag_runs.find_stored_run(tx, dag.dag_id, run_id)
    if run is None:
        assert at is not None
        return explain_slot(tx, dag, at, now)
    if task_id is None:
        return report.explain_run(tx, dag, run, limits, now)
    named, index = split_choice(task_id, map_index)
    return report.explain_task(tx, dag, run, named, index, limits, now)


def _ask_partition_mappers(home: Home, db: Database, dag_id: str) -> PartitionAnswers | PlanningError | None:
    """Author code is called without a transaction: it may take its time."""
    with db.read() as tx:
        dag = find_dag(tx, dag_id)
    return ask_partition_mappers(home.cfg, db, dag)
