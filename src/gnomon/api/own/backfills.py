"""Backfills of all DAGs with their progress, which Airflow's operations do not tell."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.common.reader_language import word
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.queries.report.listings.backfill_list import build_backfill_rows, name_backfill_state
from gnomon.storage.store.dag_records import backfills
from gnomon.storage.store.pages.dag_pages import read_dag_page
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey

router = OperationRouter(prefix="/backfills", tags=["Backfill"])
State = Literal["planning", "running", "paused", "cancelled", "complete"]


class BackfillProgressFilters(PageParameters):
    """The parameters of the list."""

    dag_id: str | None = None
    """Default: every DAG."""
    state: list[State] = Field([])
    """Default: any state."""


class BackfillAnswer(Answer):
    """A backfill and its progress."""

    backfill_id: int
    dag_id: str
    is_dag_paused: bool
    """The DAG is paused: no run of the backfill starts."""
    state: State
    """`planning`: its slots are still being found."""
    from_date: datetime
    to_date: datetime
    reprocess_behavior: str
    max_active_runs: int
    run_backwards: bool
    dag_run_conf: dict[str, object]
    slots: int
    """Slots found so far; all of them once the state is no longer `planning`."""
    success: int
    failed: int
    running: int
    queued: int
    """Slots whose run has not started."""
    left: int
    """Slots whose run the backfill leaves as it is."""
    created_at: datetime
    completed_at: datetime | None
    created_by: str
    error: str | None


class BackfillsAnswer(Answer):
    """Backfills, the newest first."""

    backfills: list[BackfillAnswer]
    total_entries: int


@router.get("", dependencies=[requires(Permission.READ, ApiResource.BACKFILL)])
def get_backfills(
    filters: Annotated[BackfillProgressFilters, Query()], context: Context, user: CurrentUser
) -> BackfillsAnswer:
    """The backfills of the DAGs that the user may see. A DAG that he may not see, or that does not exist, has none."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        hide = build_name_filter(visible)
        named = (
            backfills.list_backfills(tx)
            if filters.dag_id is None
            else backfills.list_backfills_of_dag(tx, filters.dag_id)
        )
        chosen = [
            (dag_id, record)
            for dag_id, record in named
            if dag_id in visible and (not filters.state or name_backfill_state(record) in filters.state)
        ]
        rows = build_backfill_rows(tx, cut_page(chosen, filters))
        named_dags = Condition("dag_id", Operator.IN, sorted({row.dag_id for row in rows}))
        page = read_dag_page(tx, PageQuery((named_dags,), (SortKey("dag_id"),), len(rows))) if rows else []
        paused = {dag.dag_id for dag in page if dag.is_paused}
    answers = [
        BackfillAnswer.model_validate(
            {
                **asdict(row),
                "is_dag_paused": row.dag_id in paused,
                "error": None if row.error is None else hide(word(row.error)),
            }
        )
        for row in rows
    ]
    return BackfillsAnswer(backfills=answers, total_entries=len(chosen))
