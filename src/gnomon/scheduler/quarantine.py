"""Quarantine of groups whose rounds fail by an internal error, so that one DAG does not stop the scheduling of all others.

A quarantined group is treated as if this scheduler did not own it: it is not in memory, its mail stays in the mailbox,
and its results stay with the workers. After its time, which doubles with each failure, the group is loaded as in a
take-over. If several groups may have caused the error, all are quarantined and return one after the other, so that the
one with the error fails alone.
"""

from __future__ import annotations

from collections.abc import Iterable

MIN_QUARANTINE_S = 1.0
"""Duration of the first quarantine of a group; each further failure doubles it."""
MAX_QUARANTINE_S = 60.0
"""Longest duration of a quarantine."""
STAGGER_S = 0.25
"""Time between the returns of groups that were quarantined together."""
MAX_REFUSALS = 3
"""Consecutive rejected commits that touched a group before it is quarantined."""


class GroupQuarantine:
    """The quarantined groups, and the rejections of the others. Times are seconds of the monotonic clock."""

    def __init__(self) -> None:
        self._until: dict[int, float] = {}
        self._strikes: dict[int, tuple[int, float]] = {}
        """By group: the number of its quarantines, and when the last one ended."""
        self._refusals: dict[int, int] = {}

    def __contains__(self, group: int) -> bool:
        return group in self._until

    def quarantine_groups(self, groups: Iterable[int], now: float) -> None:
        """Quarantines these groups, each for its own time."""
        for position, group in enumerate(sorted(groups)):
            strikes, returned_at = self._strikes.get(group, (0, now))
            if now - returned_at > MAX_QUARANTINE_S:
                strikes = 0  # no failure for long enough: the duration starts at its minimum
            until = now + min(MIN_QUARANTINE_S * 2 ** min(strikes, 10), MAX_QUARANTINE_S) + position * STAGGER_S
            self._strikes[group] = (strikes + 1, until)
            self._until[group] = until

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

    def release_expired(self, now: float) -> list[int]:
        """Ends the quarantines whose time is over, and returns their groups."""
        expired = sorted(group for group, until in self._until.items() if until <= now)
        for group in expired:
            del self._until[group]
        return expired
