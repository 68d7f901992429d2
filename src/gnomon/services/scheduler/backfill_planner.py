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
from gnomon.model.backfills import BackfillRecord
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import SECOND, Instant
from gnomon.rules.engine.state.task_instance import Dag
from gnomon.rules.planning.backfill_slots import BackfillSlots, find_backfill_slots
from gnomon.rules.timetables.registry import build

SLOTS_PER_BATCH = 500
"""Most slots that one round finds for one backfill."""
_NO_HOST = (
    "its timetable is an author's class, and this process has no timetable host; run it under a scheduler service"
)


class BackfillPlanner:
    """The pending requests to the timetable host: at most one per backfill."""

    def __init__(self, host: TimetableHost | None) -> None:
        self._host = host
        self._pending: dict[int, tuple[int, int]] = {}
        """By request number: (backfill_pk, dag_pk)."""
        self._last_number = 0

    def reset(self) -> None:
        """Forgets the pending requests: their answers are ignored."""
        self._pending = {}

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
            return _failed(
                record,
                f"DAG {spec.dag_id!r} has no slots any more: its schedule is {ref.summary or None}; cancel the backfill",
            )
        if ref.builtin:
            try:
                return find_backfill_slots(timetable=build(ref), **arguments)  # type: ignore[arg-type]
            except PlanningError as error:
                return _failed(record, str(error))
        if self._host is None:
            return _failed(record, _NO_HOST)
        if (record.backfill_pk, record.dag_pk) not in self._pending.values():
            self._last_number += 1
            self._pending[self._last_number] = (record.backfill_pk, record.dag_pk)
            self._host.ask(
                TimetableRequest(
                    number=self._last_number,
                    function=BACKFILL_SLOTS,
                    timetable=ref,
                    file=dag.record.file,
                    input_hash=dag.record.input_hash,
                    arguments=pack_arguments(**arguments),
                )
            )
        return None

    def collect(self) -> list[tuple[int, int, BackfillSlots]]:
        """(backfill_pk, dag_pk, slots) of each request that was answered since the last call."""
        found = []
        for answer in self._host.collect() if self._host is not None else ():
            asked = self._pending.pop(answer.number, None)
            if asked is not None:
                found.append((*asked, _read_answer(answer)))
        return found

    def wake_at(self, now: Instant) -> Instant | None:
        """When to poll the host without a wake-up; None if no request is pending."""
        seconds = self._host.wake_in_s() if self._host is not None and self._pending else None
        return None if seconds is None else now + int(seconds * SECOND)


def _read_answer(answer: TimetableResponse) -> BackfillSlots:
    answer = check_answer(answer, BackfillSlots)
    if answer.error is not None:
        return BackfillSlots(runs=(), position=None, is_complete=False, error=answer.error)
    slots: BackfillSlots = unpack_value(answer, BackfillSlots)
    return slots


def _failed(record: BackfillRecord, error: str) -> BackfillSlots:
    return BackfillSlots(runs=(), position=record.position, is_complete=False, error=error)
