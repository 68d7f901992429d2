"""Figures of one process: what is counted, bounded, stored and read again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.ground.metrics import definitions
from gnomon.ground.metrics.definitions import DEPLOYMENT_METRICS, PROCESS_METRICS, MetricDefinition, MetricKind
from gnomon.ground.metrics.figures import OTHER, SERIES_MAX, BucketCounts, ProcessFigures, decode_figures

ALL = (*PROCESS_METRICS, *DEPLOYMENT_METRICS)


def _read(figures: ProcessFigures) -> dict[tuple[str, tuple[str, ...]], float | BucketCounts]:
    return {(sample.metric.name, sample.labels): sample.value for sample in decode_figures(figures.encode())}


def test_what_was_counted_is_read_again() -> None:
    figures = ProcessFigures()
    figures.count(definitions.COMMITS, 2)
    figures.count(definitions.COMMITS)
    figures.put(definitions.READY_TASKS, 7, "a")
    for value in (-1.0, 0.005, 0.0051, 1e9):
        figures.observe(definitions.ROUND, value)
    found = _read(figures)
    assert found["gnomon_scheduler_commits_total", ()] == 3
    assert found["gnomon_scheduler_ready_tasks", ("a",)] == 7
    rounds = found["gnomon_scheduler_round_duration_seconds", ()]
    assert isinstance(rounds, BucketCounts)
    assert rounds.counts == [2, 1, *[0] * 12, 1]
    assert rounds.total == pytest.approx(1e9 + 0.0101)


def test_a_gauge_that_is_cleared_has_the_series_that_are_set_after() -> None:
    figures = ProcessFigures()
    figures.put(definitions.READY_TASKS, 7, "a")
    figures.clear(definitions.READY_TASKS)
    figures.put(definitions.READY_TASKS, 1, "b")
    assert _read(figures) == {("gnomon_scheduler_ready_tasks", ("b",)): 1}


def test_the_series_of_a_process_are_bounded_and_nothing_is_lost() -> None:
    figures = ProcessFigures()
    for number in range(SERIES_MAX + 50):
        figures.observe(definitions.API_DURATION, 0.1, "GET", f"/{number}", "2xx")
    found = _read(figures)
    rest = found["gnomon_api_request_duration_seconds", (OTHER,) * 3]
    assert len(found) == SERIES_MAX + 1
    assert isinstance(rest, BucketCounts)
    assert sum(rest.counts) == 50


def test_what_another_release_wrote_is_left_out() -> None:
    body = json.dumps(
        [
            [
                ["gnomon_unknown", [], 1],
                ["gnomon_scheduler_groups", ["more"], 1],
                ["gnomon_run_duration_seconds", ["failed"], 1],
                ["gnomon_scheduler_groups", [], 3],
            ],
            [["gnomon_run_duration_seconds", ["failed"], [1, 2], 3.0], ["gnomon_unknown", [], [1], 1.0]],
        ]
    )
    assert [(sample.metric, sample.value) for sample in decode_figures(body)] == [(definitions.GROUPS, 3)]


def test_the_process_knows_its_memory_and_processor_time() -> None:
    figures = ProcessFigures()
    figures.record_process()
    found = _read(figures)
    assert found["gnomon_process_resident_memory_bytes", ()] > 1_000_000
    assert found["gnomon_process_cpu_seconds_total", ()] > 0


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
def test_names_follow_the_rules_of_prometheus(metric: MetricDefinition) -> None:
    assert metric.name.startswith("gnomon_")
    assert metric.help.endswith(".")
    assert metric.name.endswith("_total") == (metric.kind is MetricKind.COUNTER)
    assert bool(metric.buckets) == (metric.kind is MetricKind.HISTOGRAM)
    assert list(metric.buckets) == sorted(set(metric.buckets))
    assert not {"dag_id", "run_id", "task_id"} & set(metric.labels)


def test_no_name_is_used_twice() -> None:
    assert len({metric.name for metric in ALL}) == len(ALL)


def test_the_page_of_the_reference_has_each_metric_with_its_type_labels_and_meaning() -> None:
    page = (Path(__file__).parents[4] / "docs" / "reference" / "metrics.md").read_text()
    for metric in ALL:
        labels = ", ".join(f"`{label}`" for label in metric.labels)
        assert page.count(f"| `{metric.name}` | {metric.kind.value} | {labels} | {metric.help} |") == 1, metric.name
