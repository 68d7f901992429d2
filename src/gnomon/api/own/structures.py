"""The tasks of a DAG with their groups and edges in one compact answer."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import Query
from starlette.responses import Response

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.own.grids import GridGroupAnswer
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.model.spec import TaskSpec
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.dag_structure import DagStructure, OutsideNode, read_structure
from gnomon.queries.report.listings.run_list import find_run, find_spec_of_run

router = OperationRouter(prefix="/dags/{dag_id}", tags=["Structure"])


class StructureTaskAnswer(Answer):
    """A task. A field with its default is left out."""

    task_id: str
    operator: str
    display_name: str | None = None
    """None: the task id."""
    group: int | None = None
    """The index of its group."""
    trigger_rule: str = "all_success"
    is_setup: bool = False
    is_teardown: bool = False
    is_mapped: bool = False


class OutsideNodeAnswer(Answer):
    """What is outside of the DAG: a DAG that is waited for, or an asset that is waited for or produced."""

    kind: str
    """`dag`, `asset` or `alias`."""
    name: str
    task_id: str | None
    """The task of the other DAG that is waited for; None: its run."""
    is_upstream: bool
    """It is waited for or read; false: it is produced."""
    tasks: list[int]
    """The indexes of the tasks; empty: the whole run waits for it."""


class StructureAnswer(Answer):
    """Tasks in topological order, their groups and edges."""

    dag_id: str
    run_id: str | None
    groups: list[GridGroupAnswer]
    """Each after the group that contains it."""
    tasks: list[StructureTaskAnswer]
    edges: list[list[int]]
    """(upstream, downstream), as indexes of tasks."""
    labels: list[list[int | str]]
    """(upstream, downstream, label) of the edges that have a label."""
    outside: list[OutsideNodeAnswer]
    """What leads to a DAG that the user may not see is left out."""


@router.get("/structure", response_model=StructureAnswer, dependencies=[requires(Permission.READ, ApiResource.TASK)])
def get_structure(
    dag_id: Id, context: Context, user: CurrentUser, run_id: Annotated[str | None, Query()] = None
) -> Response:
    """The tasks, groups and edges of the newest version of the DAG; with `run_id`, of the version that this run uses."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
        spec = dag.spec if run_id is None else find_spec_of_run(tx, dag, find_run(tx, dag, run_id))
        structure = read_structure(spec)
        visible = VisibleDags(context, tx, user)
        outside = [node for node in structure.outside if node.kind != "dag" or node.name in visible]
    return Response(msgspec.json.encode(_build(structure, run_id, outside)), media_type="application/json")


def _build(structure: DagStructure, run_id: str | None, outside: list[OutsideNode]) -> dict[str, Any]:
    """The fields of StructureAnswer, written without validation."""
    return {
        "dag_id": structure.spec.dag_id,
        "run_id": run_id,
        "groups": structure.groups,
        "tasks": [
            _build_task(task, group) for task, group in zip(structure.spec.tasks, structure.task_groups, strict=True)
        ],
        "edges": structure.edges,
        "labels": structure.labels,
        "outside": outside,
    }


def _build_task(task: TaskSpec, group: int | None) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "display_name": task.display_name,
        "group": group,
        "trigger_rule": None if task.trigger_rule == "all_success" else task.trigger_rule,
        "is_setup": task.is_setup or None,
        "is_teardown": task.is_teardown or None,
        "is_mapped": task.expansion is not None or None,
    }
    return {
        "task_id": task.task_id,
        "operator": task.operator,
        **{name: value for name, value in fields.items() if value is not None},
    }
