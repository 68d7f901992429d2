"""Import errors and warnings of DAG files, and warnings about a DAG's calendar, timetable and upstream DAGs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.records import DagRecord
from gnomon.model.sentences import render, store_sentence
from gnomon.model.sentences.stored_sentences import StoredText, read_text
from gnomon.model.slots import TimetableRef
from gnomon.rules.calendars.calendar import find_end_warning
from gnomon.rules.calendars.decoding import decode
from gnomon.rules.dependencies.faults import doubts_of
from gnomon.storage.store import Transaction
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.parsed_files import dag_files


def list_calendar_warnings(timetable: TimetableRef, now: Instant) -> list[str]:
    """A warning when the calendar of the timetable has no data after some weeks from now; empty without a calendar."""
    stored = timetable.data.get("calendar")
    if not timetable.builtin or not isinstance(stored, dict):
        return []
    try:
        warning = find_end_warning(decode(stored), to_datetime(now).date())
    except (AirflowTimetableInvalid, KeyError):
        return []  # planning reports the error
    return [warning] if warning is not None else []


def find_planning_error(dag: DagRecord) -> str | None:
    """The error of the DAG's timetable, of its dependencies, or both, because of which no run is planned; None without error."""
    return "; ".join(filter(None, (dag.error, dag.dependency_error))) or None


def list_upstream_warnings(tx: Transaction, dag_id: str | None = None) -> dict[str, list[str]]:
    """Warnings about upstream DAGs and tasks that do not exist, by id of the DAG that waits; DAGs without one are left out.

    `dag_id`: the DAG to check; None checks all active DAGs.
    """
    rows = dag_edges.list_edges(tx) if dag_id is None else dag_edges.list_edges_of(tx, dag_id)
    if all(row.is_known and row.edge.dependency.task_id is None for row in rows):
        return {}
    with_tasks = {row.edge.dependency.dag_id for row in rows if row.edge.dependency.task_id is not None}
    if dag_id is not None and all(row.is_known for row in rows):
        versions = dag_edges.list_active_versions(tx, {row.edge.dependency.dag_id for row in rows})
    else:
        versions = {
            dag.dag_id: dag.version_pk for dag in dags.list_dags(tx) if dag.active
        }  # a warning suggests a name that exists
    specs = group_state.load_specs(tx, [versions[up] for up in with_tasks if up in versions])
    tasks = {spec.dag_id: [task.task_id for task in spec.tasks] for spec in specs.values()}
    edges = defaultdict(list)
    for row in rows:
        edges[row.dag_id].append(row.edge)
    warnings = {down: doubts_of(down, its_edges, versions, tasks) for down, its_edges in edges.items()}
    return {down: doubts for down, doubts in warnings.items() if doubts}


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """An error or a warning about a file or a DAG in it."""

    file: str
    line: int | None
    kind: str
    message: str
    traceback: str


HIDDEN_TEXT = "the file defines DAGs too that you may not see, so its errors are not shown to you"
"""In place of an error of a file: it may be about one of those DAGs."""
WARNING = "warning"
"""The `kind` of an ImportProblem that did not prevent the file from being loaded."""


def list_import_warnings(tx: Transaction) -> list[ImportProblem]:
    """All warnings about files that were loaded, by file."""
    return [
        ImportProblem(path, None, WARNING, read_text(warning), "")
        for path, warnings in dag_files.list_warnings(tx).items()
        for warning in warnings
    ]


def list_dag_warnings(tx: Transaction, dag_id: str, file: str) -> list[StoredText]:
    """The warnings about one DAG, about its file as a whole, about its missing upstream DAGs and tasks, and about circles of assets with it."""
    from gnomon.queries.report.listings.asset_list import (  # start-up cost: few commands need it
        describe_circle,
        list_asset_circles,
    )

    of_file = dag_files.list_warnings(tx).get(file, [])
    circles = [
        store_sentence(describe_circle(circle))
        for circle in list_asset_circles(tx)
        if dag_id in circle and len(circle) > 1
    ]
    return [*select_dag_warnings(dag_id, of_file), *list_upstream_warnings(tx, dag_id).get(dag_id, []), *circles]


def select_dag_warnings(dag_id: str, of_file: Sequence[StoredText]) -> list[StoredText]:
    """Those of the warnings of a file that are about this DAG, or about the file as a whole."""
    texts = ((warning, read_text(warning)) for warning in of_file)
    return [warning for warning, text in texts if text.startswith(f"DAG {dag_id!r}") or not text.startswith("DAG ")]


def list_import_errors(tx: Transaction) -> list[ImportProblem]:
    """All import errors, sorted by file and line."""
    problems = [
        ImportProblem(error.path, error.line, error.kind, error.message, error.traceback)
        for error in dag_files.list_import_errors(tx)
    ]
    return sorted(problems, key=lambda row: (row.file, row.line or 0, row.message))


@dataclass(frozen=True, slots=True)
class DagWarning:
    """A warning about a DAG, or about a file as a whole."""

    subject: str
    """The id of the DAG, or the path of the file."""
    file: str | None
    """None for a warning about a DAG that waits for others."""
    warning: str


def list_all_warnings(tx: Transaction) -> list[DagWarning]:
    """The warnings about all files, then those about the missing upstream DAGs and tasks of all DAGs, and about circles of assets."""
    from gnomon.queries.report.listings.asset_list import describe_circle, list_asset_circles

    rows = [
        DagWarning(find_subject(path, text), path, text)
        for path, warnings in dag_files.list_warnings(tx).items()
        for text in map(read_text, warnings)
    ]
    rows += [
        DagWarning(dag_id, None, text) for dag_id, texts in sorted(list_upstream_warnings(tx).items()) for text in texts
    ]
    return rows + [
        DagWarning(circle[0], None, render(describe_circle(circle)))
        for circle in list_asset_circles(tx)
        if len(circle) > 1
    ]


def find_subject(path: str, warning: str) -> str:
    """The DAG that a warning of a file begins with, `DAG 'x'...`; else the file."""
    return warning.removeprefix("DAG '").partition("'")[0] if warning.startswith("DAG '") else path
