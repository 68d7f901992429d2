"""The coming runs of a DAG: those that its schedule will create, slots that it skips, and runs of an older schedule that are dropped.

`answer_next_runs` is the full forecast of `gnomon dags next-runs`; `list_next_runs` is the short list of `gnomon dags show`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.ids import DAG_FILE_MODULE
from gnomon.model.instants import Instant, iso, to_instant
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Command, Sentence, render, say
from gnomon.model.slots import MAX_COUNTED_SLOTS, PlannedRun, SkippedSlots, TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.model.states import DagRunType
from gnomon.rules.assets.schedule_words import summarize_schedule
from gnomon.rules.planning import PlanningError, build_plan_arguments, compute_fingerprint
from gnomon.rules.planning.forecast import Forecast, ForecastRun, build_forecast, list_upcoming_runs
from gnomon.rules.timetables.registry import build
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs

AskForecast = Callable[[DagRecord, TimetableRef, dict[str, Any]], Forecast]
"""Computes the forecast of an author's timetable, in another process; raises PlanningError."""


@dataclass(frozen=True, slots=True)
class ForecastRequest:
    """The DAG, as stored, and the time and number of runs of a forecast."""

    dag: DagRecord
    unfinished: int
    """Number of its unfinished runs, without those of backfills."""
    now: Instant
    count: int
    misfire_grace_s: float


@dataclass(frozen=True, slots=True)
class NextRuns:
    """The coming runs of a DAG: what `gnomon dags next-runs` prints."""

    dag_id: str
    schedule: Sentence
    paused: bool
    next_runs: list[dict[str, str | None]]
    skipped: list[dict[str, object]]
    """Slots that are skipped without a run: first, until (exclusive), count, reason."""
    dropped: list[str]
    """Due times of runs of the previous schedule that will not be created."""
    notes: list[Sentence]
    blocked: str | None = None
    """Why none of these runs is created."""


@dataclass(frozen=True, slots=True)
class NextRunsTable:
    """`NextRuns` with its sentences in English."""

    dag_id: str
    schedule: str
    paused: bool
    next_runs: list[dict[str, str | None]]
    skipped: list[dict[str, object]]
    dropped: list[str]
    notes: list[str]
    blocked: str | None = None


def build_table(forecast: NextRuns, hide: Callable[[str], str] = str) -> NextRunsTable:
    """The forecast in English. `hide`: replaces the names that the user may not see."""
    return NextRunsTable(
        forecast.dag_id,
        render(forecast.schedule),
        forecast.paused,
        forecast.next_runs,
        forecast.skipped,
        forecast.dropped,
        [hide(render(note)) for note in forecast.notes],
        None if forecast.blocked is None else hide(forecast.blocked),
    )


def build_request(tx: Transaction, dag: DagRecord, now: Instant, count: int, misfire_grace_s: float) -> ForecastRequest:
    """The request for a forecast of `count` runs of this DAG."""
    unfinished = [
        run for run in dag_runs.list_unfinished_runs(tx, dag.dag_pk) if run.run_type is not DagRunType.BACKFILL
    ]
    return ForecastRequest(dag, len(unfinished), now, count, misfire_grace_s)


def answer_next_runs(
    request: ForecastRequest, ask: AskForecast, schedule: TimetableRef | None = None
) -> tuple[NextRuns, list[PlannedRun]]:
    """The forecast as if the DAG were unpaused now, and its runs; with `schedule`, as if that were the DAG's timetable."""
    dag = request.dag
    spec = dag.spec if schedule is None else msgspec.structs.replace(dag.spec, timetable=schedule)
    forecast = _forecast(request, spec, ask)
    due = [entry.run for entry in forecast.runs]
    return NextRuns(
        dag_id=dag.dag_id,
        schedule=summarize_schedule(spec),
        paused=dag.paused,
        next_runs=[_forecast_row(entry) for entry in forecast.runs],
        skipped=[_skipped_row(skipped) for skipped in forecast.skipped],
        dropped=_list_dropped_runs(request, spec, due, ask),
        notes=_notes(dag, spec, forecast),
        blocked=dag.dependency_error,
    ), due


