"""Which role a permission needs. The tables follow the roles of Airflow's FAB provider (Viewer, User, Op, Admin)."""

from __future__ import annotations

from collections.abc import Collection

from gnomon.api.policies import AccessRefused, ApiResource, Permission
from gnomon.model.accounts import Identity, Role
from gnomon.model.sentences import Sentence, say

PUBLIC = frozenset({ApiResource.HEALTH, ApiResource.VERSION})
"""Needs no login, as in Airflow: load balancers ask for the health, clients for the version."""
OF_DAGS = frozenset(
    {
        ApiResource.ASSET,
        ApiResource.BACKFILL,
        ApiResource.BASELINE,
        ApiResource.DAG,
        ApiResource.DAG_CODE,
        ApiResource.DAG_RUN,
        ApiResource.DAG_VERSION,
        ApiResource.HITL_DETAIL,
        ApiResource.IMPORT_ERROR,
        ApiResource.SIMULATION,
        ApiResource.TASK,
        ApiResource.TASK_INSTANCE,
        ApiResource.TASK_LOG,
        ApiResource.XCOM,
        ApiResource.AUDIT_LOG,
    }
)
"""What belongs to DAGs: an account with a role on some DAGs only sees those in lists."""
_OPERATORS = frozenset(
    {ApiResource.CONFIGURATION, ApiResource.CONNECTION, ApiResource.QUARANTINE, ApiResource.VARIABLE}
)
"""Only operators read these: they have secrets, addresses, or messages of every DAG."""


def find_required_role(permission: Permission, resource: ApiResource) -> Role:
    """The lowest role that has the permission."""
    if resource is ApiResource.ACCOUNT:
        return Role.ADMIN
    if resource in _OPERATORS:
        return Role.OPERATOR
    if permission is Permission.READ:
        return Role.VIEWER
    return Role.USER if resource in OF_DAGS else Role.OPERATOR


def check_dag_role(identity: Identity, dag_id: str, tags: Collection[str], required: Role) -> None:
    """Return if the identity has the role on the DAG. Raises AccessRefused: 404 for a DAG that is hidden from it, 403 for a lower role."""
    role = identity.find_dag_role(dag_id, tags)
    if role < Role.VIEWER:
        raise AccessRefused(404, say("dag_does_not_exist", dag=dag_id))
    if role < required:
        raise AccessRefused(403, describe_missing_role(identity, role, required, dag_id))


def describe_missing_role(identity: Identity, role: Role, required: Role, dag_id: str | None = None) -> Sentence:
    """The sentence of a refusal; `dag_id`: the role is that on this DAG."""
    return say(
        "account_has_lower_role",
        name=identity.name,
        role=str(role),
        where=None if dag_id is None else say("on_dag", dag=dag_id),
        other_role=str(required),
        more=say("token_permits_at_most", role=str(identity.ceiling)) if identity.ceiling < required else None,
    )
