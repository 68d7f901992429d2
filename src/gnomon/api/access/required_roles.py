"""Which role a permission needs. The tables follow the roles of Airflow's FAB provider (Viewer, User, Op, Admin)."""

from __future__ import annotations

from gnomon.api.access.policies import Permission, Resource
from gnomon.model.accounts import Role

PUBLIC = frozenset({Resource.SERVICE})
"""Needs no login, as in Airflow: load balancers ask for the health, clients for the version."""
OF_DAGS = frozenset({
    Resource.ASSET, Resource.BACKFILL, Resource.DAG, Resource.DAG_CODE, Resource.DAG_RUN, Resource.DAG_VERSION, Resource.HITL_DETAIL,
    Resource.IMPORT_ERROR, Resource.TASK, Resource.TASK_INSTANCE, Resource.TASK_LOG, Resource.XCOM, Resource.AUDIT_LOG,
})  # fmt: skip
"""What belongs to DAGs: an account with a role on some DAGs only sees those in lists."""
_OPERATORS = frozenset({Resource.CONFIGURATION, Resource.CONNECTION, Resource.VARIABLE})
"""Only operators read these: they have secrets and addresses."""


def find_required_role(permission: Permission, resource: Resource) -> Role:
    """The lowest role that has the permission."""
    if resource in _OPERATORS:
        return Role.OPERATOR
    if permission is Permission.READ:
        return Role.VIEWER
    return Role.USER if resource in OF_DAGS else Role.OPERATOR
