"""How good predictions of ends were, by DAG: an hour before a run begins and at its start."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paging import OFFSET_MAX
from gnomon.api.common.sentence_answers import Hide, SentenceAnswer, build_sentence_or_none
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.queries.report.activity.forecast_accuracy import Accuracy, read_accuracy

router = OperationRouter(prefix="/forecast", tags=["Forecast"])
LIMIT_MAX = 1_000


class AccuracyFilters(BaseModel):
    """The parameters. One that it does not have is refused."""

    model_config = ConfigDict(extra="forbid")
    dag_id: list[str] = Field([])
    """Only these DAGs."""
    limit: int = Field(100, ge=0, le=LIMIT_MAX)
    """DAGs of a page; each has a row for each moment."""
    offset: int = Field(0, ge=0, le=OFFSET_MAX)


class MomentAccuracyAnswer(Answer):
    """The predictions that were made at the same moment of a run."""

    runs: int
    """Runs that succeeded, with a prediction."""
    below_p50: float | None
    """The share that ended by the median: half, if all is well."""
    below_p90: float | None
    error: float | None
    """Seconds: the median of the distance to the median prediction."""
    mean_error: float | None
    """The same of the mean of the ten runs before: for comparison."""
    failed: int
    """Runs that failed: no end is compared."""
    unpredicted: int
    """Runs that were not predicted to end in half of the futures."""


class DagAccuracyAnswer(Answer):
    """The predictions of one DAG."""

    dag_id: str
    before: MomentAccuracyAnswer | None
    """An hour before the probable start; null: none was kept."""
    start: MomentAccuracyAnswer | None
    """When the run had begun."""
    why: SentenceAnswer | None
    """Why the predictions are bad, or the runs cannot be predicted."""


class ForecastAccuracyAnswer(Answer):
    """The runs of the last 14 days, the DAG with the worst error first."""

    before: MomentAccuracyAnswer | None
    """Of all DAGs; null with `dag_id`, and for an account that does not see all."""
    start: MomentAccuracyAnswer | None
    dags: list[DagAccuracyAnswer]
    total_entries: int


@router.get("/accuracy", dependencies=[requires(Permission.READ, ApiResource.DAG)])
def get_forecast_accuracy(
    filters: Annotated[AccuracyFilters, Query()], context: Context, user: CurrentUser
) -> ForecastAccuracyAnswer:
    """What was predicted of the ends of runs, and what came. A DAG that the user may not see, or without a prediction, has no row."""
    now = context.clock.now()
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        hide = build_name_filter(visible)
        rows = read_accuracy(tx, now, filters.dag_id) if filters.dag_id else context.accuracy.read(tx, now)
    by_dag: dict[str, dict[str, Accuracy]] = {}
    for row in rows:
        if row.dag_id in visible or (not row.dag_id and visible.is_all):
            by_dag.setdefault(row.dag_id, {})[row.basis] = row
    whole = by_dag.pop("", {})
    page = list(by_dag.items())[filters.offset : filters.offset + filters.limit]
    return ForecastAccuracyAnswer(
        before=_build_moment(whole.get("before")),
        start=_build_moment(whole.get("start")),
        dags=[_build_dag(dag_id, moments, hide) for dag_id, moments in page],
        total_entries=len(by_dag),
    )


def _build_dag(dag_id: str, moments: dict[str, Accuracy], hide: Hide) -> DagAccuracyAnswer:
    why = next((row.why for row in moments.values() if row.why is not None), None)
    return DagAccuracyAnswer(
        dag_id=dag_id,
        before=_build_moment(moments.get("before")),
        start=_build_moment(moments.get("start")),
        why=build_sentence_or_none(why, hide),
    )


def _build_moment(row: Accuracy | None) -> MomentAccuracyAnswer | None:
    if row is None:
        return None
    return MomentAccuracyAnswer(
        runs=row.runs,
        below_p50=row.below_p50,
        below_p90=row.below_p90,
        error=row.error_s,
        mean_error=row.mean_error_s,
        failed=row.failed,
        unpredicted=row.unpredicted,
    )
