"""Baselines: promises that DAGs or tasks are done by a local time, and what is predicted of them.

`baseline_specs.BaselineSpec` is the promise, `BaselineForecast` what the newest projection says of one due time, `BaselineRecord` the row of the store.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.instants import Instant


class BaselineLevel(StrEnum):
    """How a baseline stands at one due time."""

    SAFE = "safe"
    AT_RISK = "at_risk"
    """It will probably be late, or ends within the margin in half of the futures."""
    CERTAIN_BREACH = "certain_breach"
    """It will be late in nearly all futures."""
    BROKEN = "broken"
    """The time is over, and it was not done."""
    MET = "met"
    """It was done in time."""


FRESH_LEAST_S = 900
"""A prediction that is not older is never called old; one that takes long, or is made seldom, stays fresh for longer."""
OPEN_LEVELS = frozenset({BaselineLevel.AT_RISK, BaselineLevel.CERTAIN_BREACH, BaselineLevel.BROKEN})
"""Levels that people are told of."""


class KeyStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One task of a key path, with its predicted times."""

    dag_id: str
    run_id: str
    task: str
    """`task_id` or `task_id[map_index]`."""
    start: Instant
    end: Instant
    waited_s: float = 0.0
    """Between the end of what came before it and its start: for a slot of a pool, a retry, a worker."""
    usual_s: float | None = None
    """The median of its recorded durations; None: there are too few."""
    version_factor: float = 1.0
    """How many times as long it takes since the newest version of the DAG."""
    pool: str = ""
    """The pool that was full when it waited."""
    pool_slots: int = 0
    held_by: str = ""
    """The task, `dag.task`, that held most slots of that pool, or of the workers, while it waited."""
    latest_start: Instant | None = None
    """Later, and the baseline breaks."""
    trouble: str = ""
    """`failed`: its last try has failed; `slow`: it runs longer than nine of ten of its earlier tries."""


class RaisedTask(msgspec.Struct, frozen=True, array_like=True):
    """A task of a run that goes first, because a baseline is at risk."""

    dag_id: str
    run_id: str
    task_id: str
    weight: int
    """Its priority weight, if its own is not greater."""


class BaselineForecast(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of one due time."""

    due_at: Instant
    at: Instant
    """When the state was read."""
    samples: int = 0
    """0: nothing was drawn, because all was over."""
    breach: float = 0.0
    """The probability that it is not done at the due time."""
    end_p50: Instant | None = None
    """None: in half of the futures it does not end."""
    end_p90: Instant | None = None
    ended_at: Instant | None = None
    """When it was done."""
    failed: tuple[str, ...] = ()
    """Runs of it that have failed: `dag_id/run_id`."""
    unfinished: int = 0
    """Its runs that have not ended, those to come included."""
    key_path: tuple[KeyStep, ...] = ()
    costly: int | None = None
    """The place in `key_path` of the step that costs the most time."""
    slack_s: float | None = None
    """From the end in nine of ten futures to the due time; negative: it is too late then."""
    assumptions: tuple[str, ...] = ()
    raised: tuple[RaisedTask, ...] = ()
    """The tasks whose priority is raised; chosen by the monitor, empty in a report."""


class BaselinePrediction(msgspec.Struct, frozen=True, kw_only=True):
    """One earlier prediction of a due time."""

    at: Instant
    level: BaselineLevel
    breach: float
    end_p50: Instant | None
    end_p90: Instant | None


class PredictedRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A coming or unfinished run of the newest forecast."""

    dag_id: str
    run_id: str
    run_type: str
    run_after: Instant
    start_p50: Instant | None = None
    end_p50: Instant | None = None
    """None: in half of the futures it had not ended when the projection stopped."""
    end_p90: Instant | None = None
    failed_share: float = 0.0


class ForecastReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one projection for the monitor found."""

    at: Instant
    until: Instant
    samples: int = 0
    runs: tuple[PredictedRun, ...] = ()
    specs: tuple[BaselineSpec, ...] = ()
    """All baselines, of gnomon.toml and of DAG files."""
    baselines: tuple[tuple[str, BaselineForecast], ...] = ()
    """With their names."""
    assumptions: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    """Sentences about baselines that cannot be judged."""


@dataclass(slots=True, frozen=True)
class BaselineRecord:
    """The row of one due time of a baseline."""

    baseline: str
    due_at: Instant
    level: BaselineLevel
    changed_at: Instant
    forecast: BaselineForecast

    @property
    def is_final(self) -> bool:
        """Nothing can change any more."""
        return self.level is BaselineLevel.MET or (
            self.level is BaselineLevel.BROKEN and self.forecast.ended_at is not None
        )


@dataclass(slots=True, frozen=True)
class BaselineVersion:
    """One version of the definition of a stored baseline."""

    name: str
    version: int
    changed_at: Instant
    changed_by: str
    """Who changed it: `api:NAME` or `cli:NAME`."""
    spec: BaselineSpec | None
    """None: the baseline was deleted."""


def split_subject(text: str, dag_ids: Container[str]) -> tuple[str, str | None]:
    """The DAG and the task of `dag_id` or `dag_id.task_id`, for these DAGs; an unknown one is a DAG."""
    head, tail = text, ""
    while head:
        if head in dag_ids:
            return head, tail or None
        head, dot, last = head.rpartition(".")
        if dot:
            tail = last if not tail else f"{last}.{tail}"
    return text, None
