"""What a schedule means: which of the two families it is of, and the runs that it will make next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.model.ids import DAG_FILE_MODULE
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord
from gnomon.model.slots import PlannedRun, TimetableRef
from gnomon.planning import PlanningError
from gnomon.planning.coming import coming_runs
from gnomon.timetables.registry import build

SHOWN = 5
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
class ComingRun:
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


def family(timetable: TimetableRef) -> str:
    """Whether runs are instants or cover stretches of data time."""
    if not timetable.builtin:
        module, _, name = timetable.path.rpartition(".")
        own = module.startswith(DAG_FILE_MODULE)  # a name that tells nobody anything
        return f"as {name}, in the DAG's own file, says" if own else f"as {timetable.path} says"
    known = _FAMILIES.get(timetable.path.rpartition(".")[2], _TICKS)
    about = timetable.data.get("interval") if known == _TICKS else None
    return _INTERVALS if about == _PERIOD else _TICKS_BACK if about else known


Ask = Callable[[DagRecord, Instant, int], list[PlannedRun]]
"""Asks an author's timetable, which may not be asked here, for so many coming runs; raises PlanningError."""


def next_runs(dag: DagRecord, now: Instant, count: int = SHOWN, ask: Ask | None = None) -> list[ComingRun]:
    """The runs that come next if nothing changes and the DAG is not paused, overdue ones included.

    Empty for a DAG without a schedule or whose timetable fails; its error stands on the DAG. Without `ask`, of an
    author's timetable only the stored next run is known.
    """
    if not dag.spec.timetable.can_be_scheduled:
        return []
    stored = [dag.next_run] if dag.next_run is not None else []
    try:
        if dag.spec.timetable.builtin:
            return _shown(coming_runs(
                dag=dag.spec, timetable=build(dag.spec.timetable), cursor=dag.cursor, now=now, count=count
            ))  # fmt: skip
        return _shown(stored if ask is None else ask(dag, now, count))
    except (PlanningError, AirflowTimetableInvalid):
        return [] if dag.spec.timetable.builtin else _shown(stored)


def _shown(runs: list[PlannedRun]) -> list[ComingRun]:
    return [ComingRun(run.run_after, run.interval_start, run.interval_end) for run in runs]
