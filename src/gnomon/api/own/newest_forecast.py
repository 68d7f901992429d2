"""The newest forecast of the monitor: when the coming and the unfinished runs of all DAGs will probably begin and end."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paging import OFFSET_MAX
from gnomon.api.common.reader_language import word
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.model.baselines import PredictedRun
from gnomon.model.instants import iso
from gnomon.model.sentences import say

router = OperationRouter(prefix="/forecast", tags=["Forecast"])
LIMIT_MAX = 10_000
"""A run is a line of a picture, not a row with details: the page asks for all of them at once."""


class ForecastFilters(BaseModel):
    """The parameters of `GET /forecast`. A parameter that it does not have is refused."""

    model_config = ConfigDict(extra="forbid")
    dag_id: list[str] = Field([])
    """Only runs of these DAGs."""
    limit: int = Field(100, ge=0, le=LIMIT_MAX)
    offset: int = Field(0, ge=0, le=OFFSET_MAX)


class PredictedRunAnswer(Answer):
    """A run that has not ended, or that is to come."""

    dag_id: str
    run_id: str
    run_type: str
    run_after: datetime
    start_p50: datetime | None
    """The start in half of the futures; of a run that had begun at `at`, its start."""
    end_p50: datetime | None
    """Null: in half of the futures it had not ended when the projection stopped."""
    end_p90: datetime | None
    failed_share: float
    """The share of the futures in which it fails."""


class NewestForecastAnswer(Answer):
    """The runs of the DAGs that the user may see, by their start."""

    at: datetime
    """When the state was read."""
    until: datetime
    """Runs that are due before this instant are predicted, each to its end."""
    samples: int
    """The futures that were drawn."""
    runs: list[PredictedRunAnswer]
    total_entries: int
    assumptions: list[str]


@router.get("", response_model=NewestForecastAnswer, dependencies=[requires(Permission.READ, ApiResource.DAG)])
def get_forecast(filters: Annotated[ForecastFilters, Query()], context: Context, user: CurrentUser) -> Response:
    """The newest forecast that the monitor has stored. 404: it makes none, and what makes it do so."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        newest = context.forecasts.find(tx)
        hide = build_name_filter(visible)
    if newest is None:
        raise Refusal(404, say("no_forecast_exists", duration=context.cfg.number("forecast", "interval")))
    report, dag_ids = newest.report, frozenset(filters.dag_id)
    runs = [run for run in report.runs if run.dag_id in visible and (not dag_ids or run.dag_id in dag_ids)]
    body = {
        "at": iso(report.at),
        "until": iso(report.until),
        "samples": report.samples,
        "runs": [_build(run) for run in runs[filters.offset : filters.offset + filters.limit]],
        "total_entries": len(runs),
        "assumptions": [hide(word(text)) for text in report.assumptions],
    }
    return Response(msgspec.json.encode(body), media_type="application/json")


def _build(run: PredictedRun) -> dict[str, Any]:
    """The fields of PredictedRunAnswer, written without validation: an answer has thousands of runs."""
    return {
        "dag_id": run.dag_id,
        "run_id": run.run_id,
        "run_type": run.run_type,
        "run_after": iso(run.run_after),
        "start_p50": iso(run.start_p50),
        "end_p50": iso(run.end_p50),
        "end_p90": iso(run.end_p90),
        "failed_share": run.failed_share,
    }
