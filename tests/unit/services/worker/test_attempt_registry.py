"""The worker's book: once an attempt, highest epoch, results until acknowledged."""

from __future__ import annotations

from typing import Any

from gnomon.author_code.runner.attempt_results import result_without_run
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.services.worker.attempt_registry import AttemptRegistry, PendingAttempt

_RUN = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)


def attempt(attempt_id: str, **fields: Any) -> Attempt:
    facts = {"group_no": 1, "epoch": 1, "task_id": "t", "task_no": 1, "file": "/d.py", **fields}
    return Attempt(attempt_id=attempt_id, run=_RUN, **facts)


def end(registry: AttemptRegistry, pending: PendingAttempt) -> bool:
    return registry.end(pending, result_without_run(pending.attempt, "success", "", entered=True))


def test_attempts_start_in_the_order_of_their_submission() -> None:
    registry = AttemptRegistry()
    registry.submit([attempt("a"), attempt("b")])
    registry.submit([attempt("c")])
    order = [pending.attempt.attempt_id for pending in iter(registry.take_next_queued, None) if pending]
    assert order == ["a", "b", "c"]
    assert registry.running == 3


def test_a_known_attempt_is_not_queued_again_whether_it_runs_has_ended_or_is_forgotten() -> None:
    registry = AttemptRegistry()
    registry.submit([attempt("a")])
    registry.submit([attempt("a")])
    pending = registry.take_next_queued()
    assert pending is not None and registry.take_next_queued() is None
    assert end(registry, pending) and not end(registry, pending)
    known, _ = registry.submit([attempt("a")])
    assert [result.attempt_id for result in known] == ["a"]
    registry.acknowledge(["a"])
    assert registry.submit([attempt("a")]) == ([], [])
    assert registry.take_next_queued() is None and registry.results == {} and registry.running == 0


def test_a_lower_epoch_of_the_same_group_is_refused_and_of_another_is_not() -> None:
    registry = AttemptRegistry()
    _, refused = registry.submit([attempt("a", epoch=3), attempt("b", epoch=2), attempt("c", epoch=2, group_no=2)])
    assert refused == ["b"]
    assert not registry.raise_epoch(1, 2) and registry.raise_epoch(1, 3)


def test_an_attempt_that_ended_in_the_queue_takes_no_slot() -> None:
    registry = AttemptRegistry()
    registry.submit([attempt("a"), attempt("b")])
    waiting = registry.find("a")
    assert waiting is not None and end(registry, waiting)
    pending = registry.take_next_queued()
    assert pending is not None and pending.attempt.attempt_id == "b" and registry.running == 1


def test_the_inventory_tells_what_waits_runs_and_has_ended_by_group() -> None:
    registry = AttemptRegistry()
    registry.submit([attempt("a"), attempt("b"), attempt("c"), attempt("other", group_no=2)])
    done, runs = registry.take_next_queued(), registry.take_next_queued()
    assert done is not None and runs is not None
    runs.entered_at = 5
    end(registry, done)
    running, results = registry.inventory([1])
    assert running == (("b", True), ("c", False))
    assert [result.attempt_id for result in results] == ["a"]
