"""What a run waits for in another DAG, slot by slot, and what the two owners tell each other (OWNERSHIP.md lines 31 to 33)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import msgspec

from gnomon.model.instants import Instant

NO_SLOT: Instant = 0
"""Stands in the place of a slot: the upstream DAG itself is waited for (it is unknown), or there is nothing to wait for."""
KEEP_AFTER_BAD = 1
"""The run goes on waiting when the upstream run ends badly: it may be cleared, and succeed."""
KEEP_AFTER_ABSENT = 2
"""The run waits for slots that were passed without a run: somebody may make one."""

def missing_dag_note(up_dag: str) -> str:
    """The note of a slot whose run cannot end for now, because no file defines its DAG any more."""
    return f"no file defines DAG {up_dag} any more"


SlotOutcome = Literal["open", "ok", "bad", "absent", "changed"]
"""Of a slot. `changed`: the upstream's schedule is another, so its slots are to be found again."""


class WaitState(IntEnum):
    """Where one wait stands. A code from 100 on is final for as long as the run is not cleared."""

    OPEN = 1
    BAD = 2
    """The upstream run ended badly; it is waited for still, or ends the run that waits."""
    MISSED = 3
    """The slot was passed without a run, and that ends the run that waits."""
    MET = 100
    TOLERATED = 101
    """It ended badly, or is absent, and the dependency puts up with that."""
    ABSENT = 102
    RELEASED = 103
    CLOSED = 104
    """The run no longer asks: it ended, or another success was enough."""

    @property
    def is_open(self) -> bool:
        return self < WaitState.MET


@dataclass(slots=True)
class RunWait:
    """One row of `run_wait`. A resolved edge has at least one, and one with `NO_SLOT` when there is no slot."""

    down_run: int
    edge_no: int
    up_dag: str
    up_at: Instant
    """The planned time (run_after) of the upstream's run, never its slot key."""
    down_group: int
    up_group: int
    task_id: str | None
    state: WaitState
    keeps: int
    """KEEP_AFTER_BAD | KEEP_AFTER_ABSENT"""
    rule: str
    """Of `dependencies.Resolution`."""
    since: Instant
    """When it began to wait, or when its state changed last."""
    clear_number: int = -1
    """Of the upstream run that was heard of last; older news no longer count."""
    note: str | None = None
    """What was heard last, or why it was released, for people."""


class SlotFact(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of one upstream slot."""

    at: Instant
    outcome: SlotOutcome
    clear_number: int = -1
    """Of its run."""
    note: str | None = None
    """`run r1 failed`, `no run was made: catchup=False`"""


class SubscriptionMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """The body of a letter `wait_registered`: a run waits for these slots of a DAG."""

    up_dag: str
    slots: tuple[Instant, ...]
    down_run: int
    down_group: int
    edge_no: int
    task_id: str | None = None
    """For this task of the upstream's runs; None: for the whole run."""
    keeps: int = 0
    version: int = 0
    """The upstream's version (version_pk) that its slots were found from; 0: they are not new."""
    over: bool = False
    """It waits for them no longer."""


class UpstreamUpdate(msgspec.Struct, frozen=True, omit_defaults=True):
    """News of one slot for one edge of one run. The body of a letter `upstream_ended` is a list of them."""

    down_run: int
    edge_no: int
    fact: SlotFact
