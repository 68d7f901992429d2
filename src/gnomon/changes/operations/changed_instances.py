"""Task instances after a change of a run: what the owner of the DAG answered, and their states now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass

from gnomon.changes.actions.owner_requests import OwnerAnswer
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.records import DagRecord, RunRecord
from gnomon.queries.report.listings.run_list import TaskInstanceRow, list_task_instances
from gnomon.storage.store.dag_records import dag_runs


@dataclass(frozen=True, slots=True)
class ChangedRow(TaskInstanceRow):
    """A task instance after a command changed it: `state` is its state now, `previous_state` its state before."""

    previous_state: str | None


@dataclass(frozen=True, slots=True)
class InstanceChange:
    """A change of task instances. `reply` is None when there was nothing to change, and then nothing was asked of the owner."""

    selected: list[TaskInstanceRow]
    """The task instances before the request."""
    changed: list[ChangedRow]
    """Those that the owner changed; empty while it has not answered."""
    reply: OwnerAnswer | None

    def add(self, part: InstanceChange) -> InstanceChange:
        """This change and the part together; its reply is one that the owner has not answered, if there is one."""
        is_pending = self.reply is not None and self.reply.answer is None
        return InstanceChange(
            [*self.selected, *part.selected], [*self.changed, *part.changed], self.reply if is_pending else part.reply
        )


@dataclass(frozen=True, slots=True)
class RowToMark(TaskInstanceRow):
    """A task instance that a mark would change: `becomes` is its new state; CLEARED: it failed because of a marked one and would run again."""

    becomes: str


CLEARED = "cleared"


def build_rows_to_mark(rows: Iterable[TaskInstanceRow], becomes: Callable[[TaskInstanceRow], str]) -> list[RowToMark]:
    """The rows with what each would become."""
    return [RowToMark(**asdict(row), becomes=becomes(row)) for row in rows]


def read_instance_change(
    scope: OperationScope, dag: DagRecord, run: RunRecord, rows: Sequence[TaskInstanceRow], reply: OwnerAnswer
) -> InstanceChange:
    """The change after the reply. `rows`: the task instances before the request."""
    if reply.answer is None:
        return InstanceChange(list(rows), [], reply)
    lists = [names for names in reply.answer.values() if isinstance(names, list)]
    return InstanceChange(
        list(rows),
        _read_changed(scope, dag, run, rows, [name for names in lists for name in names] if lists else None),
        reply,
    )


def _read_changed(
    scope: OperationScope,
    dag: DagRecord,
    run: RunRecord,
    rows: Sequence[TaskInstanceRow],
    names: Collection[object] | None,
) -> list[ChangedRow]:
    """`names`: the task instances that the owner's answer lists; None when the answer has no list and all were changed."""
    with scope.db.read() as tx:
        instances = list_task_instances(tx, dag, dag_runs.find_stored_run(tx, dag.dag_id, run.run_id) or run)
        now = {row.name: row for row in scope.hide_names(tx, instances)}
    return [
        ChangedRow(**{**asdict(now[row.name]), "previous_state": row.state})
        for row in rows
        if row.name in now and (names is None or row.name in names)
    ]
