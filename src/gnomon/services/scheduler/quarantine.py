"""What a scheduler sets aside after an error: DAGs, and as the last resort groups, so that one DAG does not stop all others.

A DAG is set aside when what it has stored, or what is computed for it, cannot be read or committed. It is then not in memory; its results
stay with the workers and its mail waits in the table `quarantine`. A group is set aside only for an error that belongs to no message and
to no DAG: it is treated as if this scheduler did not own it, and its mail stays in the mailbox. Both return after their time, which doubles
with each failure. If several may have caused the error, all are set aside and return one after the other, so that the one with the error
fails alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gnomon.model.quarantine import QuarantinedItem
from gnomon.model.records import MailRecord
from gnomon.rules.engine import events as e

MIN_QUARANTINE_S = 1.0
"""Duration of the first quarantine of a group or DAG; each further failure doubles it."""
MAX_QUARANTINE_S = 60.0
"""Longest duration of a quarantine."""
STAGGER_S = 0.25
"""Time between the returns of those that were quarantined together."""
MAX_REFUSALS = 3
"""Consecutive rejected commits that touched a group before it is quarantined."""


class ReturnTimes:
    """When each of those that are set aside returns. Times are seconds of the monotonic clock."""

    def __init__(self) -> None:
        self._until: dict[int, float] = {}
        self._strikes: dict[int, tuple[int, float]] = {}
        """By key: the number of its quarantines, and when the last one ended."""

    def __contains__(self, key: int) -> bool:
        return key in self._until

    def __bool__(self) -> bool:
        return bool(self._until)

    def set_aside(self, keys: Iterable[int], now: float) -> None:
        """Sets these aside, each for its own time."""
        for position, key in enumerate(sorted(keys)):
            strikes, returned_at = self._strikes.get(key, (0, now))
            if now - returned_at > MAX_QUARANTINE_S:
                strikes = 0  # no failure for long enough: the duration starts at its minimum
            until = now + min(MIN_QUARANTINE_S * 2 ** min(strikes, 10), MAX_QUARANTINE_S) + position * STAGGER_S
            self._strikes[key] = (strikes + 1, until)
            self._until[key] = until

    def release(self, key: int, now: float) -> None:
        """Lets it return with the next round."""
        if key in self._until:
            self._until[key] = now

    def release_expired(self, now: float) -> list[int]:
        """Ends the quarantines whose time is over, and returns their keys."""
        expired = sorted(key for key, until in self._until.items() if until <= now)
        for key in expired:
            del self._until[key]
        return expired


class GroupQuarantine(ReturnTimes):
    """The groups that are set aside, and the rejections of the others."""

    def __init__(self) -> None:
        super().__init__()
        self._refusals: dict[int, int] = {}

    def quarantine_groups(self, groups: Iterable[int], now: float) -> None:
        """Quarantines these groups, each for its own time."""
        self.set_aside(groups, now)

    def record_refusal(self, groups: Iterable[int], now: float) -> list[int]:
        """Counts a rejected commit that touched these groups; returns the groups that it puts into quarantine."""
        for group in groups:
            self._refusals[group] = self._refusals.get(group, 0) + 1
        quarantined = sorted(group for group in groups if self._refusals[group] >= MAX_REFUSALS)
        self.quarantine_groups(quarantined, now)
        return quarantined

    def record_commit(self, groups: Iterable[int]) -> None:
        """Resets the count of rejections: a commit that touched these groups succeeded."""
        for group in groups:
            self._refusals.pop(group, None)


@dataclass(slots=True)
class SetAsideDag:
    """A DAG that is set aside."""

    dag_pk: int
    dag_id: str
    group_no: int
    reason: str
    """The sentence that the DAG shows as its error."""
    run_pks: set[int] = field(default_factory=set)
    """Its unfinished runs: what mail and workers report of them waits."""
    attempts: set[str] = field(default_factory=set)
    """Its live attempts, which go on."""


@dataclass(frozen=True, slots=True)
class WithheldMessage:
    """A message about a DAG that is set aside, and what is done with it instead of what it asks for."""

    message: MailRecord
    events: list[e.EngineEvent] = field(default_factory=list)
    """Refusals of its request, or what it says to DAGs that are not set aside."""
    row: QuarantinedItem | None = None
    """Where it waits for the DAG; None: it is answered, or nothing of it is lost."""


class DagQuarantine(ReturnTimes):
    """The DAGs that are set aside, by dag_pk."""

    def __init__(self) -> None:
        super().__init__()
        self.dags: dict[int, SetAsideDag] = {}
        """Those that are set aside, and those that have returned until `confirm_returns`."""
        self._returned: dict[int, None] = {}

    def add(self, dags: Iterable[SetAsideDag], now: float) -> None:
        """Sets these DAGs aside."""
        added = {dag.dag_pk: dag for dag in dags}
        self.dags.update(added)
        for dag_pk in added:
            self._returned.pop(dag_pk, None)
        self.set_aside(added, now)

    def restore(self, dag: SetAsideDag, now: float) -> None:
        """Takes over a DAG that another owner has set aside: it is tried with the next round."""
        self.dags[dag.dag_pk] = dag
        self._until[dag.dag_pk] = now

    def forget(self, dag_pk: int) -> None:
        """The DAG was deleted, or its group has another owner."""
        self._until.pop(dag_pk, None)
        self._returned.pop(dag_pk, None)
        self.dags.pop(dag_pk, None)

    def release_expired(self, now: float) -> list[int]:
        """As in the base class; what has returned is on probation until a round has committed it."""
        expired = super().release_expired(now)
        self._returned.update(dict.fromkeys(expired))
        return expired

    def take_confirmed(self) -> list[SetAsideDag]:
        """The DAGs that have returned and whose round was committed; they are no longer known here."""
        returned, self._returned = self._returned, {}
        return [self.dags.pop(dag_pk) for dag_pk in returned]

    @property
    def has_returned(self) -> bool:
        """True while a DAG is on probation."""
        return bool(self._returned)

    def find(self, dag_pk: int | None, run_pk: int | None, attempt: str | None = None) -> SetAsideDag | None:
        """The DAG that is set aside and that has this key, this run or this attempt."""
        if dag_pk is not None:
            return self.dags.get(dag_pk) if dag_pk in self else None
        return next(
            (
                dag
                for key, dag in self.dags.items()
                if key in self
                and (
                    (run_pk is not None and run_pk in dag.run_pks) or (attempt is not None and attempt in dag.attempts)
                )
            ),
            None,
        )
