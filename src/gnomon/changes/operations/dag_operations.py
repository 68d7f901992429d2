"""DAGs: lists, details, problems of their files, pausing, deleting, and their coming runs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gnomon.changes.actions.dag_changes import set_dags_paused
from gnomon.changes.actions.owner_requests import OwnerAnswer, ask_owner
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Role
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.model.sentences.stored_sentences import read_text
from gnomon.queries.report.listings import dag_list, import_problems
from gnomon.queries.report.listings.dag_list import DagDetail, DagSummary, find_dag
from gnomon.queries.report.listings.import_problems import DagWarning, ImportProblem
from gnomon.queries.report.listings.task_tree import format_tree
from gnomon.queries.report.listings.version_list import VersionRow
from gnomon.queries.report.listings.version_list import list_versions as list_version_rows
from gnomon.queries.report.next_runs import NextRunsTable, build_table
from gnomon.storage.store import Transaction, notify_on_commit
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.parsed_files import dag_files

NEXT_RUNS_MAX = 1000
"""The most coming runs of one forecast."""


@dataclass(frozen=True, slots=True)
class DagListing:
    """The DAGs of a deployment, and the folder into which their files are put."""

    dags: list[DagSummary]
    dags_folder: str


@dataclass(frozen=True, slots=True)
class ShownDag:
    """A DAG, and its tasks and groups as a tree, one line each."""

    detail: DagDetail
    tree: list[str]


@operation("dags.list", "read", "DAG")
def list_dags(scope: OperationScope, inactive: bool = False) -> DagListing:
    """All DAGs by id; with `inactive`, also deleted ones, which no file defines any more."""
    with scope.db.read() as tx:
        rows = scope.select(
            tx, dag_list.list_dags(tx, scope.actor.clock.now(), inactive=inactive), lambda row: row.dag_id
        )
        hide = scope.dags.build_name_filter(tx)
    shown = [
        replace(
            row, error=None if row.error is None else hide(row.error), warnings=[hide(text) for text in row.warnings]
        )
        for row in rows
    ]
    return DagListing(shown, str(scope.actor.cfg.dags_folder))


@operation("dags.show", "read", "DAG")
def show_dag(scope: OperationScope, dag_id: str) -> ShownDag:
    """One DAG: schedule, params, tasks, next runs."""
    from gnomon.changes.actions.author_queries import forecast_author_runs  # start-up cost: few commands need it

    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        warnings = import_problems.list_dag_warnings(tx, dag.dag_id, dag.file)
        needed_by = sorted({edge.dag_id for edge in dag_edges.list_edges_on(tx, dag.dag_id)} - {dag.dag_id})
        needed_by = [upstream_id for upstream_id in needed_by if scope.dags.has_role(tx, upstream_id, Role.VIEWER)]
        hide = scope.dags.build_name_filter(tx)
    cfg = scope.actor.cfg
    detail = dag_list.show_dag(
        dag, scope.actor.clock.now(), warnings, lambda *arguments: forecast_author_runs(cfg, *arguments), needed_by
    )
    shown = replace(
        detail,
        error=None if detail.error is None else hide(detail.error),
        warnings=[hide(text) for text in detail.warnings],
        depends_on=[hide(text) for text in detail.depends_on],
    )
    return ShownDag(shown, list(format_tree(dag.spec)))


@operation("dags.errors", "read", "import error")
def list_errors(scope: OperationScope, with_warnings: bool = False) -> list[ImportProblem]:
    """The files and DAGs that could not be loaded; with `with_warnings`, also warnings about files that were loaded."""
    with scope.db.read() as tx:
        rows = import_problems.list_import_errors(tx)
        rows += import_problems.list_import_warnings(tx) if with_warnings else []
        if scope.dags.sees_all(tx):
            return rows
        files, shared = _list_seen_files(scope, tx), _list_shared_files(scope, tx)
        hide = scope.dags.build_name_filter(tx)
        rows = [
            row
            for row in rows
            if row.file in files and (row.kind != import_problems.WARNING or _may_see_warning(scope, tx, row))
        ]
        return [
            replace(row, line=None, message=import_problems.HIDDEN_TEXT, traceback="")
            if row.file in shared and row.kind != import_problems.WARNING
            else replace(row, message=hide(row.message), traceback=hide(row.traceback))
            for row in rows
        ]


@operation("dags.warnings", "read", "DAG")
def list_dag_warnings(scope: OperationScope, dag_id: str) -> list[DagWarning]:
    """The warnings about a DAG, its file, and the DAGs that it waits for."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        hide = scope.dags.build_name_filter(tx)
        warnings = import_problems.list_dag_warnings(tx, dag_id, dag.file)
        return [DagWarning(dag_id, dag.file, hide(read_text(warning))) for warning in warnings]


