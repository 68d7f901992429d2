"""Which role a permission needs. The tables follow the roles of Airflow's FAB provider (Viewer, User, Op, Admin)."""

from __future__ import annotations

from gnomon.api.access.policies import ApiResource, Permission
from gnomon.model.accounts import Role

PUBLIC = frozenset({ApiResource.HEALTH, ApiResource.VERSION})
"""Needs no login, as in Airflow: load balancers ask for the health, clients for the version."""
OF_DAGS = frozenset({
    ApiResource.ASSET, ApiResource.BACKFILL, ApiResource.DAG, ApiResource.DAG_CODE, ApiResource.DAG_RUN, ApiResource.DAG_VERSION, ApiResource.HITL_DETAIL,
    ApiResource.IMPORT_ERROR, ApiResource.TASK, ApiResource.TASK_INSTANCE, ApiResource.TASK_LOG, ApiResource.XCOM, ApiResource.AUDIT_LOG,
})  # fmt: skip
"""What belongs to DAGs: an account with a role on some DAGs only sees those in lists."""
_OPERATORS = frozenset({ApiResource.CONFIGURATION, ApiResource.CONNECTION, ApiResource.VARIABLE})
"""Only operators read these: they have secrets and addresses."""


def find_required_role(permission: Permission, resource: ApiResource) -> Role:
    """The lowest role that has the permission."""
    if resource in _OPERATORS:
        return Role.OPERATOR
    if permission is Permission.READ:
        return Role.VIEWER
    return Role.USER if resource in OF_DAGS else Role.OPERATOR
