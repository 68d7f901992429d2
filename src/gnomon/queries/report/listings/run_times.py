"""When the task instances of a run and their attempts ran, as a Gantt chart shows them."""

from __future__ import annotations

from dataclasses import dataclass, field

from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import NO_STATUS_CODE, TASK_STATES_BY_CODE
from gnomon.queries.report.listings.run_list import find_spec_of_run
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import run_listing

INSTANCES_MAX = 10_000
"""The most task instances of one answer, and of their attempts three times as many."""
_MILLISECOND = 1_000


@dataclass(slots=True)
class RunTimes:
    """Task instances and ended attempts of a run, with indexes for names and milliseconds since 1970 for times."""

    task_ids: list[str]
    """In topological order; tasks that the version of the run does not have come last."""
    states: list[str | None] = field(default_factory=list)
    instances: list[tuple[int, int, int, int, int | None, int | None, int | None, str | None]] = field(
        default_factory=list
    )
    """(task, map index, state, try number, start, end, next try at, rendered map index) of each."""
    attempts: list[tuple[int, int, int, int | None, int | None]] = field(default_factory=list)
    """(instance, try number, state, start, end) of each, in the order in which those of an instance started."""
    is_complete: bool = True
    """False: the run has more instances or attempts than the answer."""


def read_run_times(tx: Transaction, dag: DagRecord, run: RunRecord) -> RunTimes:
    """The timeline of a run."""
    rows = run_listing.list_instance_times(tx, run.run_pk, INSTANCES_MAX + 1)
    attempts = run_listing.list_attempt_times(tx, run.run_pk, 3 * INSTANCES_MAX + 1)
    names = {number: task_id for task_id, number in dag.task_numbers.items()}
    current = [task.task_id for task in find_spec_of_run(tx, dag, run).tasks]
    former = sorted({names[row.task_no] for row in rows if row.task_no in names}.difference(current))
    timeline = RunTimes(
        [*current, *former], is_complete=len(rows) <= INSTANCES_MAX and len(attempts) <= 3 * INSTANCES_MAX
    )
    indexes = {task_id: at for at, task_id in enumerate(timeline.task_ids)}
    states: dict[str | None, int] = {}
    places: dict[tuple[int, int], int] = {}
    for row in rows[:INSTANCES_MAX]:
        if row.task_no not in names:
            continue
        state = None if row.state == NO_STATUS_CODE else TASK_STATES_BY_CODE[row.state].value
        places[row.task_no, row.map_index] = len(timeline.instances)
        timeline.instances.append(
            (
                indexes[names[row.task_no]],
                row.map_index,
                states.setdefault(state, len(states)),
                row.try_number,
                _round(row.started_at),
                _round(row.ended_at),
                _round(row.resume_at),
                row.rendered_map_index,
            )
        )
    for attempt in attempts[: 3 * INSTANCES_MAX]:
        place = places.get((attempt.task_no, attempt.map_index))
        if place is not None:
            timeline.attempts.append(
                (
                    place,
                    attempt.try_number,
                    states.setdefault(attempt.state, len(states)),
                    _round(attempt.started_at),
                    _round(attempt.ended_at),
                )
            )
    timeline.states = list(states)
    return timeline


def _round(at: Instant | None) -> int | None:
    return None if at is None else at // _MILLISECOND
