"""Schedules that need not belong to a DAG, and the runs that their slots would get."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.changes.operations.schedule_targets import RUNS_MAX, ScheduleTarget, resolve_schedule_target
from gnomon.model.accounts import Role
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.sentences import render, say
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.not_found import NameNotFound, hidden_dag_not_found

EARLIEST, LATEST = -2_240_524_800_000_000, 221_908_464_000_000_000
"""The first instants of the years 1899 and 9002: a window ends at most a year after 9000, and datetime has room for every zone and interval."""
ANSWER_S = 2.0
"""How long the slots of a built-in timetable are computed for one answer of the API."""


@dataclass(frozen=True, slots=True)
class ScheduleFacts:
    """A schedule as it is shown. `earliest`, `latest`: the start and end dates of its DAG, in microseconds UTC."""

    text: str
    summary: str
    description: str
    can_be_scheduled: bool
    zone_name: str
    is_of_dag: bool
    earliest: int | None
    latest: int | None


@dataclass(frozen=True, slots=True)
class ScheduleRun:
    """A slot and the run that it would get; instants in microseconds UTC."""

    run_id: str
    run_after: int
    interval_start: int | None
    interval_end: int | None
    partition_key: str | None
    partition_date: int | None


@dataclass(frozen=True, slots=True)
class ScheduleRuns:
    """The runs in a window; `stop_reason`: why later ones are not known."""

    runs: list[ScheduleRun]
    stop_reason: str | None


@operation("timetables.show", "read", "DAG")
def show_schedule(scope: OperationScope, target: str, timezone: str | None = None) -> ScheduleFacts:
    """The schedule of a DAG, of a cron text or of a Python expression, which over the API has built-in timetables and literals only."""
    return describe_target(_resolve(scope, target, timezone))


@operation("timetables.list_runs", "read", "DAG")
def list_schedule_runs(
    scope: OperationScope,
    target: str,
    start: int,
    most: int,
    timezone: str | None = None,
    end: int | None = None,
    earliest: int | None = None,
    latest: int | None = None,
) -> ScheduleRuns:
    """The runs of a schedule from `start` to before `end`, at most `most`; those of a built-in timetable as far as they are computed in 2 seconds.

    Instants are in microseconds UTC. `earliest` and `latest` bound the schedule as the dates of a DAG do; that of a DAG has its own.
    """
    if not 1 <= most <= RUNS_MAX:
        raise UserError(say("limit_is_out_of_range", number=most, most=RUNS_MAX))
    _check_instant(start)
    _check_instant(end)
    bound_schedule = bound_target(_resolve(scope, target, timezone), _limit(earliest), _limit(latest))
    clock = scope.actor.clock
    deadline = clock.monotonic() + ANSWER_S
    window = bound_schedule.list_runs(scope.actor.cfg, start, end, most, lambda: clock.monotonic() > deadline)
    runs = [
        ScheduleRun(
            run.run_id, run.run_after, run.interval_start, run.interval_end, run.partition_key, run.partition_date
        )
        for run in window.runs
    ]
    return ScheduleRuns(runs, window.stop_reason)


def describe_target(target: ScheduleTarget) -> ScheduleFacts:
    """What is shown of a schedule."""
    return ScheduleFacts(
        target.text,
        render(target.summary),
        "" if target.description is None else render(target.description),
        target.ref.can_be_scheduled,
        target.zone_name,
        target.file is not None,
        target.earliest,
        target.latest,
    )


def bound_target(target: ScheduleTarget, earliest: Instant | None, latest: Instant | None) -> ScheduleTarget:
    """The schedule within these dates; that of a DAG keeps its own."""
    return target if target.file is not None else replace(target, earliest=earliest, latest=latest)


def _check_instant(instant: int | None) -> None:
    if instant is not None and not EARLIEST <= instant <= LATEST:
        raise UserError(say("instant_is_out_of_range", number=instant))


def _limit(date: int | None) -> int | None:
    """A date of a DAG may be far outside of every window."""
    return None if date is None else min(max(date, EARLIEST), LATEST)


def _resolve(scope: OperationScope, target: str, timezone: str | None) -> ScheduleTarget:
    def find_record(dag_id: str) -> DagRecord:
        with scope.db.read() as tx:
            scope.dags.require_role(tx, dag_id, Role.VIEWER)
            try:
                return find_dag(tx, dag_id)
            except NameNotFound:
                if scope.dags.sees_all(tx):
                    raise
                raise hidden_dag_not_found(dag_id) from None

    return resolve_schedule_target(scope.actor.cfg, target, timezone, find_record, runs_code=not scope.is_remote)
