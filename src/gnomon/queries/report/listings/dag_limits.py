"""The limits on the runs and tasks of a DAG: their numbers, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.ground.config import Config
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec


@dataclass(frozen=True, slots=True)
class DagLimit:
    """One limit; `value` None: no limit."""

    name: str
    value: int | float | None
    origin: Sentence
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
            _describe_origin(cfg, spec.max_active_runs, "max_active_runs_per_dag", say("unfinished_runs_of_dag")),
            of_timetable is None or of_timetable >= spec.max_active_runs,
        ),
        DagLimit(
            "max_active_tasks",
            spec.max_active_tasks,
            _describe_origin(cfg, spec.max_active_tasks, "max_active_tasks_per_dag", say("running_tasks_of_run")),
            is_effective=True,
        ),
    ]
    if of_timetable is not None:
        limits.append(
            DagLimit(
                "active_runs_limit",
                of_timetable,
                say("limit_is_of_timetable", subject=say("unfinished_runs_of_dag")),
                of_timetable < spec.max_active_runs,
            )
        )
    parallelism = cfg.integer("core", "parallelism") or None
    limits.append(
        DagLimit(
            "parallelism",
            parallelism,
            _say_option(cfg, "parallelism", say("tasks_on_one_worker")),
            is_effective=True,
        )
    )
    limits.append(
        DagLimit(
            "max_consecutive_failed_dag_runs",
            spec.max_consecutive_failed_dag_runs or None,
            say("dag_pauses_after_failures"),
            is_effective=True,
        )
    )
    limits.append(
        DagLimit(
            "dagrun_timeout",
            spec.dagrun_timeout_s,
            say("dag_fails_runs_after"),
            is_effective=True,
        )
    )
    return limits


def _describe_origin(cfg: Config, value: int, name: str, subject: Sentence) -> Sentence:
    """The file of the DAG if it must give the number, else the option, which the file may repeat."""
    number = cfg.integer("core", name)
    if value != number:
        return say("limit_is_of_file", option=f"[core] {name}", number=number, subject=subject)
    return _say_option(cfg, name, subject, "limit_is_of_option_or_file")


def _say_option(cfg: Config, name: str, subject: Sentence, code: str = "limit_is_of_option") -> Sentence:
    source = cfg.source("core", name)
    where = say("option_has_default") if source == "default" else say("option_is_set_by", source=source)
    return say(code, option=f"[core] {name}", where=where, subject=subject)
