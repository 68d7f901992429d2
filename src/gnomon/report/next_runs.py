"""What a DAG's schedule will make, what it passes, and what of an older schedule is dropped: for looking before it happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.model.ids import DAG_FILE_MODULE
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord
from gnomon.model.slots import MAX_COUNTED_SLOTS, PlannedRun, SkippedSlots, TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.model.states import DagRunType
from gnomon.planning import PlanningError, build_plan_arguments, compute_fingerprint
from gnomon.planning.forecast import Forecast, ForecastRun, build_forecast, list_upcoming_runs
from gnomon.store import Transaction
from gnomon.store.dag_records import dag_runs
from gnomon.timetables.registry import build

AskForecast = Callable[[DagRecord, TimetableRef, dict[str, Any]], Forecast]
"""Asks an author's timetable, which may not be asked here; raises PlanningError."""


@dataclass(frozen=True, slots=True)
class ForecastRequest:
    """For which DAG, as it stands in the store, and from when."""

    dag: DagRecord
    unfinished: int
    """Its runs that have not ended, but those of backfills."""
    now: Instant
    count: int
    misfire_grace_s: float


@dataclass(frozen=True, slots=True)
class NextRuns:
    """The answer of `gnomon dags next-runs`."""

    dag_id: str
    schedule: str
    paused: bool
    next_runs: list[dict[str, str | None]]
    passed: list[dict[str, object]]
    """Slots that no run will be made for: first, until (exclusive), count, reason."""
    dropped: list[str]
    """When runs of the schedule before this one were due that will not be made."""
    notes: list[str]
    blocked: str | None = None
    """Why none of these runs is made."""


def build_request(tx: Transaction, dag: DagRecord, now: Instant, count: int, misfire_grace_s: float) -> ForecastRequest:
    """The question about this DAG, with what the store adds."""
    unfinished = [run for run in dag_runs.list_unfinished_runs(tx, dag.dag_pk) if run.run_type is not DagRunType.BACKFILL]
    return ForecastRequest(dag, len(unfinished), now, count, misfire_grace_s)


def answer_next_runs(asked: ForecastRequest, ask: AskForecast, instead: TimetableRef | None = None) -> tuple[NextRuns, list[PlannedRun]]:
    """What comes as if the DAG were unpaused now, or, `instead`, also as if it had that schedule; and the runs that come."""
    dag = asked.dag
    spec = dag.spec if instead is None else msgspec.structs.replace(dag.spec, timetable=instead)
    told = _forecast(asked, spec, ask)
    due = [one.run for one in told.runs]
    return NextRuns(
        dag_id=dag.dag_id, schedule=spec.timetable.summary, paused=dag.paused,
        next_runs=[_forecast_row(one) for one in told.runs], passed=[_skipped_row(one) for one in told.passed],
        dropped=_list_dropped_runs(asked, spec, due, ask), notes=_notes(dag, spec, told),
        blocked=dag.dependency_error,
    ), due  # fmt: skip


def with_slot_holders(told: NextRuns, due: list[PlannedRun], holder_of: Callable[[str], str | None]) -> NextRuns:
    """The answer, with the runs that will not be made because a run made by hand has their slot."""
    for row, run in zip(told.next_runs, due, strict=True):
        holder = holder_of(run.slot_key)
        if holder is not None:
            row["state"], row["why"] = "taken", f"not made: run {holder} has this slot"
    return told


def _forecast(asked: ForecastRequest, spec: DagSpec, ask: AskForecast) -> Forecast:
    dag = asked.dag
    if not spec.timetable.can_be_scheduled:
        return Forecast()
    arguments = build_plan_arguments(dag, spec, compute_fingerprint(spec.timetable, spec), asked.now)
    if dag.paused:
        arguments["since"] = asked.now
    limits = [limit for limit in (spec.max_active_runs, spec.timetable.active_runs_limit) if limit is not None]
    arguments |= {
        "now": asked.now, "count": asked.count, "unfinished": asked.unfinished, "limit": min(limits),
        "misfire_grace_s": asked.misfire_grace_s,
    }
    try:
        if spec.timetable.builtin:
            return build_forecast(timetable=build(spec.timetable), **arguments)
        return ask(dag, spec.timetable, arguments)
    except (PlanningError, AirflowTimetableInvalid) as error:
        return Forecast(error=str(error))


def _list_dropped_runs(asked: ForecastRequest, spec: DagSpec, due: list[PlannedRun], ask: AskForecast) -> list[str]:
    """When runs of the schedule that the DAG had at the last look were due, and are not with `spec`."""
    dag = asked.dag
    mark = compute_fingerprint(spec.timetable, spec)
    if not dag.fingerprint or mark == dag.fingerprint:
        return []
    old = [dag.next_run] if dag.next_run is not None else []
    if spec.timetable != dag.spec.timetable and compute_fingerprint(dag.spec.timetable, dag.spec) == dag.fingerprint:
        old = [one.run for one in _forecast(asked, dag.spec, ask).runs]
    last = due[-1].run_after if len(due) >= asked.count else None
    kept = {run.run_after for run in due}
    found = [run.run_after for run in old if run.run_after not in kept and (last is None or run.run_after <= last)]
    return [text for at in found if (text := iso(at)) is not None]


