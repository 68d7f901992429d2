"""A dependency on runs of another DAG, as an author writes it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta, tzinfo
from typing import Literal, get_args

Period = Literal["same", "previous"]
Take = Literal["all", "last", "first", "any"]
EmptyInterval = Literal["carry", "nearest", "forward"]
OnFailure = Literal["wait", "proceed", "cancel"]
OnAbsent = Literal["ignore", "wait", "fail"]
MAX_PERIODS_BACK = 30
"""The largest `previous=`."""
_CHOICES: dict[str, tuple[str, ...]] = {
    "period": get_args(Period),
    "take": get_args(Take),
    "empty_interval": get_args(EmptyInterval),
    "on_failure": get_args(OnFailure),
    "on_absent": get_args(OnAbsent),
}


def self_dependency_message(dag_id: str) -> str:
    """The error message for a dependency of a DAG on its own run of the same period."""
    return (
        f"{dag_id!r} waits for its own run of the same period, which never ends; "
        f"write After({dag_id!r}, previous=1) for the run before"
    )


@dataclass(frozen=True)
class After:
    """A run waits for runs of `dag_id`, which `gnomon.dependencies` finds from both timetables.

    `task_id`: wait for this task of those runs only. `period`: the same or an earlier period; `previous=N` is the N-th period
    before (1 if only `period="previous"` is given). `take`: which of several upstream runs. `empty_interval`: the upstream run
    that a dense DAG waits for when its interval has none. `on_failure`, `on_absent`: the effect of an upstream run that failed,
    or that was never created. `max_wait`: the run fails after this span. `zone`: the time zone of the days; by default that
    of the downstream timetable.

    Raises ValueError, with the argument and the remedy, for a value that the argument does not take.
    """

    dag_id: str
    task_id: str | None = None
    period: Period = "same"
    previous: int | None = None
    take: Take = "all"
    empty_interval: EmptyInterval = "carry"
    on_failure: OnFailure = "wait"
    on_absent: OnAbsent = "ignore"
    max_wait: timedelta | None = None
    zone: str | tzinfo | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.dag_id, str) or not self.dag_id:
            raise ValueError(
                f"After({self.dag_id!r}): dag_id is not a DAG id; write the id of the upstream DAG as text"
            )
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise self._error(name, f"is not one of {', '.join(map(repr, choices))}")
        if self.task_id is not None and (not isinstance(self.task_id, str) or not self.task_id):
            raise self._error("task_id", "is not a task id; write one as text, or leave it out for the whole run")
        if self.max_wait is not None and (not isinstance(self.max_wait, timedelta) or self.max_wait <= timedelta()):
            raise self._error(
                "max_wait", "is not a span above zero; write a timedelta, or leave it out to wait for ever"
            )
        if self.zone is not None and not isinstance(self.zone, (str, tzinfo)):
            raise self._error("zone", "is not a time zone; write a name such as 'Europe/Berlin', or a tzinfo")
        object.__setattr__(self, "previous", self._periods_back())
        object.__setattr__(self, "period", "same" if self.previous is None else "previous")

    @property
    def back(self) -> int:
        """The number of periods before the run's own; 0: its own period."""
        return self.previous or 0

    def _periods_back(self) -> int | None:
        previous = self.previous
        if previous is None:
            return 1 if self.period == "previous" else None
        if isinstance(previous, bool) or not isinstance(previous, int) or not 1 <= previous <= MAX_PERIODS_BACK:
            raise self._error("previous", f"is not a whole number from 1 to {MAX_PERIODS_BACK}; 1 is the period before")
        return previous

    def _error(self, name: str, problem: str) -> ValueError:
        return ValueError(f"After({self.dag_id!r}, {name}={getattr(self, name)!r}): {name} {problem}")
