"""`ProcessFigures`: the counters, gauges and histograms of one process, and their form in the database."""

from __future__ import annotations

import importlib.metadata
import json
import math
import os
import resource
import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from gnomon.ground.metrics.definitions import BUILD, CPU, MEMORY, PROCESS_METRICS, MetricDefinition, MetricKind

SERIES_MAX = 2000
"""Combinations of a metric and labels that a process keeps; further ones are counted under the labels OTHER."""
OTHER = "other"
_BY_NAME = {metric.name: metric for metric in PROCESS_METRICS}
_Key = tuple[str, tuple[str, ...]]


class BucketCounts:
    """The observations of a histogram: how many are in each bucket (not cumulative; the last is infinity), and their sum."""

    __slots__ = ("counts", "total")

    def __init__(self, counts: list[int], total: float = 0.0) -> None:
        self.counts = counts
        self.total = total


@dataclass(frozen=True, slots=True)
class FigureSample:
    """The value of one series. `value`: a number, or the buckets of a histogram."""

    metric: MetricDefinition
    labels: tuple[str, ...]
    value: float | BucketCounts


class ProcessFigures:
    """Figures since the start of the process; threads may share them. Label values are given in the order of the metric's labels."""

    def __init__(self) -> None:
        self._numbers: dict[_Key, float] = {}
        self._histograms: dict[_Key, BucketCounts] = {}
        self._guard = threading.Lock()

    def count(self, metric: MetricDefinition, n: float = 1, *labels: str) -> None:
        """Add `n` to a counter."""
        with self._guard:
            key = self._bound(self._numbers, metric, labels)
            self._numbers[key] = self._numbers.get(key, 0) + n

    def put(self, metric: MetricDefinition, value: float, *labels: str) -> None:
        """Set a gauge, or a counter that is counted elsewhere."""
        with self._guard:
            self._numbers[self._bound(self._numbers, metric, labels)] = value

    def clear(self, metric: MetricDefinition) -> None:
        """Forget all series of a gauge, before it is set for the label values that exist now."""
        with self._guard:
            for key in [key for key in self._numbers if key[0] == metric.name]:
                del self._numbers[key]

    def observe(self, metric: MetricDefinition, value: float, *labels: str) -> None:
        """Add one observation to a histogram. A negative one, of two clocks that differ, counts as 0."""
        with self._guard:
            key = self._bound(self._histograms, metric, labels)
            counts = self._histograms.get(key)
            if counts is None:
                counts = self._histograms[key] = BucketCounts([0] * (len(metric.buckets) + 1))
            value = max(value, 0.0)
            counts.counts[bisect_left(metric.buckets, value)] += 1
            counts.total += value

    def _bound(
        self, series: dict[_Key, float] | dict[_Key, BucketCounts], metric: MetricDefinition, labels: tuple[str, ...]
    ) -> _Key:
        key = (metric.name, labels)
        return key if not labels or key in series or len(series) < SERIES_MAX else (metric.name, (OTHER,) * len(labels))

    def record_process(self) -> None:
        """Set the figures of the process itself: memory and processor time."""
        self.put(MEMORY, read_resident_bytes())
        self.put(BUILD, 1, find_version())
        usage = resource.getrusage(resource.RUSAGE_SELF)
        self.put(CPU, round(usage.ru_utime + usage.ru_stime, 3))

    def list_numbers(self) -> list[tuple[str, tuple[str, ...], float]]:
        """Counters and gauges: name, values of the labels, value."""
        with self._guard:
            return [(name, labels, value) for (name, labels), value in self._numbers.items()]

    def encode(self) -> str:
        """All figures as JSON, for `decode_figures`."""
        with self._guard:
            numbers = [[name, labels, value] for (name, labels), value in self._numbers.items()]
            buckets = [
                [name, labels, counts.counts, round(counts.total, 6)]
                for (name, labels), counts in self._histograms.items()
            ]
            return json.dumps([numbers, buckets], separators=(",", ":"))


def encode_numbers(numbers: Iterable[tuple[str, tuple[str, ...], float]]) -> str:
    """Counters and gauges of another process as JSON, for `decode_figures`. Those that are no finite number are left out."""
    return json.dumps(
        [[[name, labels, value] for name, labels, value in numbers if math.isfinite(value)], []], separators=(",", ":")
    )


def decode_figures(body: str) -> Iterator[FigureSample]:
    """The samples of a text of `encode`. What another release wrote and this one does not know, or has with other labels or buckets, is left out."""
    numbers, buckets = json.loads(body)
    for name, labels, value in numbers:
        metric = _BY_NAME.get(name)
        if metric is not None and len(labels) == len(metric.labels) and metric.kind is not MetricKind.HISTOGRAM:
            yield FigureSample(metric, tuple(labels), value)
    for name, labels, counts, total in buckets:
        metric = _BY_NAME.get(name)
        if metric is not None and len(labels) == len(metric.labels) and len(counts) == len(metric.buckets) + 1:
            yield FigureSample(metric, tuple(labels), BucketCounts(counts, total))


@cache
def find_version() -> str:
    """The version of the installed distribution, as this process has found it first: an upgrade of the files does not change a process."""
    try:
        return importlib.metadata.version("gnomon")
    except importlib.metadata.PackageNotFoundError:  # a source tree on the path
        return "of a source tree"


def read_resident_bytes() -> int:
    """The resident memory of this process; where /proc does not say, the most that it ever had."""
    try:
        with open("/proc/self/statm", "rb") as opened:
            return int(opened.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, ValueError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
