"""Finds the slots of backfills, a batch at a time: in this process for built-in timetables, in a timetable host for an author's."""

from __future__ import annotations

from gnomon.author_code.timetable_host import (
    BACKFILL_SLOTS,
    TimetableHost,
    TimetableRequest,
    TimetableResponse,
    check_answer,
    pack_arguments,
    unpack_value,
)
from gnomon.author_code.timetable_host.pending_requests import NO_HOST, PendingRequests
from gnomon.model.backfills import BackfillRecord
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import Instant
from gnomon.model.sentences import render, say
from gnomon.rules.assets.schedule_words import summarize_schedule
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.rules.planning.backfill_slots import BackfillSlots, find_backfill_slots
from gnomon.rules.timetables.registry import build

SLOTS_PER_BATCH = 500
"""Most slots that one round finds for one backfill."""


class BackfillPlanner:
    """The pending requests to the timetable host: at most one per backfill."""

    def __init__(self, host: TimetableHost | None) -> None:
        self._requests: PendingRequests[tuple[int, int], None] = PendingRequests(host)
        """By (backfill_pk, dag_pk)."""

    def reset(self) -> None:
        """Forgets the pending requests: their answers are ignored."""
        self._requests.reset()

    def find_slots(self, dag: Dag, record: BackfillRecord) -> BackfillSlots | None:
        """The next slots of the backfill; None while a timetable host finds them (`collect`)."""
        spec = dag.graph.spec
        ref = spec.timetable
        arguments = {
            "start": record.from_at,
            "end": record.to_at,
            "due_by": record.created_at,
            "limit": SLOTS_PER_BATCH,
            "last": record.position,
            "earliest": spec.start_at,
            "cursor": dag.record.cursor,
        }
        if not ref.can_be_scheduled or ref.follows_runs:
            told = say("dag_has_no_slots_any_more", dag=spec.dag_id, schedule=summarize_schedule(spec))
            return _failed(record, render(told))
        if ref.builtin:
            try:
                return find_backfill_slots(timetable=build(ref), **arguments)  # type: ignore[arg-type]
            except PlanningError as error:
                return _failed(record, str(error))
        if not self._requests.has_host:
            return _failed(record, render(NO_HOST))
        key = (record.backfill_pk, record.dag_pk)
        if key not in self._requests:
            self._requests.submit(
                key,
                None,
                TimetableRequest(
                    function=BACKFILL_SLOTS,
                    timetable=ref,
                    file=dag.record.file,
                    input_hash=dag.record.input_hash,
                    arguments=pack_arguments(**arguments),
                ),
            )
        return None

    def collect(self) -> list[tuple[int, int, BackfillSlots]]:
        """(backfill_pk, dag_pk, slots) of each request that was answered since the last call."""
        return [(*answered.key, _read_answer(answered.response)) for answered in self._requests.collect()]

    def wake_at(self, now: Instant) -> Instant | None:
        """When to call `collect` without a wake-up; None if that is not needed."""
        return self._requests.wake_at(now)


def _read_answer(answer: TimetableResponse) -> BackfillSlots:
    answer = check_answer(answer, BackfillSlots)
    if answer.error is not None:
        return BackfillSlots(runs=(), position=None, is_complete=False, error=answer.error)
    slots: BackfillSlots = unpack_value(answer, BackfillSlots)
    return slots


def _failed(record: BackfillRecord, error: str) -> BackfillSlots:
    return BackfillSlots(runs=(), position=record.position, is_complete=False, error=error)
