"""Groups whose work fails by a fault of ours are set aside, so that one bad DAG does not stop scheduling for everybody.

A group that is set aside is as one that this scheduler does not own: it is not in memory, its mail stays, its results stay
with the workers. It is read again by the code of a take-over after a while, each time a longer one. When it is not known
which of several groups is at fault, all are set aside and come back one after the other, until the one shows itself.
"""

from __future__ import annotations

from collections.abc import Iterable

MIN_QUARANTINE_S = 1.0
"""A group is set aside for so long, twice as long with each further failure."""
MAX_QUARANTINE_S = 60.0
"""The longest that a group is set aside at a time."""
STAGGER_S = 0.25
"""Between the returns of groups that were set aside together."""
MAX_REFUSALS = 3
"""So many refused commits on end that touched a group set it aside."""


class GroupQuarantine:
    """Who is set aside, until when, and who is on the way there. Times are seconds of the monotonic clock."""

    def __init__(self) -> None:
        self._until: dict[int, float] = {}
        self._strikes: dict[int, tuple[int, float]] = {}
        """By group: how often it was set aside, and when it was back the last time."""
        self._refusals: dict[int, int] = {}

    def __contains__(self, group: int) -> bool:
        return group in self._until

    def quarantine_groups(self, groups: Iterable[int], now: float) -> None:
        """These groups are left alone until their time is over."""
        for place, group in enumerate(sorted(groups)):
            strikes, was_back = self._strikes.get(group, (0, now))
            if now - was_back > MAX_QUARANTINE_S:
                strikes = 0  # it has been well for long enough
            until = now + min(MIN_QUARANTINE_S * 2 ** min(strikes, 10), MAX_QUARANTINE_S) + place * STAGGER_S
            self._strikes[group] = (strikes + 1, until)
            self._until[group] = until

    def record_refusal(self, groups: Iterable[int], now: float) -> list[int]:
        """A commit that touched these groups was refused; returns those that are set aside for it."""
        for group in groups:
            self._refusals[group] = self._refusals.get(group, 0) + 1
        gone = sorted(group for group in groups if self._refusals[group] >= MAX_REFUSALS)
        self.quarantine_groups(gone, now)
        return gone

    def record_commit(self, groups: Iterable[int]) -> None:
        """The store took what these groups did: nothing is held against them."""
        for group in groups:
            self._refusals.pop(group, None)

    def release_expired(self, now: float) -> list[int]:
        """The groups whose time is over; they are set aside no longer."""
        over = sorted(group for group, until in self._until.items() if until <= now)
        for group in over:
            del self._until[group]
        return over