def with_slot_holders(forecast: NextRuns, due: list[PlannedRun], holder_of: Callable[[str], str | None]) -> NextRuns:
    """Mark the runs that will not be created because a manual run has their slot, and return the forecast.

    `due`: the runs of the forecast. `holder_of`: the id of the run that has a slot, by slot key.
    """
    for row, run in zip(forecast.next_runs, due, strict=True):
        holder = holder_of(run.slot_key)
        if holder is not None:
            row["state"], row["why"] = "taken", render(say("slot_has_holder", run=holder))
    return forecast


def _forecast(request: ForecastRequest, spec: DagSpec, ask: AskForecast) -> Forecast:
    dag = request.dag
    if not spec.timetable.can_be_scheduled:
        return Forecast()
    arguments = build_plan_arguments(dag, spec, compute_fingerprint(spec.timetable, spec), request.now)
    if dag.paused:
        arguments["active_since"] = request.now
    limits = [limit for limit in (spec.max_active_runs, spec.timetable.active_runs_limit) if limit is not None]
    arguments |= {
        "now": request.now,
        "count": request.count,
        "unfinished": request.unfinished,
        "limit": min(limits),
        "misfire_grace_s": request.misfire_grace_s,
    }
    try:
        if spec.timetable.builtin:
            return build_forecast(timetable=build(spec.timetable), **arguments)
        return ask(dag, spec.timetable, arguments)
    except (PlanningError, AirflowTimetableInvalid) as error:
        return Forecast(error=str(error))


def _list_dropped_runs(request: ForecastRequest, spec: DagSpec, due: list[PlannedRun], ask: AskForecast) -> list[str]:
    """Due times of the runs that the DAG's last planned schedule would create and `spec` does not."""
    dag = request.dag
    fingerprint = compute_fingerprint(spec.timetable, spec)
    if not dag.fingerprint or fingerprint == dag.fingerprint:
        return []
    old = [dag.next_run] if dag.next_run is not None else []
    if spec.timetable != dag.spec.timetable and compute_fingerprint(dag.spec.timetable, dag.spec) == dag.fingerprint:
        old = [entry.run for entry in _forecast(request, dag.spec, ask).runs]
    last = due[-1].run_after if len(due) >= request.count else None
    kept_instants = {run.run_after for run in due}
    dropped = [
        run.run_after for run in old if run.run_after not in kept_instants and (last is None or run.run_after <= last)
    ]
    return [text for at in dropped if (text := iso(at)) is not None]


def _notes(dag: DagRecord, spec: DagSpec, forecast: Forecast) -> list[Sentence]:
    notes = []
    if not spec.timetable.can_be_scheduled:
        code = "runs_are_made_by_hand" if spec.asset_condition is None else "runs_are_made_by_assets"
        notes.append(say(code, schedule=summarize_schedule(spec)))
    elif forecast.error is not None:
        notes.append(say("later_runs_are_not_known", error=forecast.error))
    elif not forecast.runs:
        notes.append(say("timetable_has_no_further_run", end=None))
    if dag.dependency_error is not None:
        notes.append(say("runs_wait_for_a_fix", error=dag.dependency_error))
    if dag.paused:
        notes.append(say("runs_if_unpaused", dag=dag.dag_id, command=Command("dags unpause", (dag.dag_id,))))
    if not dag.active:
        notes.append(say("dag_is_deleted_without_runs", file=dag.file))
    return notes


def _forecast_row(entry: ForecastRun) -> dict[str, str | None]:
    run = entry.run
    return {
        "run_id": run.run_id,
        "run_after": iso(run.run_after),
        "logical_date": iso(run.logical_at),
        "data_interval_start": iso(run.interval_start),
        "data_interval_end": iso(run.interval_end),
        "made_at": iso(entry.made_at),
        "state": entry.state,
        "why": entry.why,
    }


def _skipped_row(skipped: SkippedSlots) -> dict[str, object]:
    return {"first": iso(skipped.first), "until": iso(skipped.until), "count": skipped.count, "reason": skipped.reason}


