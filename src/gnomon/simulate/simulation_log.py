"""The log of a simulation of years: what was done to its DAGs, its clock and its scheduler, in the order in which it was done.

Instants are those of the wall clock, which may be set: only the order of the entries is the order of what happened.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gnomon.model.instants import Instant
from gnomon.simulate.reference_schedule import Schedule


@dataclass(frozen=True, slots=True)
class DagDefined:
    """A file was parsed that defines the DAG so: new, changed, or as it was. It counts from the next look on."""

    at: Instant
    dag_id: str
    schedule: Schedule
    paused: bool = False
    """A new DAG begins so; the others stay as they are."""


@dataclass(frozen=True, slots=True)
class DagPaused:
    """Somebody paused the DAG, or unpaused it."""

    at: Instant
    dag_id: str
    paused: bool


@dataclass(frozen=True, slots=True)
class ManualRunTriggered:
    """Somebody triggered a run with a logical date: it holds the slot of that date."""

    at: Instant
    dag_id: str
    logical_at: Instant


@dataclass(frozen=True, slots=True)
class SchedulerKilled:
    """The scheduler was killed: nobody looks until `SchedulerStarted`."""

    at: Instant


@dataclass(frozen=True, slots=True)
class SchedulerStarted:
    """A scheduler was started; it knows nothing but the store."""

    at: Instant


@dataclass(frozen=True, slots=True)
class ClockStepped:
    """Somebody set the wall clock."""

    at: Instant
    to: Instant
    """What it showed when the scheduler woke next, up to a second later."""


@dataclass(frozen=True, slots=True)
class StoreFaults:
    """The store refused commits, lost them or left them uncertain, or the scheduler died around one.

    It looked at some of the instants of `tries`, and surely at the last of them.
    """

    tries: tuple[Instant, ...]

    @property
    def at(self) -> Instant:
        return self.tries[0]


LogEntry = DagDefined | DagPaused | ManualRunTriggered | SchedulerKilled | SchedulerStarted | ClockStepped | StoreFaults


@dataclass(slots=True)
class SimulationLog:
    """Everything that was done, in order; and when the simulation ended."""

    start: Instant
    entries: list[LogEntry] = field(default_factory=list)
    end: Instant = 0

    def entries_of(self, dag_id: str) -> list[LogEntry]:
        """What concerns one DAG: its own entries, and those of clock and scheduler."""
        return [entry for entry in self.entries if getattr(entry, "dag_id", dag_id) == dag_id]
