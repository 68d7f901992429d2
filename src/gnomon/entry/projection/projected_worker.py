"""A worker whose attempts take the time that a script says: one heap of what happens next."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gnomon.entry.testing.scripted import Play, build_result
from gnomon.model.attempts import Attempt
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
    entered: bool = False
    cancelled: str | None = None


class ProjectedWorker:
    """All workers of the deployment as one: what limits attempts are its slots, pools and limits, not machines."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._live: dict[str, _ProjectedAttempt] = {}
        self._heap: list[tuple[Instant, int, str]] = []
        """(instant, number of the submission, attempt id) of what comes next of each attempt."""
        self._numbers = itertools.count()

    def submit(self, attempts: Iterable[Attempt], now: Instant) -> None:
        """Start these attempts."""
        for attempt in attempts:
            play = self._script(attempt)
            enters_at = now + int(play.enter_after_s * SECOND)
            live = _ProjectedAttempt(attempt, play, enters_at, enters_at + int(play.run_s * SECOND))
            self._live[attempt.attempt_id] = live
            heapq.heappush(
                self._heap, (enters_at if play.entered else live.ends_at, next(self._numbers), attempt.attempt_id)
            )

    def resume(self, attempt: Attempt, play: Play, started_at: Instant | None, now: Instant) -> None:
        """Go on with an attempt that runs already. `started_at`: when it entered author code; None: it enters now. It ends now at the earliest."""
        begun_at = now if started_at is None else started_at
        ends_at = max(now, begun_at + int(play.run_s * SECOND))
        live = _ProjectedAttempt(attempt, play, begun_at, ends_at, entered=started_at is not None)
        self._live[attempt.attempt_id] = live
        at = now if started_at is None else ends_at
        heapq.heappush(self._heap, (at, next(self._numbers), attempt.attempt_id))

    def cancel(self, attempt_id: str, reason: str, now: Instant) -> None:
        """End the attempt at once."""
        live = self._live.get(attempt_id)
        if live is not None:
            live.cancelled = reason
            heapq.heappush(self._heap, (now, next(self._numbers), attempt_id))

    def next_at(self) -> Instant | None:
        """When the next attempt enters author code or ends; None if there is none."""
        return self._heap[0][0] if self._heap else None

    def collect(self, now: Instant) -> list[e.EngineEvent]:
        """What has happened up to now: first the attempts that entered author code, then those that ended, in the order of their submission."""
        entered: list[e.EngineEvent] = []
        ended: list[tuple[int, e.EngineEvent]] = []
        while self._heap and self._heap[0][0] <= now:
            _, number, attempt_id = heapq.heappop(self._heap)
            live = self._live.get(attempt_id)
            if live is None:
                continue  # it was cancelled
            if not live.entered and live.play.entered and live.enters_at <= now:
                live.entered = True
                entered.append(e.AuthorCodeEntered(attempt_id, live.enters_at))
            if live.ends_at > now and live.cancelled is None:
                heapq.heappush(self._heap, (live.ends_at, number, attempt_id))
                continue
            del self._live[attempt_id]
            result = build_result(
                live.attempt,
                live.play,
                started_at=live.enters_at if live.entered else None,
                at=min(live.ends_at, now),
                cancelled=live.cancelled,
            )
            ended.append((number, e.ResultReceived(result, WORKER_ID)))
        ended.sort(key=lambda end: end[0])
        return [*entered, *(event for _, event in ended)]
