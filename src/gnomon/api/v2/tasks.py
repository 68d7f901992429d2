"""Tasks of a DAG, and the links of task instances into other systems."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from gnomon.api.access.permissions import requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import sort_entries
from gnomon.api.common.paths import Id
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.schemas.tasks_shapes import TaskCollectionResponse, TaskResponse, TimeDelta
from gnomon.model.instants import moment
from gnomon.model.records import DagRecord
from gnomon.model.spec import TaskSpec
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.not_found import task_not_found

router = OperationRouter(prefix="/dags/{dag_id}/tasks", tags=["Task"])
_READ = requires(Permission.READ, ApiResource.TASK)
_ORDERED_BY = (
    "task_id",
    "task_display_name",
    "owner",
    "start_date",
    "end_date",
    "trigger_rule",
    "retries",
    "queue",
    "pool",
    "pool_slots",
    "priority_weight",
    "operator_name",
)
_ORDER: dict[str, Any] = {name: attrgetter(name) for name in _ORDERED_BY}


@router.get("", dependencies=[_READ])
def get_tasks(dag_id: Id, context: Context, order_by: str = "task_id") -> TaskCollectionResponse:
    """The tasks of the newest version of a DAG."""
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
    tasks = [_build(dag, task) for task in dag.spec.tasks]
    return TaskCollectionResponse(tasks=sort_entries(tasks, [order_by], _ORDER, "task_id"), total_entries=len(tasks))


@router.get("/{task_id}", dependencies=[_READ])
def get_task(dag_id: Id, task_id: Id, context: Context) -> TaskResponse:
    """One task of the newest version of a DAG."""
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
    for task in dag.spec.tasks:
        if task.task_id == task_id:
            return _build(dag, task)
    raise task_not_found(dag_id, task_id, [task.task_id for task in dag.spec.tasks])


def _build(dag: DagRecord, task: TaskSpec) -> TaskResponse:
    return TaskResponse(
        task_id=task.task_id,
        task_display_name=task.display_name or task.task_id,
        owner=task.owner,
        start_date=moment(task.start_at),
        end_date=moment(task.end_at),
        trigger_rule=task.trigger_rule,
        depends_on_past=task.depends_on_past,
        wait_for_downstream=task.wait_for_downstream,
        retries=task.retries,
        queue=task.queue,
        pool=task.pool,
        pool_slots=task.pool_slots,
        execution_timeout=None if task.execution_timeout_s is None else _build_span(task.execution_timeout_s),
        retry_delay=_build_span(task.retry_delay_s),
        retry_exponential_backoff=task.retry_exponential_backoff,
        priority_weight=task.priority_weight,
        weight_rule=task.weight_rule,
        ui_color=None,
        ui_fgcolor=None,
        template_fields=None,
        downstream_task_ids=sorted(other.task_id for other in dag.spec.tasks if task.task_id in other.upstream),
        doc_md=task.doc_md,
        operator_name=task.operator,
        params=None,
        class_ref=None,
        is_mapped=task.expansion is not None,
        extra_links=[link.name for link in task.extra_links],
    )


def _build_span(seconds: float) -> TimeDelta:
    micros = round(seconds * 1_000_000)
    return TimeDelta(
        days=micros // 86_400_000_000, seconds=micros % 86_400_000_000 // 1_000_000, microseconds=micros % 1_000_000
    )
