"""The rule for a DAG that waits for its own earlier run: the N-th slot before, across hours and days."""

from __future__ import annotations

from datetime import datetime

from gnomon.rules.dependencies.slot_labels import SlotChunks, iterate_backward, iterate_forward, labels_of
from gnomon.rules.dependencies.slot_query import RuleMatch
from gnomon.rules.dependencies.zone_days import DAY_US


def find_earlier_slot(days: SlotChunks, slot: datetime, back: int) -> RuleMatch:
    """The `back`-th slot before the run's; an empty match if the run has fewer slots before it.

    Labels of the same run count as one, so that a run does not wait for itself; the two instants of a repeated label are
    one slot.
    """
    label = days.zone.label(slot)
    first = labels_of(days, slot)[0]
    passed_slots = _slots_from(days, first)
    for own, slots in iterate_backward(days, first):
        same_run = slot in slots or slots == passed_slots
        passed_slots = slots
        if not same_run:
            back -= 1
            if back == 0:
                return RuleMatch([slots], "previous", own, label)
    return RuleMatch([], "none", label, label + 1)


def _slots_from(days: SlotChunks, label: int) -> tuple[datetime, ...] | None:
    """The slots of the first label from `label` on; None on a day without a clock change, where a run has one label."""
    day = label // DAY_US
    if days.zone.offset(day) is not None:
        return None
    return next((slots for _, slots in iterate_forward(days, label, (day + 1) * DAY_US)), None)
