"""A DAG that waits for its own earlier run: the N-th slot before, across hours and days."""

from __future__ import annotations

from datetime import datetime

from gnomon.dependencies.places import Pieces, backward, forward, labels_of
from gnomon.dependencies.question import Found
from gnomon.dependencies.zonedays import DAY_US


def slot_before(days: Pieces, slot: datetime, back: int) -> Found:
    """The `back`-th slot before the run's; nothing for a run that has not so many before it.

    Places of one run are passed together, so that no run waits for itself; the two instants of a doubled label are one.
    """
    label = days.zone.label(slot)
    first = labels_of(days, slot)[0]
    passed = _slots_from(days, first)
    for own, slots in backward(days, first):
        same_run = slot in slots or slots == passed
        passed = slots
        if not same_run:
            back -= 1
            if back == 0:
                return Found([slots], "previous", own, label)
    return Found([], "none", label, label + 1)


def _slots_from(days: Pieces, label: int) -> tuple[datetime, ...] | None:
    """The slots of the first place from `label` on, on a day on which one run may have two places."""
    day = label // DAY_US
    if days.zone.offset(day) is not None:
        return None
    return next((slots for _, slots in forward(days, label, (day + 1) * DAY_US)), None)
