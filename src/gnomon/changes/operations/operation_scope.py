"""`OperationScope`: for whom an operation is performed, on which store, and which DAGs that user sees."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from gnomon.changes.actions.actor import Actor
from gnomon.model.accounts import Author, Role
from gnomon.storage.store import Database, Transaction

if TYPE_CHECKING:
    # What few operations need is imported where they ask for it: every command waits for the imports of this module.
    from _typeshed import DataclassInstance

    from gnomon.changes.actions.admin_changes import AdminChanges
    from gnomon.rules.engine.state.engine_state import EngineLimits
    from gnomon.storage.remote_logs.task_log_folder import TaskLogFolder

T = TypeVar("T")
K = TypeVar("K")
R = TypeVar("R", bound="DataclassInstance")


class DagVisibility(Protocol):
    """Which DAGs the user sees, and may change. Operations about one DAG need not ask: who may call them is checked before."""

    def sees_all(self, tx: Transaction) -> bool:
        """The user sees every DAG, and what belongs to none."""

    def has_role(self, tx: Transaction, dag_id: str, role: Role) -> bool:
        """The user has at least this role on the DAG."""

    def find_dag_ids(self, tx: Transaction, role: Role) -> Collection[str] | None:
        """The DAGs on which the user has at least this role; None when it is every DAG."""

    def require_role(self, tx: Transaction, dag_id: str, role: Role) -> None:
        """Raise the refusal of the API when the user has not this role on the DAG."""

    def build_name_filter(self, tx: Transaction) -> Callable[[str], str]:
        """A function that replaces the ids of hidden DAGs in a sentence."""


class AllDags:
    """The user of the home: whoever may open its database sees and changes every DAG."""

    def sees_all(self, tx: Transaction) -> bool:
        """True."""
        return True

    def has_role(self, tx: Transaction, dag_id: str, role: Role) -> bool:
        """True."""
        return True

    def find_dag_ids(self, tx: Transaction, role: Role) -> None:
        """None: every DAG."""

    def require_role(self, tx: Transaction, dag_id: str, role: Role) -> None:
        """Return."""

    def build_name_filter(self, tx: Transaction) -> Callable[[str], str]:
        """A function that changes nothing."""
        return lambda sentence: sentence


@dataclass(frozen=True, slots=True)
class OperationScope:
    """`actor`: the options, the clock and the user. `is_remote`: the user is an account of the API, who has no access to this machine."""

    actor: Actor
    db: Database
    dags: DagVisibility
    is_remote: bool = False
    _kept: dict[type[object], object] = field(default_factory=dict, init=False)
    task_logs_opener: Callable[[], TaskLogFolder] | None = None
    """Returns the folder of logs of the process, which keeps what it has found in a remote folder; None: each operation opens one."""

    def keep(self, kind: type[K]) -> K:
        """The one object of this class of the scope: what an operation that is performed again and again need not read again."""
        if kind not in self._kept:
            self._kept[kind] = kind()
        return cast("K", self._kept[kind])

    @property
    def task_logs(self) -> TaskLogFolder:
        """The logs of tasks. Raises OptionError when the options of a remote folder are wrong."""
        if self.task_logs_opener is not None:
            return self.task_logs_opener()
        from gnomon.storage.remote_logs.remote_log_folder import open_remote_log_folder
        from gnomon.storage.remote_logs.task_log_folder import TaskLogFolder

        remote = open_remote_log_folder(self.actor.cfg, lambda: self.db, tells_reasons=not self.is_remote)
        return TaskLogFolder(self.actor.cfg.logs_folder, remote, self.actor.clock)

    @property
    def limits(self) -> EngineLimits:
        """The limits of all DAGs together, for explanations."""
        from gnomon.queries.report.explanations.engine_state_reading import build_limits

        return build_limits(self.actor.cfg)

    @property
    def author(self) -> Author:
        """The user and now, for a change that the audit log names."""
        return Author(self.actor.by, self.actor.clock.now(), self.actor.address)

    def changes(self, tx: Transaction) -> AdminChanges:
        """Changes of connections, Variables and pools by the user."""
        from gnomon.changes.actions.admin_changes import AdminChanges

        return AdminChanges(tx, self.author)

    def select(self, tx: Transaction, items: Iterable[T], find_dag_id: Callable[[T], str | None]) -> list[T]:
        """The items whose DAG the user sees; one without a DAG only for a user who sees everything."""
        if self.dags.sees_all(tx):
            return list(items)
        named = ((find_dag_id(item), item) for item in items)
        return [item for dag_id, item in named if dag_id is not None and self.dags.has_role(tx, dag_id, Role.VIEWER)]

    def hide_names(self, tx: Transaction, rows: Iterable[R], field_name: str = "reason") -> list[R]:
        """The rows without the ids of hidden DAGs in the text of this field, which may be None."""
        hide = self.dags.build_name_filter(tx)
        return [
            row if getattr(row, field_name) is None else replace(row, **{field_name: hide(getattr(row, field_name))})
            for row in rows
        ]
