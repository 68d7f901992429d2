"""Subscriptions: which runs wait for the slots of a DAG, as the owner of that DAG keeps them."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.instants import Instant


@dataclass(frozen=True, slots=True)
class Subscription:
    """The subscription of one edge of one run; `keeps`: KEEP_AFTER_BAD | KEEP_AFTER_ABSENT of `model.run_waits`."""

    down_run: int
    edge_no: int
    down_group: int
    task_id: str | None
    keeps: int


SlotSubscriptions = dict[tuple[int, int], Subscription]
"""By (down_run, edge_no)."""


DagSubscriptions = dict[Instant, SlotSubscriptions]
"""By slot."""
