"""What is said of a baseline of which runs have failed."""

from __future__ import annotations

from gnomon.model.baselines import BaselineForecast, BaselineLevel, BaselineRecord
from gnomon.model.sentences import ArgumentKind, list_spans, render
from gnomon.queries.report.activity.baseline_sentences import describe_baseline

DUE_AT = 1_772_355_600_000_000
"""2026-03-01T09:00:00Z."""


def _describe(failed: tuple[str, ...]) -> BaselineRecord:
    forecast = BaselineForecast(due_at=DUE_AT, at=DUE_AT, failed=failed, breach=1.0)
    return BaselineRecord(
        baseline="morning", due_at=DUE_AT, level=BaselineLevel.BROKEN, changed_at=DUE_AT, forecast=forecast
    )


def test_a_failed_run_is_named_with_its_dag() -> None:
    sentence = describe_baseline(_describe(("load/scheduled__2026-03-01T01:15:00+00:00",)))
    spans = [(span.kind, span.text) for span in list_spans(sentence) if span.kind is not ArgumentKind.TEXT]
    assert spans[1:] == [(ArgumentKind.RUN, "scheduled__2026-03-01T01:15:00+00:00"), (ArgumentKind.DAG, "load")]
    assert render(sentence).endswith("is broken: run scheduled__2026-03-01T01:15:00+00:00 of DAG load has failed")


def test_of_many_failed_runs_the_first_are_named() -> None:
    text = render(describe_baseline(_describe(tuple(f"load/{number}" for number in range(7)))))
    assert text.endswith("7 runs have failed: " + ", ".join(f"run {n} of DAG load" for n in range(5)) + " and 2 more")
