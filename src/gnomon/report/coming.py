"""What a DAG's schedule will make, what it passes, and what of an older schedule is dropped: for looking before it happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from gnomon.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord
from gnomon.model.slots import COUNT_MOST, Passed, PlannedRun, TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.model.states import DagRunType
from gnomon.planning import asked_with, fingerprint
from gnomon.planning.coming import Coming, Forecast, forecast
from gnomon.store import Transaction, runs
from gnomon.timetables.registry import build

AskForecast = Callable[[DagRecord, TimetableRef, dict[str, Any]], Forecast]
"""Asks an author's timetable, which may not be asked here; raises PlanningError."""


@dataclass(frozen=True, slots=True)
class Question:
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


def question(tx: Transaction, dag: DagRecord, now: Instant, count: int, misfire_grace_s: float) -> Question:
    """The question about this DAG, with what the store adds."""
    unfinished = [run for run in runs.unfinished(tx, dag.dag_pk) if run.run_type is not DagRunType.BACKFILL]
    return Question(dag, len(unfinished), now, count, misfire_grace_s)


def next_runs(asked: Question, ask: AskForecast, instead: TimetableRef | None = None) -> tuple[NextRuns, list[PlannedRun]]:
    """What comes as if the DAG were unpaused now, or, `instead`, also as if it had that schedule; and the runs that come."""
    dag = asked.dag
    spec = dag.spec if instead is None else msgspec.structs.replace(dag.spec, timetable=instead)
    told = _forecast(asked, spec, ask)
    due = [one.run for one in told.coming]
    return NextRuns(
        dag_id=dag.dag_id, schedule=spec.timetable.summary, paused=dag.paused,
        next_runs=[_row(one) for one in told.coming], passed=[_passed(one) for one in told.passed],
        dropped=_dropped(asked, spec, due, ask), notes=_notes(dag, spec, told),
        blocked=dag.dependency_error,
    ), due  # fmt: skip


def with_holders(told: NextRuns, due: list[PlannedRun], holder_of: Callable[[str], str | None]) -> NextRuns:
    """The answer, with the runs that will not be made because a run made by hand has their slot."""
    for row, run in zip(told.next_runs, due, strict=True):
        holder = holder_of(run.slot_key)
        if holder is not None:
            row["state"], row["why"] = "taken", f"not made: run {holder} has this slot"
    return told


def _forecast(asked: Question, spec: DagSpec, ask: AskForecast) -> Forecast:
    dag = asked.dag
    if not spec.timetable.can_be_scheduled:
        return Forecast()
    arguments = asked_with(dag, spec, fingerprint(spec.timetable, spec), asked.now)
    if dag.paused:
        arguments["since"] = asked.now
    limits = [limit for limit in (spec.max_active_runs, spec.timetable.active_runs_limit) if limit is not None]
    arguments |= {
        "now": asked.now, "count": asked.count, "unfinished": asked.unfinished, "limit": min(limits),
        "misfire_grace_s": asked.misfire_grace_s,
    }
    try:
        if spec.timetable.builtin:
            return forecast(timetable=build(spec.timetable), **arguments)
        return ask(dag, spec.timetable, arguments)
    except (PlanningError, AirflowTimetableInvalid) as error:
        return Forecast(error=str(error))


def _dropped(asked: Question, spec: DagSpec, due: list[PlannedRun], ask: AskForecast) -> list[str]:
    """When runs of the schedule that the DAG had at the last look were due, and are not with `spec`."""
    dag = asked.dag
    mark = fingerprint(spec.timetable, spec)
    if not dag.fingerprint or mark == dag.fingerprint:
        return []
    old = [dag.next_run] if dag.next_run is not None else []
    if spec.timetable != dag.spec.timetable and fingerprint(dag.spec.timetable, dag.spec) == dag.fingerprint:
        old = [one.run for one in _forecast(asked, dag.spec, ask).coming]
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
    elif not told.coming:
        notes.append("its timetable has no further run")
    if dag.dependency_error is not None:
        notes.append(f"none of them is made while this stands: {dag.dependency_error}")
    if dag.paused:
        notes.append(f"DAG {dag.dag_id} is paused: this is what comes if it is let run now, with: gnomon dags unpause {dag.dag_id}")
    if not dag.active:
        notes.append(f"it is in no file any more: nothing runs; the last one was {dag.file}")
    return notes


def _row(one: Coming) -> dict[str, str | None]:
    run = one.run
    return {
        "run_id": run.run_id, "run_after": iso(run.run_after), "logical_date": iso(run.logical_at),
        "data_interval_start": iso(run.interval_start), "data_interval_end": iso(run.interval_end),
        "made_at": iso(one.made_at), "state": one.state, "why": one.why,
    }  # fmt: skip


def _passed(one: Passed) -> dict[str, object]:
    return {"first": iso(one.first), "until": iso(one.until), "count": one.count, "reason": one.reason}


def told_of(note: Passed) -> str:
    """Slots that were passed, as a sentence."""
    return in_words(_passed(note))


def in_words(passed: dict[str, object]) -> str:
    """Slots that were passed, as a sentence."""
    count = passed["count"]
    if count == 1:
        return f"the slot at {passed['first']}: {passed['reason']}"
    many = f"{COUNT_MOST} or more" if count == COUNT_MOST else str(count)
    return f"{many} slots, the first at {passed['first']}, all before {passed['until']}: {passed['reason']}"
