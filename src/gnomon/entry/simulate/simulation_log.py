"""The log of a simulation of years: the actions on its DAGs, its clock and its scheduler, in order.

Instants are of the wall clock, which may be set, so only the order of the entries is the order of the actions.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gnomon.entry.simulate.reference_schedule import Schedule
from gnomon.model.instants import Instant


@dataclass(frozen=True, slots=True)
class DagDefined:
    """A file that defines the DAG was parsed: it is new, changed or unchanged. Planning uses it from its next pass on."""

    at: Instant
    dag_id: str
    schedule: Schedule
    paused: bool = False
    """The initial value for a new DAG; an existing DAG keeps its own."""


@dataclass(frozen=True, slots=True)
class DagPaused:
    """A user paused or unpaused the DAG."""

    at: Instant
    dag_id: str
    paused: bool


@dataclass(frozen=True, slots=True)
class ManualRunTriggered:
    """A user triggered a run with a logical date, which occupies the slot of that date."""

    at: Instant
    dag_id: str
    logical_at: Instant


@dataclass(frozen=True, slots=True)
class SchedulerKilled:
    """The scheduler was killed: no planning until `SchedulerStarted`."""

    at: Instant


@dataclass(frozen=True, slots=True)
class SchedulerStarted:
    """A scheduler was started; it loads its state from the store."""

    at: Instant


@dataclass(frozen=True, slots=True)
class ClockStepped:
    """The wall clock was set."""

    at: Instant
    to: Instant
    """The wall clock at the next round of the scheduler, up to a second later."""


@dataclass(frozen=True, slots=True)
class StoreFaults:
    """Commits failed or had an unknown outcome, or the scheduler died around a commit.

    Planning ran at some of the instants of `tries`, and certainly at the last of them.
    """

    tries: tuple[Instant, ...]

    @property
    def at(self) -> Instant:
        return self.tries[0]


LogEntry = DagDefined | DagPaused | ManualRunTriggered | SchedulerKilled | SchedulerStarted | ClockStepped | StoreFaults


@dataclass(slots=True)
class SimulationLog:
    """All actions in order, and the end of the simulation."""

    start: Instant
    entries: list[LogEntry] = field(default_factory=list)
    end: Instant = 0

    def entries_of(self, dag_id: str) -> list[LogEntry]:
        """The entries of one DAG, with those of the clock and the scheduler."""
        return [entry for entry in self.entries if getattr(entry, "dag_id", dag_id) == dag_id]
