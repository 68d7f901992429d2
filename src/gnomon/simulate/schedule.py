"""A schedule in words that no code of timetables has a say in: what a simulation gives to a DAG, and what its auditor reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gnomon.model.instants import Instant

Kind = Literal["cron", "cron_intervals", "delta", "delta_intervals", "events", "once", "never"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """One DAG's schedule and its bounds. Spans in seconds or in calendar months."""

    kind: Kind
    crons: tuple[str, ...] = ()
    """One expression, or several for "cron"."""
    by_period: bool = False
    """The DAG has the period timetable or business days of the same labels, instead of the expression."""
    zone: str = "UTC"
    every_s: int = 0
    every_months: int = 0
    reach_s: int = 0
    """How far the data interval of a "cron" or "delta" run reaches back."""
    events: tuple[Instant, ...] = ()
    start_at: Instant | None = None
    end_at: Instant | None = None
    catchup: bool = False
    window_s: int | None = None
    """`catchup_window`."""
    misfire: Literal["all", "latest", "skip"] | None = None
    jitter_s: int = 0

    @property
    def rules_misfires(self) -> Literal["all", "latest", "skip"]:
        """The policy for slots that are late."""
        return self.misfire or ("all" if self.catchup else "latest")

    @property
    def origin(self) -> tuple[object, ...]:
        """What makes it another schedule when it changes; policies do not."""
        return (
            self.kind, self.crons, self.by_period, self.zone, self.every_s, self.every_months, self.reach_s, self.events, self.start_at,
            self.end_at, self.catchup,
        )
