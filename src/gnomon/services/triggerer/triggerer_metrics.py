"""Metrics of a triggerer, under Airflow's names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gnomon.ground.metrics import Meter, ProcessFigures, definitions
from gnomon.services.triggerer.host_protocol import LoopBlocked

RUNNING = "triggers.running"
SUCCEEDED = "triggers.succeeded"
FAILED = "triggers.failed"
BLOCKED = "triggers.blocked_main_thread"
BLOCKED_NOW = "triggers.blocked_now"
HEARTBEAT = "triggerer_heartbeat"
CAPACITY_LEFT = "triggerer.capacity_left"
WATCHERS_RUNNING = "asset_watchers.running"
WATCHER_EVENTS = "asset_watchers.events"
WATCHERS_FAILED = "asset_watchers.failed"


def count_blocked_now(blocks: Iterable[LoopBlocked]) -> Counter[str]:
    """The event loops that are blocked now, by the class of the trigger that runs, for the heartbeat."""
    return Counter(f"{BLOCKED_NOW}.{block.classpath or 'an unknown trigger'}" for block in blocks)


class TriggererMetrics:
    """Metrics of one incarnation; the meter belongs to the process and outlives it."""

    def __init__(self, meter: Meter, host: str, capacity: int) -> None:
        self._meter = meter
        self._host = host.replace(".", "_")
        self._capacity = capacity
        self._reported_blocks = 0
        self._reported_watchers = (0, 0, 0)

    @property
    def counted(self) -> dict[str, int]:
        """All counters since the start of the process, by name."""
        return self._meter.counters

    def copy_counters(self, figures: ProcessFigures) -> None:
        """Set the counters that /metrics shows."""
        for metric, name in (
            (definitions.TRIGGERS_SUCCEEDED, SUCCEEDED),
            (definitions.TRIGGERS_FAILED, FAILED),
            (definitions.TRIGGERS_BLOCKED, BLOCKED),
        ):
            figures.put(metric, self._meter.counters.get(name, 0))

    def record_heartbeat(self, running: int) -> None:
        """Count one heartbeat, and report how many triggers run."""
        self._meter.count(HEARTBEAT)
        for name, value in ((RUNNING, running), (CAPACITY_LEFT, self._capacity - running)):
            self._meter.gauge(name, value)
            self._meter.gauge(f"{name}.{self._host}", value)

    def record_outcomes(self, outcomes: Iterable[str]) -> None:
        """Count ended waits; `outcomes` are those of DeferralResult."""
        failed = [outcome == "error" for outcome in outcomes]
        self._meter.count(FAILED, sum(failed))
        self._meter.count(SUCCEEDED, len(failed) - sum(failed))

    def record_blocks(self, blocks: int, classpaths: Iterable[str]) -> None:
        """Count blocked loops: `blocks` is the total since the start, `classpaths` the classes that blocked since the last call."""
        self._meter.count(BLOCKED, blocks - self._reported_blocks)
        self._reported_blocks = blocks
        for classpath in classpaths:
            self._meter.count(f"{BLOCKED}.{classpath}")

    def record_watchers(self, running: int, published: int, failed: int) -> None:
        """Report how many triggers of watchers run; `published` events and `failed` triggers are totals since the start."""
        before, self._reported_watchers = self._reported_watchers, (running, published, failed)
        if before[0] != running:
            self._meter.gauge(WATCHERS_RUNNING, running)
            self._meter.gauge(f"{WATCHERS_RUNNING}.{self._host}", running)
        for name, count in ((WATCHER_EVENTS, published - before[1]), (WATCHERS_FAILED, failed - before[2])):
            if count:
                self._meter.count(name, count)
