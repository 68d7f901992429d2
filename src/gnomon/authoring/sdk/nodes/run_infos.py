"""`DAG.iter_dagrun_infos_between`: the runs that a DAG's timetable gives in a range of time, as Airflow's documentation describes them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime
from itertools import islice, takewhile
from typing import Any

from gnomon.authoring.sdk.arguments import timezone
from gnomon.authoring.sdk.nodes.node_types import DagNode
from gnomon.model.instants import to_instant
from gnomon.model.slots import DagRunInfo, DataInterval, PlannedRun
from gnomon.rules.planning.window import LOOK_BACK_SPANS, iterate_runs_from

STEPS_MAX = 100
"""Most runs from a moment on until one has a later logical date."""
log = logging.getLogger("gnomon.dag")


def iterate_run_infos(
    dag: DagNode, timetable: Any, earliest: datetime, latest: datetime, *, align: bool
) -> Iterator[DagRunInfo]:
    """Yield the runs from `earliest` to `latest` (both inclusive, naive ones in the zone of the installation), in order.

    A run is in the range by its logical date; by its partition date if the timetable has partitions. `align=False`: the first run is
    at `earliest`, also if that is no instant of the timetable. When the timetable fails, the error is logged and no run follows.
    """
    first, last = (timezone.coerce_datetime(moment) for moment in (earliest, latest))
    try:
        if timetable.partitioned and hasattr(timetable, "iter_partition_dagrun_infos"):
            yield from timetable.iter_partition_dagrun_infos(earliest=first, latest=last)
        elif align:
            yield from _iterate_aligned(timetable, first, last)
        else:
            yield from _add_unaligned(_iterate_aligned(timetable, first, last), first, last)
    except Exception as error:
        log.exception("DAG %r: iter_dagrun_infos_between() stops, because its timetable failed: %s", dag.dag_id, error)


def find_earliest(dag: DagNode) -> datetime:
    """Return the earliest start date of the DAG and its tasks. Raises ValueError if there is none."""
    starts = [moment for moment in (dag.start_date, *(task.start_date for task in dag.tasks)) if moment is not None]
    if not starts:
        raise ValueError(
            f"DAG {dag.dag_id!r}: iter_dagrun_infos_between() has no start: earliest is None, and neither the DAG nor a task has a start_date. "
            "Give earliest a date"
        )
    return min(starts)


def find_following(timetable: Any, moment: datetime) -> datetime | None:
    """Return the first logical date of the timetable after `moment`; None when there is none."""
    at = timezone.coerce_datetime(moment)
    for run in islice(iterate_runs_from(timetable, to_instant(at), None), STEPS_MAX):
        if run.logical_at is None:
            return None
        if run.logical_at > to_instant(at):
            return timezone.to_pendulum(run.logical_at)
    return None


def find_preceding(timetable: Any, moment: datetime) -> datetime | None:
    """Return the last logical date of the timetable before `moment`; None when there is none in the nine years before it."""
    at = to_instant(timezone.coerce_datetime(moment))
    for span in LOOK_BACK_SPANS[1:]:
        runs = takewhile(
            lambda run: run.logical_at is not None and run.logical_at < at, iterate_runs_from(timetable, at - span, at)
        )
        before = [run.logical_at for run in runs]
        if before:
            return timezone.to_pendulum(before[-1])
    return None


def _iterate_aligned(timetable: Any, first: datetime, last: datetime) -> Iterator[DagRunInfo]:
    previous: PlannedRun | None = None
    for run in iterate_runs_from(timetable, to_instant(first), to_instant(last)):
        if run == previous:
            return
        yield _to_info(run)
        previous = run


def _add_unaligned(runs: Iterator[DagRunInfo], first: datetime, last: datetime) -> Iterator[DagRunInfo]:
    run = next(runs, None)
    if run is None:
        yield DagRunInfo.interval(first, last)
        return
    if run.logical_date is not None and run.logical_date != first:
        yield DagRunInfo.interval(first, run.logical_date)
    yield run
    yield from runs


def _to_info(run: PlannedRun) -> DagRunInfo:
    at = timezone.to_pendulum
    start, end, run_after = at(run.interval_start), at(run.interval_end), at(run.run_after)
    assert run_after is not None
    interval = None if start is None or end is None else DataInterval(start, end)
    return DagRunInfo(run_after, interval, at(run.partition_date), run.partition_key)
