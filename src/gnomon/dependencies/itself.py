"""A DAG that waits for its own earlier run: the N-th slot before, across hours and days."""

from __future__ import annotations

from datetime import datetime

from gnomon.dependencies.past import PastDays
from gnomon.dependencies.question import Found
from gnomon.dependencies.slotdays import Day, SlotDays
from gnomon.dependencies.zonedays import DAY_US


def slot_before(days: SlotDays | PastDays, label: int, slot: datetime, back: int) -> Found:
    """The `back`-th slot before the run's; nothing for a run that has not so many before it.

    Places of one run are passed together, so that no run waits for itself; the two instants of a doubled label are one.
    """
    day: Day | None = days.day(label // DAY_US)
    assert day is not None
    positions = day.positions.get(slot)
    at = positions[0] if positions else sum(other < label for other in day.labels)
    while day is not None:
        for number in range(at - 1, -1, -1):
            if slot in day.slots[number] or (
                number + 1 < len(day.slots) and day.slots[number] == day.slots[number + 1]
            ):
                continue
            back -= 1
            if back == 0:
                return Found([day.slots[number]], "previous", day.labels[number], label)
        day = days.day_before(day.number)
        at = len(day.slots) if day is not None else 0
    return Found([], "none", label, label + 1)
