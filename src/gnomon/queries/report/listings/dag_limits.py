"""The limits on the runs and tasks of a DAG: their numbers, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.ground.config import Config
from gnomon.model.spec import DagSpec


@dataclass(frozen=True, slots=True)
class DagLimit:
    """One limit; `value` None: no limit."""

    name: str
    value: int | float | None
    origin: str
    """Where the number comes from, and what it limits."""
    is_effective: bool
    """Whether a smaller limit of the same things leaves it without effect."""


def list_dag_limits(cfg: Config, spec: DagSpec) -> list[DagLimit]:
    """The limits of a DAG."""
    of_timetable = spec.timetable.active_runs_limit
    limits = [
        DagLimit(
            "max_active_runs",
            spec.max_active_runs,
            _describe_origin(cfg, spec.max_active_runs, "max_active_runs_per_dag", "unfinished runs of the DAG"),
            of_timetable is None or of_timetable >= spec.max_active_runs,
        ),
        DagLimit(
            "max_active_tasks",
            spec.max_active_tasks,
            _describe_origin(cfg, spec.max_active_tasks, "max_active_tasks_per_dag", "running tasks of one run"),
            is_effective=True,
        ),
    ]
    if of_timetable is not None:
        limits.append(
            DagLimit(
                "active_runs_limit",
                of_timetable,
                "the timetable: unfinished runs of the DAG",
                of_timetable < spec.max_active_runs,
            )
        )
    parallelism = cfg.integer("core", "parallelism") or None
    limits.append(
        DagLimit(
            "parallelism",
            parallelism,
            f"{_describe_option(cfg, 'parallelism')}: tasks of all DAGs on one worker",
            is_effective=True,
        )
    )
    limits.append(
        DagLimit(
            "max_consecutive_failed_dag_runs",
            spec.max_consecutive_failed_dag_runs or None,
            "the DAG: failed runs in a row after which it is paused",
            is_effective=True,
        )
    )
    limits.append(
        DagLimit(
            "dagrun_timeout",
            spec.dagrun_timeout_s,
            "the DAG: seconds after which a running run fails",
            is_effective=True,
        )
    )
    return limits


def _describe_origin(cfg: Config, value: int, option: str, what: str) -> str:
    """The file of the DAG if it must give the number, else the option, which the file may repeat."""
    if value != cfg.integer("core", option):
        return f"the file of the DAG (the option [core] {option} is {cfg.integer('core', option)}): {what}"
    return f"{_describe_option(cfg, option)}, or the same number in the file of the DAG: {what}"


def _describe_option(cfg: Config, name: str) -> str:
    source = cfg.source("core", name)
    return f"option [core] {name} ({'its default' if source == 'default' else f'set by {source}'})"