@operation("dags.all_warnings", "read", "import error")
def list_all_warnings(scope: OperationScope) -> list[DagWarning]:
    """The warnings about all files and DAGs."""
    with scope.db.read() as tx:
        rows = import_problems.list_all_warnings(tx)
        if scope.dags.sees_all(tx):
            return rows
        files = _list_seen_files(scope, tx)
        hide = scope.dags.build_name_filter(tx)
        visible = [row for row in rows if row.subject in files or scope.dags.has_role(tx, row.subject, Role.VIEWER)]
        return [replace(row, warning=hide(row.warning)) for row in visible]


@operation("dags.versions", "read", "DAG version")
def list_versions(scope: OperationScope, dag_id: str) -> list[VersionRow]:
    """The versions of a DAG, newest first."""
    with scope.db.read() as tx:
        hide = scope.dags.build_name_filter(tx)
        return [
            replace(row, changes=[hide(text) for text in row.changes])
            for row in list_version_rows(tx, find_dag(tx, dag_id))
        ]


@operation("dags.next_runs", "read", "DAG")
def forecast_dag(scope: OperationScope, dag_id: str, count: int) -> NextRunsTable:
    """The next `count` runs of a DAG if it is, or were, unpaused now."""
    from gnomon.changes.actions.run_forecasts import forecast_next_runs  # start-up cost: few commands need it

    if not 1 <= count <= NEXT_RUNS_MAX:
        raise UserError(say("number_of_runs_is_out_of_range", most=NEXT_RUNS_MAX))
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        hide = scope.dags.build_name_filter(tx)
    forecast = forecast_next_runs(scope.actor.cfg, scope.db, dag, scope.actor.clock.now(), count)
    return build_table(forecast, hide)


@operation("dags.find_paused", "read", "DAG")
def find_paused(scope: OperationScope, dag_ids: list[str]) -> list[bool]:
    """For each of these DAGs whether it is paused. Raises NameNotFound for an unknown one."""
    with scope.db.read() as tx:
        for dag_id in dag_ids:
            scope.dags.require_role(tx, dag_id, Role.VIEWER)
        return [find_dag(tx, dag_id).paused for dag_id in dag_ids]


@operation("dags.set_paused", "edit", "DAG")
def set_paused(scope: OperationScope, dag_ids: list[str], paused: bool) -> None:
    """Pause or unpause DAGs, all or none of them."""
    with scope.db.read() as tx:
        for dag_id in dag_ids:
            scope.dags.require_role(tx, dag_id, Role.USER)
    set_dags_paused(scope.actor, scope.db, dag_ids, paused)


@operation("dags.delete", "delete", "DAG")
def delete_dag(scope: OperationScope, dag_id: str) -> OwnerAnswer:
    """Delete a DAG with all its runs."""
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
    return ask_owner(scope.actor, scope.db, dag, "delete", {"dag_pk": dag.dag_pk})


@operation("dags.read_again", "edit", "DAG")
def read_dag_again(scope: OperationScope, dag_id: str) -> int:
    """Have the DAG processor read the file of a DAG again; returns the number of files."""
    return _mark_stale(scope, dag_id)


@operation("dags.read_all_again", "edit", "configuration")
def read_all_again(scope: OperationScope) -> int:
    """Have the DAG processor read all files again; returns their number."""
    return _mark_stale(scope, None)


@operation("dags.count_unread", "read", "DAG")
def count_unread_files(scope: OperationScope) -> int:
    """The number of files that the DAG processor has still to read."""
    with scope.db.read() as tx:
        return len(dag_files.list_stale_files(tx))


def _mark_stale(scope: OperationScope, dag_id: str | None) -> int:
    with scope.db.write() as tx:
        if dag_id is not None:
            find_dag(tx, dag_id)
        count = dag_files.mark_stale(tx, dag_id)
        notify_on_commit(tx)
    scope.actor.wake_services()
    return count


def _may_see_warning(scope: OperationScope, tx: Transaction, row: ImportProblem) -> bool:
    """The warning is about a DAG that the user sees, or about the file as a whole."""
    subject = import_problems.find_subject(row.file, row.message)
    return subject == row.file or scope.dags.has_role(tx, subject, Role.VIEWER)


def _list_shared_files(scope: OperationScope, tx: Transaction) -> set[str]:
    """The files that define a DAG which the user does not see: their errors may be about it."""
    return {row.file for row in dags.list_dags(tx) if not scope.dags.has_role(tx, row.dag_id, Role.VIEWER)}


def _list_seen_files(scope: OperationScope, tx: Transaction) -> set[str]:
    """The files that define a DAG which the user sees."""
    return {row.file for row in dags.list_dags(tx) if scope.dags.has_role(tx, row.dag_id, Role.VIEWER)}
