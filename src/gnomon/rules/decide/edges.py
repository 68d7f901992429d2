"""Whether a dependency on another DAG lets a run or task start: the rules of docs/reference/dependencies.md."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from gnomon.model.run_waits import KEEP_AFTER_ABSENT, KEEP_AFTER_BAD, SlotOutcome, WaitState
from gnomon.model.upstream_edges import DependencySpec


class EdgeVerdict(Enum):
    """The decision of one dependency about its run or task."""

    PASS = "pass"
    WAIT = "wait"
    CANCEL = "cancel"


def evaluate_edge(after: DependencySpec, states: Collection[WaitState]) -> EdgeVerdict:
    """The verdict from the waits for all slots of one edge. WAIT without any state: the slots are not resolved yet."""
    if not states:
        return EdgeVerdict.WAIT
    if WaitState.MISSED in states:
        return EdgeVerdict.CANCEL
    if after.take == "any" and WaitState.MET in states:
        return EdgeVerdict.PASS
    bad = after.on_failure == "cancel" and WaitState.BAD in states
    if bad and (after.take != "any" or WaitState.OPEN not in states):
        return EdgeVerdict.CANCEL
    return EdgeVerdict.WAIT if any(state.is_open for state in states) else EdgeVerdict.PASS


def decide_wait_state(after: DependencySpec, outcome: SlotOutcome) -> WaitState:
    """The state of a wait when its slot has this outcome."""
    if outcome == "ok":
        return WaitState.MET
    if outcome == "bad":
        return WaitState.TOLERATED if after.on_failure == "proceed" else WaitState.BAD
    if outcome == "absent":
        return _WHEN_ABSENT[after.on_absent]
    return WaitState.OPEN


def subscription_flags(after: DependencySpec) -> int:
    """KEEP_AFTER_BAD | KEEP_AFTER_ABSENT: the outcomes after which the run still wants updates of the same slot."""
    keeps_after_bad = after.on_failure == "wait" or (after.on_failure == "cancel" and after.take == "any")
    return (KEEP_AFTER_BAD if keeps_after_bad else 0) | (KEEP_AFTER_ABSENT if after.on_absent == "wait" else 0)


def replaces_absent_slot(after: DependencySpec) -> bool:
    """True when an absent slot is replaced by another slot, so that the edge is resolved again."""
    return after.on_absent == "ignore" and after.take in ("first", "last")


_WHEN_ABSENT = {"ignore": WaitState.ABSENT, "wait": WaitState.OPEN, "fail": WaitState.MISSED}