def describe_skipped(skipped: SkippedSlots) -> Sentence:
    """Skipped slots and the reason, as a phrase."""
    if skipped.count == 1:
        return say("slot_is_skipped", at=skipped.first, reason=skipped.reason)
    code = "many_slots_are_skipped" if skipped.count == MAX_COUNTED_SLOTS else "slots_are_skipped"
    return say(code, total=skipped.count, at=skipped.first, until=skipped.until, reason=skipped.reason)


def describe_skipped_row(skipped: dict[str, object]) -> str:
    """The words of `describe_skipped`, for an entry of `NextRuns.skipped`."""
    first, until = (to_instant(datetime.fromisoformat(str(skipped[name]))) for name in ("first", "until"))
    count, reason = int(str(skipped["count"])), str(skipped["reason"])
    return render(describe_skipped(SkippedSlots(first=first, until=until, count=count, reason=reason)))


DEFAULT_COUNT = 5
"""Number of coming runs in `gnomon dags show`."""

_TICKS = "ticks_without_interval"
_TICKS_BACK = "ticks_with_interval_before"
_INTERVALS = "data_intervals"
_FAMILIES = {
    "NullTimetable": "runs_by_hand_only",
    "OnceTimetable": _TICKS,
    "EventsTimetable": _TICKS,
    "CronTriggerTimetable": _TICKS,
    "MultipleCronTriggerTimetable": _TICKS,
    "DeltaTriggerTimetable": _TICKS,
    "CronDataIntervalTimetable": _INTERVALS,
    "DeltaDataIntervalTimetable": _INTERVALS,
    "ContinuousTimetable": _INTERVALS,
    "BusinessDays": _INTERVALS,
}
_PERIOD = "period"
"""The `interval` of a period timetable whose data intervals reach back to the previous slot."""


@dataclass(frozen=True, slots=True)
class UpcomingRun:
    """A run that the schedule will create."""

    run_after: Instant
    interval_start: Instant | None
    interval_end: Instant | None

    def as_record(self) -> dict[str, str | None]:
        """The run as a dict of ISO 8601 texts."""
        return {
            "run_after": iso(self.run_after),
            "data_interval_start": iso(self.interval_start),
            "data_interval_end": iso(self.interval_end),
        }


def describe_family(timetable: TimetableRef) -> Sentence:
    """A phrase on whether the runs of a timetable have data intervals."""
    if not timetable.builtin:
        module, _, name = timetable.path.rpartition(".")
        is_in_dag_file = module.startswith(DAG_FILE_MODULE)  # a generated module name
        return (
            say("defined_in_dag_file", name=name)
            if is_in_dag_file
            else say("defined_by_class", class_path=timetable.path)
        )
    family = _FAMILIES.get(timetable.class_name, _TICKS)
    interval = timetable.data.get("interval") if family == _TICKS else None
    return say(_INTERVALS if interval == _PERIOD else _TICKS_BACK if interval else family)


UpcomingRunsQuery = Callable[[DagRecord, Instant, int], list[PlannedRun]]
"""Computes a number of coming runs with an author's timetable, in another process; raises PlanningError."""


def list_next_runs(
    dag: DagRecord, now: Instant, count: int = DEFAULT_COUNT, ask: UpcomingRunsQuery | None = None
) -> list[UpcomingRun]:
    """The next `count` runs as if the DAG were not paused, overdue runs included.

    Empty for a DAG without a schedule or with a timetable that fails (the DAG has the error). Without `ask`, only the stored
    next run is known of an author's timetable.
    """
    if not dag.spec.timetable.can_be_scheduled:
        return []
    stored = [dag.next_run] if dag.next_run is not None else []
    try:
        if dag.spec.timetable.builtin:
            return _to_upcoming(
                list_upcoming_runs(
                    dag=dag.spec, timetable=build(dag.spec.timetable), cursor=dag.cursor, now=now, count=count
                )
            )
        return _to_upcoming(stored if ask is None else ask(dag, now, count))
    except (PlanningError, AirflowTimetableInvalid):
        return [] if dag.spec.timetable.builtin else _to_upcoming(stored)


def _to_upcoming(runs: list[PlannedRun]) -> list[UpcomingRun]:
    return [UpcomingRun(run.run_after, run.interval_start, run.interval_end) for run in runs]
