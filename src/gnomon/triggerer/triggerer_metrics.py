"""What the metrics say of a triggerer, under Airflow's names."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.metrics import Meter

RUNNING = "triggers.running"
SUCCEEDED = "triggers.succeeded"
FAILED = "triggers.failed"
BLOCKED = "triggers.blocked_main_thread"
HEARTBEAT = "triggerer_heartbeat"
CAPACITY_LEFT = "triggerer.capacity_left"


class TriggererMetrics:
    """Of one incarnation; the meter lives as long as its process."""

    def __init__(self, meter: Meter, host: str, capacity: int) -> None:
        self._meter = meter
        self._host = host.replace(".", "_")
        self._capacity = capacity
        self._reported_blocks = 0

    @property
    def counted(self) -> dict[str, int]:
        """All counts since the start of the process, by name."""
        return self._meter.counters

    def record_heartbeat(self, running: int) -> None:
        """It has beaten, and runs so many triggers."""
        self._meter.count(HEARTBEAT)
        for name, value in ((RUNNING, running), (CAPACITY_LEFT, self._capacity - running)):
            self._meter.gauge(name, value)
            self._meter.gauge(f"{name}.{self._host}", value)

    def record_outcomes(self, outcomes: Iterable[str]) -> None:
        """So many waits have ended, each with an outcome of `Fired`."""
        failed = [outcome == "error" for outcome in outcomes]
        self._meter.count(FAILED, sum(failed))
        self._meter.count(SUCCEEDED, len(failed) - sum(failed))

    def record_blocks(self, blocks: int, classpaths: Iterable[str]) -> None:
        """The loop of all triggers was held up `blocks` times since the start; by these classes, as far as new and known."""
        self._meter.count(BLOCKED, blocks - self._reported_blocks)
        self._reported_blocks = blocks
        for classpath in classpaths:
            self._meter.count(f"{BLOCKED}.{classpath}")
