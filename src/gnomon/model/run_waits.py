"""The waits of a run for the slots of another DAG, and the messages of the two owners (CROSS_DAG in docs/contributing/ownership.md)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import msgspec

from gnomon.model.instants import Instant
from gnomon.model.sentences import render, say

NO_SLOT: Instant = 0
"""Used instead of a slot: the run waits for the upstream DAG itself, which does not exist, or there is nothing to wait for."""
KEEP_AFTER_BAD = 1
"""The run keeps waiting when the upstream run fails, because that run may be cleared and succeed."""
KEEP_AFTER_ABSENT = 2
"""The run keeps waiting for a slot that was skipped without a run, because a user may create one."""


def missing_dag_note(up_dag: str) -> str:
    """The note of a slot whose run cannot end for now, because no file defines its DAG any more."""
    return render(say("no_file_defines_dag", dag=up_dag))


SlotOutcome = Literal["open", "ok", "bad", "absent", "changed"]
"""The outcome of a slot. `changed`: the upstream DAG changed its schedule, so the edge is resolved again."""


class WaitState(IntEnum):
    """The state of one wait. A code from 100 on is final unless the run is cleared."""

    OPEN = 1
    BAD = 2
    """The upstream run failed; the wait continues, or cancels the waiting run."""
    MISSED = 3
    """The slot was skipped without a run, and that cancels the waiting run."""
    MET = 100
    TOLERATED = 101
    """The upstream run failed, and `on_failure` lets the waiting run proceed."""
    ABSENT = 102
    RELEASED = 103
    CLOSED = 104
    """The run no longer needs the slot: it has ended or started, or another slot was enough."""

    @property
    def is_open(self) -> bool:
        return self < WaitState.MET


@dataclass(slots=True)
class RunWait:
    """One row of `run_wait`. A resolved edge has at least one row: with `NO_SLOT` if it has no slot."""

    down_run: int
    edge_no: int
    up_dag: str
    up_at: Instant
    """The planned time (run_after) of the upstream run, not its slot key."""
    down_group: int
    up_group: int
    task_id: str | None
    state: WaitState
    keeps: int
    """KEEP_AFTER_BAD | KEEP_AFTER_ABSENT"""
    rule: str
    """The rule of `dependencies.Resolution` that chose the slot."""
    since: Instant
    """When the wait began, or its state last changed."""
    clear_number: int = -1
    """The clear_number of the last update; updates with a lower one are ignored."""
    note: str | None = None
    """The note of the last update, or why the wait was released; for users."""


class SlotFact(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome of one upstream slot."""

    at: Instant
    outcome: SlotOutcome
    clear_number: int = -1
    """The clear_number of its run."""
    note: str | None = None
    """`run r1 failed`, `no run was made: catchup=False`"""


class SubscriptionMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run waits for these slots of a DAG: the body of the mail `wait_registered`."""

    up_dag: str
    slots: tuple[Instant, ...]
    down_run: int
    down_group: int
    edge_no: int
    task_id: str | None = None
    """The task of the upstream runs that it waits for; None: the whole run."""
    keeps: int = 0
    version: int = 0
    """The version (version_pk) of the upstream DAG that the slots were computed from; 0: they are from an earlier message."""
    over: bool = False
    """True ends the subscription."""


class UpstreamUpdate(msgspec.Struct, frozen=True, omit_defaults=True):
    """An update of one slot for one edge of one run. The body of the mail `upstream_ended` is a list of updates."""

    down_run: int
    edge_no: int
    fact: SlotFact
