"""Figures in Prometheus' text format, by prometheus_client."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector, CollectorRegistry
from prometheus_client.utils import floatToGoString

from gnomon.ground.metrics.definitions import (
    DATABASE_UP,
    DEPLOYMENT_METRICS,
    PROCESS_LABELS,
    PROCESS_METRICS,
    READ_DURATION,
    MetricDefinition,
    MetricKind,
)
from gnomon.ground.metrics.figures import BucketCounts, FigureSample
from gnomon.queries.report.activity.deployment_figures import DeploymentFigures, ProcessSamples

_Labelled = tuple[tuple[str, ...], float | BucketCounts]


class _FigureCollector(Collector):
    def __init__(self, counts: Iterable[FigureSample], processes: Iterable[ProcessSamples]) -> None:
        self._by_metric: dict[str, list[_Labelled]] = {}
        for sample in counts:
            self._add(sample.metric, sample.labels, sample)
        for process in processes:
            for sample in process.samples:
                self._add(sample.metric, (process.service, process.process_id, *sample.labels), sample)

    def _add(self, metric: MetricDefinition, labels: tuple[str, ...], sample: FigureSample) -> None:
        self._by_metric.setdefault(metric.name, []).append((labels, sample.value))

    def collect(self) -> Iterator[Metric]:
        for metric in DEPLOYMENT_METRICS:
            if metric.name in self._by_metric:
                yield _build_family(metric, metric.labels, self._by_metric[metric.name])
        for metric in PROCESS_METRICS:
            if metric.name in self._by_metric:
                yield _build_family(metric, (*PROCESS_LABELS, *metric.labels), self._by_metric[metric.name])


def render_figures(
    figures: DeploymentFigures | None, own: ProcessSamples, read_s: float, accept: str
) -> tuple[bytes, str]:
    """The text and its media type. `figures`: None while the database is unavailable; `own`: of this server, newer than what it has stored.

    `read_s`: how long the read of the figures took, in seconds; `accept`: the header of the request, which chooses the format.
    """
    state = [FigureSample(DATABASE_UP, (), int(figures is not None)), FigureSample(READ_DURATION, (), round(read_s, 6))]
    counts = [*state, *(figures.counts if figures is not None else ())]
    others = (
        [] if figures is None else [process for process in figures.processes if process.process_id != own.process_id]
    )
    registry = CollectorRegistry()
    registry.register(_FigureCollector(counts, [*others, own]))
    encode, media_type = choose_encoder(accept)
    return encode(registry), media_type


def _build_family(metric: MetricDefinition, labels: tuple[str, ...], samples: list[_Labelled]) -> Metric:
    if metric.kind is MetricKind.HISTOGRAM:
        histogram = HistogramMetricFamily(metric.name, metric.help, labels=labels)
        for values, value in samples:
            assert isinstance(value, BucketCounts)
            bounds = [*(str(floatToGoString(bound)) for bound in metric.buckets), "+Inf"]  # type: ignore[no-untyped-call]
            histogram.add_metric(values, list(zip(bounds, accumulate(value.counts), strict=True)), value.total)
        return histogram
    build = CounterMetricFamily if metric.kind is MetricKind.COUNTER else GaugeMetricFamily
    family = build(metric.name, metric.help, labels=labels)
    for values, value in samples:
        assert not isinstance(value, BucketCounts)
        family.add_metric(values, value)
    return family