def _notes(dag: DagRecord, spec: DagSpec, told: Forecast) -> list[str]:
    notes = []
    if not spec.timetable.can_be_scheduled:
        notes.append(f"its schedule is {spec.timetable.summary or 'None'}: runs are made by hand only")
    elif told.error is not None:
        notes.append(f"its timetable does not say more: {told.error}")
    elif not told.runs:
        notes.append("its timetable has no further run")
    if dag.dependency_error is not None:
        notes.append(f"none of them is made while this stands: {dag.dependency_error}")
    if dag.paused:
        notes.append(f"DAG {dag.dag_id} is paused: this is what comes if it is let run now, with: gnomon dags unpause {dag.dag_id}")
    if not dag.active:
        notes.append(f"it is in no file any more: nothing runs; the last one was {dag.file}")
    return notes


def _forecast_row(one: ForecastRun) -> dict[str, str | None]:
    run = one.run
    return {
        "run_id": run.run_id, "run_after": iso(run.run_after), "logical_date": iso(run.logical_at),
        "data_interval_start": iso(run.interval_start), "data_interval_end": iso(run.interval_end),
        "made_at": iso(one.made_at), "state": one.state, "why": one.why,
    }  # fmt: skip


def _skipped_row(one: SkippedSlots) -> dict[str, object]:
    return {"first": iso(one.first), "until": iso(one.until), "count": one.count, "reason": one.reason}


def describe_skipped(note: SkippedSlots) -> str:
    """Slots that were passed, as a sentence."""
    return describe_skipped_row(_skipped_row(note))


def describe_skipped_row(passed: dict[str, object]) -> str:
    """Slots that were passed, as a sentence."""
    count = passed["count"]
    if count == 1:
        return f"the slot at {passed['first']}: {passed['reason']}"
    many = f"{MAX_COUNTED_SLOTS} or more" if count == MAX_COUNTED_SLOTS else str(count)
    return f"{many} slots, the first at {passed['first']}, all before {passed['until']}: {passed['reason']}"


DEFAULT_COUNT = 5
"""How many coming runs are shown."""

_TICKS = "ticks without an interval"
_TICKS_BACK = "ticks, each with the interval before it"
_INTERVALS = "data intervals"
_FAMILIES = {
    "NullTimetable": "none: runs are made by hand only",
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
"""The `interval` of a period timetable whose runs are about the time since the slot before."""


@dataclass(frozen=True, slots=True)
class UpcomingRun:
    """A run that the schedule will make."""

    run_after: Instant
    interval_start: Instant | None
    interval_end: Instant | None

    def as_record(self) -> dict[str, str | None]:
        """As listings print it."""
        return {
            "run_after": iso(self.run_after),
            "data_interval_start": iso(self.interval_start),
            "data_interval_end": iso(self.interval_end),
        }


def describe_family(timetable: TimetableRef) -> str:
    """Whether runs are instants or cover stretches of data time."""
    if not timetable.builtin:
        module, _, name = timetable.path.rpartition(".")
        own = module.startswith(DAG_FILE_MODULE)  # a name that tells nobody anything
        return f"as {name}, in the DAG's own file, says" if own else f"as {timetable.path} says"
    known = _FAMILIES.get(timetable.path.rpartition(".")[2], _TICKS)
    about = timetable.data.get("interval") if known == _TICKS else None
    return _INTERVALS if about == _PERIOD else _TICKS_BACK if about else known


UpcomingRunsQuery = Callable[[DagRecord, Instant, int], list[PlannedRun]]
"""Asks an author's timetable, which may not be asked here, for so many coming runs; raises PlanningError."""


def list_next_runs(dag: DagRecord, now: Instant, count: int = DEFAULT_COUNT, ask: UpcomingRunsQuery | None = None) -> list[UpcomingRun]:
    """The runs that come next if nothing changes and the DAG is not paused, overdue ones included.

    Empty for a DAG without a schedule or whose timetable fails; its error stands on the DAG. Without `ask`, of an
    author's timetable only the stored next run is known.
    """
    if not dag.spec.timetable.can_be_scheduled:
        return []
    stored = [dag.next_run] if dag.next_run is not None else []
    try:
        if dag.spec.timetable.builtin:
            return _to_upcoming(list_upcoming_runs(
                dag=dag.spec, timetable=build(dag.spec.timetable), cursor=dag.cursor, now=now, count=count
            ))  # fmt: skip
        return _to_upcoming(stored if ask is None else ask(dag, now, count))
    except (PlanningError, AirflowTimetableInvalid):
        return [] if dag.spec.timetable.builtin else _to_upcoming(stored)


def _to_upcoming(runs: list[PlannedRun]) -> list[UpcomingRun]:
    return [UpcomingRun(run.run_after, run.interval_start, run.interval_end) for run in runs]
