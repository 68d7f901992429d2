"""What there is to say about the calendar that a DAG's schedule follows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from gnomon.calendars import decode
from gnomon.calendars.calendar import find_end_warning
from gnomon.dependencies.faults import doubts_of
from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.records import DagRecord
from gnomon.model.slots import TimetableRef
from gnomon.store import Transaction
from gnomon.store.cross_dag import dag_edges
from gnomon.store.dag_records import dag_files, dags
from gnomon.store.ownership import group_state


def list_calendar_warnings(timetable: TimetableRef, now: Instant) -> list[str]:
    """That its calendar runs out of data within weeks, or has; empty for a schedule without a calendar."""
    stored = timetable.data.get("calendar")
    if not timetable.builtin or not isinstance(stored, dict):
        return []
    try:
        told = find_end_warning(decode(stored), to_datetime(now).date())
    except (AirflowTimetableInvalid, KeyError):
        return []  # planning says what is wrong with it
    return [told] if told is not None else []


def find_planning_error(dag: DagRecord) -> str | None:
    """Why no run of the DAG is planned: its timetable, its dependencies, or both."""
    return "; ".join(filter(None, (dag.error, dag.dependency_error))) or None


def list_upstream_warnings(tx: Transaction, dag_id: str | None = None) -> dict[str, list[str]]:
    """By DAG (one, or all that are in a file), what it waits for that is not there; those without such a doubt are left out."""
    listed = [one for one in dag_edges.list_edges(tx) if dag_id is None or one.dag_id == dag_id]
    if all(one.is_known and one.edge.after.task_id is None for one in listed):
        return {}
    there = {row.dag_id: row.version_pk for row in dags.list_dags(tx) if row.active}
    of_tasks = {one.edge.after.dag_id for one in listed if one.edge.after.task_id is not None}
    specs = group_state.load_specs(tx, [there[up] for up in of_tasks if up in there])
    tasks = {spec.dag_id: [task.task_id for task in spec.tasks] for spec in specs.values()}
    by_dag = defaultdict(list)
    for one in listed:
        by_dag[one.dag_id].append(one.edge)
    told = {mine: doubts_of(mine, several, there, tasks) for mine, several in by_dag.items()}
    return {mine: doubts for mine, doubts in told.items() if doubts}


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """One failure: of a file, or of one DAG in it."""

    file: str
    line: int | None
    kind: str
    message: str
    traceback: str


WARNING = "warning"
"""The kind of what was noticed and did not fail."""


def list_import_warnings(tx: Transaction) -> list[ImportProblem]:
    """All that was noticed about files and did not fail, by file."""
    return [ImportProblem(path, None, WARNING, told, "") for path, all_told in dag_files.list_warnings(tx).items() for told in all_told]


def list_dag_warnings(tx: Transaction, dag_id: str, file: str) -> list[str]:
    """What was noticed about one DAG, and about its file as a whole; and what it waits for that is not there now."""
    told = dag_files.list_warnings(tx).get(file, [])
    mine = [one for one in told if one.startswith(f"DAG {dag_id!r}") or not one.startswith("DAG ")]
    return mine + list_upstream_warnings(tx, dag_id).get(dag_id, [])


def list_import_errors(tx: Transaction) -> list[ImportProblem]:
    """All failures, by file and line."""
    found = [
        ImportProblem(error.path, error.line, error.kind, error.message, error.traceback)
        for error in dag_files.list_import_errors(tx)
    ]
    return sorted(found, key=lambda row: (row.file, row.line or 0, row.message))
