"""Clearing a run together with the runs of other DAGs that waited for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from gnomon.changes.actions.owner_requests import OwnersAnswer, ask_owners
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Role
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import RunName, say
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.downstream_runs import ClearRequestPart, DownstreamRow, collect_parts
from gnomon.queries.report.listings.run_list import find_run
from gnomon.storage.store import Database
from gnomon.storage.store.dag_records import dag_runs


@dataclass(frozen=True, slots=True)
class ClearedRow(DownstreamRow):
    """A run after it was cleared: `state` is its state now, `previous_state` its state before."""

    previous_state: str


@dataclass(frozen=True, slots=True)
class DownstreamChange:
    """A change of several runs, upstream first. `cleared`: empty while not all owners have answered."""

    selected: list[DownstreamRow]
    cleared: list[ClearedRow]
    reply: OwnersAnswer


@operation("runs.select_downstream", "read", "run")
def select_downstream(
    scope: OperationScope, dag_id: str, run_id: str, only_failed: bool = False
) -> list[DownstreamRow]:
    """The run and the runs of other DAGs that waited for it, each after the runs that it waited for."""
    return [part.row for part in _collect(scope, dag_id, run_id, only_failed, Role.VIEWER)]


@operation("runs.clear_downstream", "edit", "run")
def clear_downstream(
    scope: OperationScope, dag_id: str, run_id: str, only_failed: bool = False, is_newest_wanted: bool | None = None
) -> DownstreamChange:
    """Run them again, upstream first. `is_newest_wanted`: as for `runs.clear`, for each of them."""
    parts = _collect(scope, dag_id, run_id, only_failed, Role.USER)
    rows = [part.row for part in parts]
    reply = ask_owners(
        scope.actor, scope.db, "clear", [{**part.body, "is_newest_wanted": is_newest_wanted} for part in parts]
    )
    return DownstreamChange(rows, [] if reply.answer is None else _read_cleared(scope.db, rows, reply.answer), reply)


def _collect(scope: OperationScope, dag_id: str, run_id: str, only_failed: bool, role: Role) -> list[ClearRequestPart]:
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        parts = collect_parts(tx, dag, find_run(tx, dag, run_id), only_failed=only_failed)
        if not all(scope.dags.has_role(tx, part.row.dag_id, role) for part in parts):
            raise UserError(say("account_lacks_role_on_waiting_dags", role=str(role), run=RunName(dag_id, run_id)))
    return parts


def _read_cleared(
    db: Database, rows: Sequence[DownstreamRow], answers: Sequence[Mapping[str, object]]
) -> list[ClearedRow]:
    """The runs with a cleared task instance, in their state now; runs that were deleted meanwhile are left out."""
    cleared = {(answer["dag_id"], answer["run_id"]) for answer in answers if answer.get("cleared")}
    with db.read() as tx:
        stored = [
            (row, dag_runs.find_stored_run(tx, row.dag_id, row.run_id))
            for row in rows
            if (row.dag_id, row.run_id) in cleared
        ]
    return [
        ClearedRow(**{**asdict(row), "state": run.state.value, "previous_state": row.state})
        for row, run in stored
        if run is not None
    ]
