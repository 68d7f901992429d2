"""A worker whose attempts take the time that a script says: one heap of their ends.

An attempt that enters author code is reported with what comes next, whatever that is: nothing follows from it, so that it needs no round of its own.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gnomon.entry.testing.scripted import Play, build_result
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instants import SECOND, Instant
from gnomon.rules.engine import events as e

Script = Callable[[Attempt], Play]
WORKER_ID = "projected"


@dataclass(slots=True)
class _ProjectedAttempt:
    attempt: Attempt
    play: Play
    enters_at: Instant
    ends_at: Instant
    has_entered: bool = False
    """True for one that had entered author code when the projection began."""
    cancelled: str | None = None


class ProjectedWorker:
    """All workers of the deployment as one: what limits attempts are its slots, pools and limits, not machines."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._live: dict[str, _ProjectedAttempt] = {}
        self._heap: list[tuple[Instant, int, str]] = []
        """(end, number of the submission, attempt id). What is cancelled has a second entry; the first that comes counts."""
        self._entered: list[e.AuthorCodeEntered] = []
        """Attempts that have entered author code, which is not reported yet."""
        self._entering: list[tuple[Instant, int, str]] = []
        """Heap of those that enter later: (instant, number of the submission, attempt id)."""
        self._last_number = 0

    def submit(self, attempts: Iterable[Attempt], now: Instant) -> None:
        """Start these attempts."""
        for attempt in attempts:
            play = self._script(attempt)
            enters_at = now + int(play.enter_after_s * SECOND) if play.enter_after_s else now
            ends_at = enters_at + int(play.run_s * SECOND)
            self._add(_ProjectedAttempt(attempt, play, enters_at, ends_at), now)

    def resume(self, attempt: Attempt, play: Play, started_at: Instant | None, now: Instant) -> None:
        """Go on with an attempt that runs already. `started_at`: when it entered author code; None: it enters now. It ends now at the earliest."""
        begun_at = now if started_at is None else started_at
        ends_at = max(now, begun_at + int(play.run_s * SECOND))
        self._add(_ProjectedAttempt(attempt, play, begun_at, ends_at, has_entered=started_at is not None), now)

    def take_over(
        self, attempt: Attempt, play: Play, enters_at: Instant, ends_at: Instant, *, has_entered: bool, now: Instant
    ) -> None:
        """Go on with an attempt whose play is drawn already."""
        self._add(_ProjectedAttempt(attempt, play, enters_at, ends_at, has_entered), now)

    def _add(self, live: _ProjectedAttempt, now: Instant) -> None:
        attempt_id = live.attempt.attempt_id
        self._last_number = number = self._last_number + 1
        self._live[attempt_id] = live
        heapq.heappush(self._heap, (live.ends_at, number, attempt_id))
        if live.has_entered or not live.play.entered:
            return
        if live.enters_at <= now:
            self._entered.append(e.AuthorCodeEntered(attempt_id, live.enters_at))
        else:
            heapq.heappush(self._entering, (live.enters_at, number, attempt_id))

    def cancel(self, attempt_id: str, reason: str, now: Instant) -> None:
        """End the attempt at once."""
        live = self._live.get(attempt_id)
        if live is not None:
            live.cancelled = reason
            self._last_number += 1
            heapq.heappush(self._heap, (now, self._last_number, attempt_id))

    def next_at(self) -> Instant | None:
        """When the next attempt ends; None if there is none."""
        return self._heap[0][0] if self._heap else None

    def collect(self, now: Instant) -> list[e.EngineEvent]:
        """What has happened up to now: first the attempts that entered author code, then those that ended, in the order of their submission."""
        heap = self._heap
        events: list[e.EngineEvent] = [*self.collect_entered(now)]
        if not heap or heap[0][0] > now:
            return events
        ended: list[tuple[int, e.EngineEvent]] = []
        while heap and heap[0][0] <= now:
            _, number, attempt_id = heapq.heappop(heap)
            live = self._live.pop(attempt_id, None)
            if live is not None:
                ended.append((number, e.ResultReceived(_build_result(live, now), WORKER_ID)))
        ended.sort(key=_get_number)
        events += [event for _, event in ended]
        return events

    def has_entered_before(self, now: Instant) -> bool:
        """True if an attempt that was not reported has entered author code before `now`."""
        is_earlier = bool(self._entered) and self._entered[0].at < now
        return is_earlier or (bool(self._entering) and self._entering[0][0] < now)

    def collect_entered(self, now: Instant) -> list[e.AuthorCodeEntered]:
        """The attempts that have entered author code up to now, and were not reported before."""
        entered, self._entered = self._entered, []
        while self._entering and self._entering[0][0] <= now:
            at, _, attempt_id = heapq.heappop(self._entering)
            if attempt_id in self._live:
                entered.append(e.AuthorCodeEntered(attempt_id, at))
        return entered


def _get_number(ended: tuple[int, e.EngineEvent]) -> int:
    return ended[0]


def _build_result(live: _ProjectedAttempt, now: Instant) -> AttemptResult:
    has_entered = live.has_entered or (live.play.entered and live.enters_at <= now)
    return build_result(
        live.attempt,
        live.play,
        started_at=live.enters_at if has_entered else None,
        at=min(live.ends_at, now),
        cancelled=live.cancelled,
    )
