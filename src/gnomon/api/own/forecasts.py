"""The coming runs of a DAG and the slots that it skips, each with its reason."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import Query

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.reader_language import word
from gnomon.api.common.sentence_answers import SentenceAnswer, SpannedAnswer, build_sentence, map_spans
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import refuse_wildcard
from gnomon.changes.actions.run_forecasts import forecast_next_runs
from gnomon.model.instants import Instant, to_instant
from gnomon.model.sentences import say
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.next_runs import NextRuns

router = OperationRouter(prefix="/dags/{dag_id}", tags=["Next runs"])
RUNS_MAX = 100
"""The most runs of one answer."""
COMPUTED_MAX = 200
"""The most coming runs among which those from an instant are searched."""


class NextRunAnswer(Answer):
    """A run that the schedule will create."""

    run_id: str
    run_after: datetime
    logical_date: datetime | None
    data_interval_start: datetime | None
    data_interval_end: datetime | None
    made_at: datetime | None
    """When it will be created; None when that depends on the ends of other runs."""
    state: str
    """`planned`, `now` (it starts at once), `held` (it waits) or `taken` (a manual run has the slot)."""
    why: str


class SkippedSlotsAnswer(Answer):
    """Neighbouring slots that have no run, for the same reason."""

    first: datetime
    until: datetime
    """All of them are before this instant."""
    count: int
    reason: str


class NextRunsAnswer(SpannedAnswer):
    """The coming runs, as if the DAG were unpaused now."""

    dag_id: str
    schedule: SentenceAnswer
    paused: bool
    blocked: str | None
    """Why none of the runs is created."""
    next_runs: list[NextRunAnswer]
    skipped: list[SkippedSlotsAnswer]
    dropped: list[datetime]
    """Due times of runs of the previous schedule that will not be created."""
    notes: list[str]


@router.get("/nextRuns", dependencies=[requires(Permission.READ, ApiResource.DAG)])
def get_next_runs(
    dag_id: Id,
    context: Context,
    user: CurrentUser,
    limit: Annotated[int, Query(ge=1, le=RUNS_MAX)] = 5,
    from_: Annotated[datetime | None, Query(alias="from")] = None,
) -> NextRunsAnswer:
    """The next `limit` runs; with `from`, of those that are due at that instant or later."""
    refuse_wildcard("dag_id", dag_id)
    with context.database.read() as tx:
        dag = find_dag(tx, dag_id)
    first = None if from_ is None else read_instant(from_)
    forecast = forecast_next_runs(
        context.cfg, context.database, dag, context.clock.now(), limit if first is None else COMPUTED_MAX
    )
    if first is not None:
        forecast = _cut_runs(forecast, first, limit)
    with context.database.read() as tx:
        hide = build_name_filter(VisibleDags(context, tx, user))
    return NextRunsAnswer.model_validate(
        {
            "dag_id": forecast.dag_id,
            "schedule": build_sentence(forecast.schedule, hide),
            "paused": forecast.paused,
            "blocked": None if forecast.blocked is None else hide(word(forecast.blocked)),
            "next_runs": [run | {"why": word(str(run["why"]))} for run in forecast.next_runs],
            "skipped": [slots | {"reason": word(str(slots["reason"]))} for slots in forecast.skipped],
            "dropped": forecast.dropped,
            "notes": [hide(word(note)) for note in forecast.notes],
            "spans": map_spans([forecast.blocked, *forecast.notes, *(run["why"] for run in forecast.next_runs)], hide),
        }
    )


def _cut_runs(forecast: NextRuns, first: Instant, limit: int) -> NextRuns:
    """The forecast with at most `limit` runs, all due at `first` or later; a note says up to when runs were computed if there is none."""
    later = [run for run in forecast.next_runs if _read_due(run) >= first]
    notes = list(forecast.notes)
    if not later and forecast.next_runs:
        notes.append(say("no_computed_run_is_due", at=first, until=_read_due(forecast.next_runs[-1])))
    return replace(forecast, next_runs=later[:limit], notes=notes)


def _read_due(run: dict[str, str | None]) -> Instant:
    due = run["run_after"]
    assert due is not None
    return to_instant(datetime.fromisoformat(due))
