"""`ApiDags`: which DAGs the user of a request sees and may change, as operations ask it."""

from __future__ import annotations

from collections.abc import Callable, Collection

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.visible_dags import VisibleDags, require_role
from gnomon.api.context import ApiContext
from gnomon.api.policies import User
from gnomon.model.accounts import Role
from gnomon.storage.store import Transaction


class ApiDags:
    """A `DagVisibility`. What is found for one role is kept for the whole request."""

    def __init__(self, context: ApiContext, user: User) -> None:
        self._context = context
        self._user = user
        self._found: dict[Role, VisibleDags] = {}

    def sees_all(self, tx: Transaction) -> bool:
        """The account has a role on everything."""
        return self._find(tx, Role.VIEWER).is_all

    def has_role(self, tx: Transaction, dag_id: str, role: Role) -> bool:
        """The account has this role on the DAG, or on everything."""
        return dag_id in self._find(tx, role)

    def find_dag_ids(self, tx: Transaction, role: Role) -> Collection[str] | None:
        """The DAGs on which the account has this role; None when it is every DAG."""
        return self._find(tx, role).dag_ids

    def require_role(self, tx: Transaction, dag_id: str, role: Role) -> None:
        """Raises AccessRefused: 404 for a DAG that is hidden from the user, 403 for a lower role."""
        require_role(self._context, tx, self._user, dag_id, role)

    def build_name_filter(self, tx: Transaction) -> Callable[[str], str]:
        """A function that replaces the ids of hidden DAGs in a sentence."""
        return build_name_filter(self._find(tx, Role.VIEWER))

    def _find(self, tx: Transaction, role: Role) -> VisibleDags:
        if role not in self._found:
            self._found[role] = VisibleDags(self._context, tx, self._user, role)
        return self._found[role]
