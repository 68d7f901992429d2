"""Simulations of the API: a job with a scenario, and its answer: the present as it would go on, beside the same with the changes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec

from gnomon.model.baselines import BaselineLevel
from gnomon.model.instants import Instant


class SimulationState(StrEnum):
    """How far a job is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """It ended with an error, which says what to change."""
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class SimulationJob:
    """The row of a job, without its answer."""

    simulation_id: str
    account: str
    """Key and name of who asked for it, and alone may read it."""
    state: SimulationState
    created_at: Instant
    beat_at: Instant
    """When its process last said that it is alive."""
    ended_at: Instant | None
    samples_done: int
    """Futures that were drawn, of each world."""
    samples: int
    """Futures that it is to draw."""
    scenario: str
    """JSON, as it was sent."""
    error: str | None = None
    """A sentence."""


class WorldTimes(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """When a run of one world probably begins and ends."""

    run_after: Instant
    start_p50: Instant | None = None
    end_p50: Instant | None = None
    """None: in half of the futures it does not end."""
    end_p90: Instant | None = None
    failed_share: float = 0.0


class ComparedRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run of both worlds, or of one of them."""

    dag_id: str
    run_id: str
    run_type: str
    change: str = ""
    """One of `comparison.CHANGES`; empty: nothing is different."""
    before: WorldTimes | None = None
    after: WorldTimes | None = None
    shift_s: float | None = None
    """How much later it ends; negative: earlier."""
    reasons: tuple[str, ...] = ()
    """Sentences."""


class ComparedBaseline(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A due time of a baseline. A level is None where no run belongs to it."""

    name: str
    of: tuple[str, ...]
    due_at: Instant
    level_before: BaselineLevel | None = None
    level_after: BaselineLevel | None = None
    end_before: Instant | None = None
    """The end in half of the futures."""
    end_after: Instant | None = None
    breach_before: float = 0.0
    """The probability that it is not done in time."""
    breach_after: float = 0.0


class LoadSpan(msgspec.Struct, frozen=True, array_like=True):
    """Slots of a pool in half of the futures: at most so many are taken, and waited for, at once."""

    start: Instant
    end: Instant
    taken: int
    waiting: int


class ComparedPool(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A pool in both worlds. Slots are None without a limit."""

    pool: str
    slots_before: int | None = None
    slots_after: int | None = None
    load_before: tuple[LoadSpan, ...] = ()
    load_after: tuple[LoadSpan, ...] = ()


class JudgedExpectation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An expectation of the scenario."""

    text: str
    dag_id: str
    broken_before: float
    """The share of the futures in which a run breaks it."""
    broken_after: float
    why: str | None = None
    """A sentence: the first that breaks it with the changes."""


class SimulationAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of both worlds."""

    at: Instant
    """When the state was read."""
    since: Instant
    until: Instant
    """Runs that are due from `since` until `until` are compared."""
    samples: int
    runs: tuple[ComparedRun, ...] = ()
    """Those that are different come first, then the others."""
    omitted_runs: int = 0
    """Runs that are not in `runs`, because there are too many."""
    baselines: tuple[ComparedBaseline, ...] = ()
    pools: tuple[ComparedPool, ...] = ()
    expectations: tuple[JudgedExpectation, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences: what is different outside of runs."""
    assumptions: tuple[str, ...] = ()
    """Sentences: what nobody said."""
