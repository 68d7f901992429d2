"""Which DAGs a user may see, or change, where a request is not about one DAG: lists, counts, searches and changes of several."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from functools import cached_property
from typing import TypeVar

from gnomon.api.access.required_roles import check_dag_role
from gnomon.api.context import ApiContext
from gnomon.api.policies import User
from gnomon.model.accounts import Role
from gnomon.model.baselines import split_subject
from gnomon.model.errors.product import UserError
from gnomon.queries.report.activity.baseline_list import list_names
from gnomon.queries.report.listings.dag_facts import FactsOfAll
from gnomon.storage.store import Transaction
from gnomon.storage.store.pages.dag_pages import list_newest_versions
from gnomon.storage.store.pages.page_query import Condition, Operator

T = TypeVar("T")


def require_role(context: ApiContext, tx: Transaction, user: User, dag_id: str, role: Role) -> None:
    """Return if the user has the role on a DAG that is not in the path of the request.

    Raises AccessRefused: 404 for a DAG that is hidden from the user, 403 for a lower role.
    """
    if user.identity.everywhere >= role:
        return
    facts = context.facts.find(tx, list_newest_versions(tx, [dag_id]))
    check_dag_role(user.identity, dag_id, next((version_facts.spec.tags for version_facts in facts.values()), ()), role)


class VisibleDags:
    """The DAGs on which a user has at least a role."""

    def __init__(
        self,
        context: ApiContext,
        tx: Transaction,
        user: User,
        role: Role = Role.VIEWER,
        facts: FactsOfAll | None = None,
    ) -> None:
        """`facts`: those of every DAG, where they have been read."""
        self._context = context
        self._by_id: Mapping[str, int] | None = None
        self._keys: frozenset[int] | None = None
        self.hidden: Mapping[str, int] = {}
        """The keys of the DAGs that the user does not see, by id."""
        self.key: Hashable = None
        """Equal for users who see the same DAGs by the same facts; None for those who see every DAG."""
        identity = user.identity
        if identity.everywhere < role:
            self.key = key = (identity.role, identity.ceiling, identity.grants, role)
            facts = facts or context.facts.find_all(tx)
            self._by_id = facts.choose(
                (*key, True), lambda spec: identity.find_dag_role(spec.dag_id, spec.tags) >= role
            )
            self.hidden = facts.choose(
                (*key, False), lambda spec: identity.find_dag_role(spec.dag_id, spec.tags) < role
            )

    @property
    def is_all(self) -> bool:
        """The user sees every DAG, and what belongs to none."""
        return self._by_id is None

    @property
    def dag_ids(self) -> Collection[str] | None:
        """The ids of the DAGs; None for a user who sees every DAG."""
        return None if self._by_id is None else self._by_id.keys()

    def __contains__(self, dag_id: object) -> bool:
        return self._by_id is None or dag_id in self._by_id

    def has_key(self, dag_pk: int) -> bool:
        """Whether the DAG with this key is visible."""
        if self._by_id is None:
            return True
        if self._keys is None:
            self._keys = frozenset(self._by_id.values())
        return dag_pk in self._keys

    def shows_end(self, text: str) -> bool:
        """Whether the DAG of `dag_id` or `dag_id.task_id`, as baselines name their ends, is visible."""
        return self._by_id is None or split_subject(text, self._known)[0] in self._by_id

    @cached_property
    def baselines(self) -> frozenset[str]:
        """The names of the baselines whose DAGs are all visible; none while gnomon.toml cannot be read. Read when they are asked for, in a transaction of their own: few texts name one."""
        try:
            with self._context.database.read() as tx:
                return frozenset(list_names(tx, self._context.cfg, self.shows_end))
        except UserError:
            return frozenset()

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset((*(self._by_id or ()), *self.hidden))

    def list_conditions(self, field: str = "dag_pk") -> list[Condition]:
        """The condition of a listing with that field; none when the user sees everything."""
        return [] if self._by_id is None else [Condition(field, Operator.IN, list(self._by_id.values()))]

    def list_id_conditions(self, field: str = "dag_id", *, or_none: bool = False) -> list[Condition]:
        """The same with a field of ids; with `or_none` rows without an id meet it too."""
        return (
            [] if self._by_id is None else [Condition(field, Operator.IN, [*self._by_id, *([None] if or_none else ())])]
        )

    def select(self, items: Iterable[tuple[str | None, T]]) -> list[T]:
        """The items whose DAG is visible; one without a DAG only for a user who sees everything."""
        return [item for dag_id, item in items if dag_id in self]
