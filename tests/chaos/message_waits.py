"""How long tasks waited for a worker while another one was idle: read from the records of the executor while a deployment runs, and from the journal of its tasks."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import psycopg

LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Span:
    """From the one instant to the other, in seconds since the epoch."""

    since: float
    until: float


@dataclass(slots=True)
class QueuedAttempt:
    """An attempt as the executor stores it until its result has come; seconds since the epoch."""

    run_pk: int
    map_index: int
    offered_at: float
    claimed_at: float | None = None


class MessageWatch:
    """Looks at the stored attempts every LOOK_S, in a thread. An attempt that was stored for a shorter time may not be seen: it waited for nothing."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.seen: dict[str, QueuedAttempt] = {}
        """By attempt id."""
        self.unclaimed: frozenset[str] = frozenset()
        """The attempts that no worker had claimed at the last look."""
        self.looked_at = 0.0
        """When that look began; seconds since the epoch."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> MessageWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            while not self._stop.wait(LOOK_S):
                looked_at = time.time()
                rows = connection.execute(
                    "SELECT attempt, run_pk, map_index, offered_at, claimed_at FROM remote_attempt"
                ).fetchall()
                for attempt, run_pk, map_index, offered_at, claimed_at in rows:
                    one = self.seen.setdefault(attempt, QueuedAttempt(run_pk, map_index, offered_at / 1e6))
                    one.claimed_at = one.claimed_at if claimed_at is None else claimed_at / 1e6
                self.unclaimed, self.looked_at = frozenset(row[0] for row in rows if row[4] is None), looked_at


def find_longest_wait(
    waits: Mapping[str, Span], busy: Mapping[str, Iterable[Span]], live: Mapping[str, Iterable[Span]], slots: int
) -> tuple[float, str]:
    """The longest time without a gap in which an attempt waited while one and the same live worker had a free slot, and the attempt: `(0.0, "")` when none did.

    `waits`: by attempt, until it began. `busy`: by worker, the spans of its attempts, each in one of its `slots`. `live`: by worker, when it was up.
    """
    longest, found = 0.0, ""
    for worker, spans in live.items():
        for free in _find_free(list(busy.get(worker, ())), spans, slots):
            for attempt, wait in waits.items():
                span_s = min(wait.until, free.until) - max(wait.since, free.since)
                if span_s > longest:
                    longest, found = span_s, attempt
    return longest, found


def _find_free(busy: list[Span], live: Iterable[Span], slots: int) -> list[Span]:
    """When fewer than `slots` of the spans were under way, within the time that the worker was live."""
    found = []
    for span in live:
        edges = sorted(
            {
                span.since,
                span.until,
                *(at for one in busy for at in (one.since, one.until) if span.since < at < span.until),
            }
        )
        free: Span | None = None
        for since, until in zip(edges, edges[1:], strict=False):
            used = sum(one.since <= since and one.until >= until for one in busy)
            if used < slots:
                free = Span(since if free is None else free.since, until)
            elif free is not None:
                found.append(free)
                free = None
        if free is not None:
            found.append(free)
    return found
