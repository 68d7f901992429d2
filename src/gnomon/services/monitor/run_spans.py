"""The spans of an ended run, as plain data: one for the run, one for each attempt of a task that began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant, iso
from gnomon.model.records import AttemptRecord, RunRecord
from gnomon.model.states import DagRunState
from gnomon.model.trace_ids import compute_attempt_span_id, compute_run_span_id, compute_trace_id
from gnomon.storage.store.dag_records.run_listing import NamedRun

FAILED_STATES = frozenset({"failed", "up_for_retry", "lost"})
"""States of an attempt whose span has the status error."""
AttributeValue = str | int


@dataclass(frozen=True, slots=True)
class RunSpan:
    """One span. `parent_id`: 0 for the root of a trace; `error`: the sentence of a failure."""

    trace_id: int
    span_id: int
    parent_id: int
    name: str
    started_at: Instant
    ended_at: Instant
    attributes: Mapping[str, AttributeValue]
    error: str | None = None


def build_run_spans(
    service: str, named: NamedRun, attempts: Sequence[AttemptRecord], task_ids: Mapping[int, str]
) -> list[RunSpan]:
    """The spans of a run that has ended, its own first. `service`: [traces] otel_service; `task_ids`: by number.

    Of a run that was cleared after an earlier end, the attempts since its new start.
    """
    run = named.run
    assert run.ended_at is not None
    started_at = run.ended_at if run.started_at is None else run.started_at
    trace_id = compute_trace_id(service, named.dag_id, run.run_id, run.run_pk)
    span_id = compute_run_span_id(trace_id, run.clear_number)
    error = (run.reason or "the run failed") if run.state is DagRunState.FAILED else None
    root = RunSpan(
        trace_id, span_id, 0, f"dag_run {named.dag_id}", started_at, run.ended_at, _describe_run(named), error
    )
    since = started_at if run.clear_number else 0
    begun = [
        attempt
        for attempt in attempts
        if attempt.started_at is not None and attempt.kind == "task" and attempt.started_at >= since
    ]
    return [
        root,
        *(
            _build_attempt_span(
                named, attempt, task_ids.get(attempt.task_no, f"task {attempt.task_no}"), trace_id, span_id
            )
            for attempt in begun
        ),
    ]


def _describe_run(named: NamedRun) -> dict[str, AttributeValue]:
    run: RunRecord = named.run
    attributes: dict[str, AttributeValue | None] = {
        "airflow.dag_id": named.dag_id,
        "airflow.dag_run.run_id": run.run_id,
        "airflow.dag_run.run_type": run.run_type.value,
        "airflow.dag_run.state": run.state.value,
        "airflow.dag_run.logical_date": iso(run.logical_at),
        "airflow.dag_run.run_after": iso(run.run_after),
        "airflow.dag_run.queued_at": iso(run.queued_at),
        "gnomon.dag_run.clear_number": run.clear_number,
        "gnomon.dag_run.reason": run.reason,
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _build_attempt_span(
    named: NamedRun, attempt: AttemptRecord, task_id: str, trace_id: int, parent_id: int
) -> RunSpan:
    assert attempt.started_at is not None
    index = "" if attempt.map_index == UNMAPPED else f"[{attempt.map_index}]"
    attributes: dict[str, AttributeValue | None] = {
        "airflow.dag_id": named.dag_id,
        "airflow.dag_run.run_id": named.run.run_id,
        "airflow.task_id": task_id,
        "airflow.task_instance.map_index": attempt.map_index,
        "airflow.task_instance.try_number": attempt.try_number,
        "airflow.task_instance.state": attempt.state,
        "gnomon.attempt.id": attempt.attempt,
        "gnomon.attempt.number": attempt.seq,
        "gnomon.attempt.worker": attempt.worker,
        "gnomon.attempt.exit_code": attempt.exit_code,
        "gnomon.attempt.reason": attempt.reason,
    }
    ended_at = named.run.ended_at if attempt.ended_at is None else attempt.ended_at
    assert ended_at is not None
    error = (attempt.reason or attempt.state) if attempt.state in FAILED_STATES else None
    return RunSpan(
        trace_id,
        compute_attempt_span_id(attempt.attempt),
        parent_id,
        f"task {named.dag_id}.{task_id}{index}",
        attempt.started_at,
        max(ended_at, attempt.started_at),
        {name: value for name, value in attributes.items() if value is not None},
        error,
    )
