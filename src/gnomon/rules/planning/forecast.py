"""The coming runs of a DAG if nothing changes, each with a reason, computed with the scheduler's own planning."""

from __future__ import annotations

import msgspec

from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Sentence, render, say
from gnomon.model.slots import Cursor, PlannedRun, SkippedSlots
from gnomon.model.spec import DagSpec
from gnomon.rules.planning.plan import MISFIRE_GRACE_S, Plan, plan_runs
from gnomon.rules.planning.policies import compute_jitter, resolve_misfire
from gnomon.rules.timetables.base import Timetable

MAX_LOOKS = 200
"""Most plans of one forecast; a schedule whose slots are all skipped ends there."""


class ForecastRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that will be created."""

    run: PlannedRun
    state: str
    """now | held | planned"""
    made_at: Instant | None
    """When it is created; None for a held run, which is created when an active run finishes."""
    why: str


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """The coming runs and the skipped slots of a schedule."""

    runs: tuple[ForecastRun, ...] = ()
    skipped: tuple[SkippedSlots, ...] = ()
    """Slots without a run, with the reason."""
    error: str | None = None
    """Why nothing is known after the last run; None if the timetable did not fail."""


def build_forecast(
    *,
    timetable: Timetable,
    dag: DagSpec,
    cursor: Cursor | None,
    now: Instant,
    count: int,
    promised_run: PlannedRun | None = None,
    active_since: Instant | None = None,
    evaluate_as_of: Instant | None = None,
    unfinished: int = 0,
    limit: int | None = None,
    misfire_grace_s: float = MISFIRE_GRACE_S,
) -> Forecast:
    """At most `count` runs from now on: those created at once, those held by `limit`, and future ones.

    `promised_run`, `active_since` and `evaluate_as_of` as for `plan_runs`. `unfinished`: unfinished runs of the DAG other than backfills;
    `limit`: the maximum of active runs (None: no maximum). If the timetable fails, `Forecast.error` has the message.
    """
    forecast_runs: list[ForecastRun] = []
    skipped: list[SkippedSlots] = []
    at, looks, active_since = now, 0, now if active_since is None else active_since
    while len(forecast_runs) < count and looks < MAX_LOOKS:
        looks += 1
        is_now = at == now
        started = sum(forecast_run.state == "now" for forecast_run in forecast_runs)
        try:
            plan: Plan = plan_runs(
                dag=dag,
                timetable=timetable,
                cursor=cursor,
                now=at,
                max_new_runs=1,
                has_unfinished_runs=is_now and unfinished > 0,
                promised_run=promised_run,
                active_since=active_since,
                evaluate_as_of=evaluate_as_of,
                has_unfinished_regular_runs=is_now and unfinished + started > 0,
                misfire_grace_s=misfire_grace_s,
            )
        except PlanningError as error:
            return Forecast(runs=tuple(forecast_runs), skipped=tuple(skipped), error=str(error))
        skipped += plan.skipped
        for run in plan.runs:
            is_held = is_now and limit is not None and dag.overlap == "queue" and unfinished + started >= limit
            forecast_runs.append(
                _build_forecast_run(
                    dag, run, at, active_since, limit, is_now, is_held, unfinished + started, misfire_grace_s
                )
            )
        if plan.error is not None or timetable.follows_runs:
            return Forecast(runs=tuple(forecast_runs), skipped=tuple(skipped), error=plan.error)
        cursor, promised_run, evaluate_as_of = plan.cursor, plan.next_run, None
        if promised_run is None:
            break
        at = max(at, promised_run.run_after + compute_jitter(dag))
    return Forecast(runs=tuple(forecast_runs[:count]), skipped=tuple(skipped))


def _build_forecast_run(
    dag: DagSpec,
    run: PlannedRun,
    at: Instant,
    active_since: Instant,
    limit: int | None,
    is_now: bool,
    is_held: bool,
    unfinished: int,
    grace_s: float,
) -> ForecastRun:
    why = _describe_reason(dag, run, at, active_since, is_now, unfinished, grace_s)
    if is_held:
        runs = say("unfinished_runs", count=unfinished)
        reached = say("max_active_runs_is_reached", runs_limit=limit, runs=runs)
        told = render(say("run_is_held", clauses=(reached, why)))
        return ForecastRun(run=run, state="held", made_at=None, why=told)
    return ForecastRun(run=run, state="now" if is_now else "planned", made_at=at, why=render(why))


def _describe_reason(
    dag: DagSpec, run: PlannedRun, at: Instant, active_since: Instant, is_now: bool, unfinished: int, grace_s: float
) -> Sentence:
    late_by = compute_jitter(dag)
    moved = say("later_by_jitter", duration=late_by / SECOND) if late_by else None
    if not is_now:
        return say(_ON_TIME.get(dag.overlap, "run_is_on_time"), jitter=moved)
    ending = say("active_run_ends_failed") if unfinished and dag.overlap == "cancel_running" else None
    due = run.run_after + late_by
    if at - due <= grace_s * SECOND:
        return say("run_is_due_now", jitter=moved, end=ending)
    if due < active_since:
        return say("run_is_made_up" if dag.catchup else "newest_slot_is_made_up", end=ending)
    return say("run_is_late", option=resolve_misfire(dag), end=ending)


_ON_TIME = {"skip": "run_is_on_time_or_skipped", "cancel_running": "run_is_on_time_and_ends_another"}


def list_upcoming_runs(
    *, dag: DagSpec, timetable: Timetable, cursor: Cursor | None, now: Instant, count: int
) -> list[PlannedRun]:
    """At most `count` runs after the cursor, overdue ones included, up to the first slot for which the timetable fails.

    Raises PlanningError if it fails for the first slot.
    """
    forecast = build_forecast(dag=dag, timetable=timetable, cursor=cursor, now=now, count=count)
    if forecast.error is not None and not forecast.runs:
        raise PlanningError(forecast.error)
    return [forecast_run.run for forecast_run in forecast.runs]
