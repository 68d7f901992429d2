"""The dependencies of DAGs on other DAGs."""

from __future__ import annotations

from fastapi import APIRouter

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.policies import ApiResource, Permission
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.context import Context
from gnomon.api.v2.schemas.base import Answer
from gnomon.report.waits.wait_graph import list_stored_edges

router = APIRouter(prefix="/dependencies", tags=["Dependency"])


class DependencyAnswer(Answer):
    """A dependency of a DAG, or of one of its tasks, on another DAG."""

    dag_id: str
    task_id: str | None
    """The task that waits; None: the whole run waits."""
    upstream_dag_id: str
    upstream_task_id: str | None
    options: list[str]
    """A phrase for each option that is not the default."""
    paused: bool
    unknown: bool
    """No file defines the upstream DAG."""
    error: str | None
    """Why the dependencies of the DAG can never be met; then none of its runs is created."""


class DependencyGraphAnswer(Answer):
    """The dependencies between DAGs that the user may see, by DAG."""

    dependencies: list[DependencyAnswer]


@router.get("/graph", dependencies=[requires(Permission.READ, ApiResource.DAG)])
def get_dependency_graph(context: Context, user: CurrentUser) -> DependencyGraphAnswer:
    """All dependencies between DAGs. One that leads to a DAG that the user may not see is left out."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        hide = build_name_filter(visible)
        rows = [row for row in list_stored_edges(tx) if row.dag_id in visible and row.upstream_dag_id in visible]
    return DependencyGraphAnswer(dependencies=[
        DependencyAnswer(
            dag_id=row.dag_id, task_id=row.task_id, upstream_dag_id=row.upstream_dag_id, upstream_task_id=row.upstream_task_id, options=row.chosen,
            paused=row.paused, unknown=row.unknown, error=None if row.error is None else hide(row.error),
        )
        for row in rows
    ])  # fmt: skip
