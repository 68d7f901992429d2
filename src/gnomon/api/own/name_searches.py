"""DAGs and tasks by parts of their names, for the palette of the page."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.queries.report.listings.name_search import search_names
from gnomon.storage.store.pages.dag_overview import read_newest_run_times

router = OperationRouter(tags=["DAG"])
FOUND_MAX = 100
TEXT_MAX = 250


class FoundDagAnswer(Answer):
    """A DAG that fits."""

    dag_id: str
    display_name: str


class FoundTaskAnswer(Answer):
    """A task that fits."""

    dag_id: str
    task_id: str


class FoundNamesAnswer(Answer):
    """What fits, the best first; among equal ones the DAG that ran last is first."""

    dags: list[FoundDagAnswer]
    tasks: list[FoundTaskAnswer]


@router.get("/names", dependencies=[requires(Permission.READ, ApiResource.DAG)])
def find_names(
    context: Context,
    user: CurrentUser,
    text: Annotated[str, Query(max_length=TEXT_MAX)] = "",
    limit: Annotated[int, Query(ge=1, le=FOUND_MAX)] = 8,
) -> FoundNamesAnswer:
    """DAGs and tasks whose names have each word of the text, and those with its letters in this order."""
    with context.database.read() as tx:
        facts = context.facts.find_all(tx)
        visible = VisibleDags(context, tx, user, facts=facts)
        newest_runs = read_newest_run_times(tx)
    names = search_names(facts, newest_runs, text, limit, visible.__contains__)
    return FoundNamesAnswer(
        dags=[FoundDagAnswer(dag_id=name.dag_id, display_name=name.display_name) for name in names.dags],
        tasks=[FoundTaskAnswer(dag_id=name.dag_id, task_id=name.task_id) for name in names.tasks],
    )
