"""The worker's book: once an attempt, highest epoch, results until acknowledged."""

from __future__ import annotations

from typing import Any

from gnomon.model.attempts import Attempt, RunFacts
from gnomon.runner.attempt_results import result_without_run
from gnomon.worker.attempt_registry import AttemptRegistry, PendingAttempt

_RUN = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)


def attempt(attempt_id: str, **fields: Any) -> Attempt:
    facts = {"group_no": 1, "epoch": 1, "task_id": "t", "task_no": 1, "file": "/d.py", **fields}
    return Attempt(attempt_id=attempt_id, run=_RUN, **facts)


def end(ledger: AttemptRegistry, held: PendingAttempt) -> bool:
    return ledger.end(held, result_without_run(held.attempt, "success", "", entered=True))


def test_attempts_start_in_the_order_of_their_submission() -> None:
    ledger = AttemptRegistry()
    ledger.submit([attempt("a"), attempt("b")])
    ledger.submit([attempt("c")])
    order = [held.attempt.attempt_id for held in iter(ledger.take_next_queued, None) if held]
    assert order == ["a", "b", "c"]
    assert ledger.running == 3


def test_a_known_attempt_is_not_queued_again_whether_it_runs_has_ended_or_is_forgotten() -> None:
    ledger = AttemptRegistry()
    ledger.submit([attempt("a")])
    ledger.submit([attempt("a")])
    held = ledger.take_next_queued()
    assert held is not None and ledger.take_next_queued() is None
    assert end(ledger, held) and not end(ledger, held)
    known, _ = ledger.submit([attempt("a")])
    assert [result.attempt_id for result in known] == ["a"]
    ledger.acknowledge(["a"])
    assert ledger.submit([attempt("a")]) == ([], [])
    assert ledger.take_next_queued() is None and ledger.results == {} and ledger.running == 0


def test_a_lower_epoch_of_the_same_group_is_refused_and_of_another_is_not() -> None:
    ledger = AttemptRegistry()
    _, refused = ledger.submit([attempt("a", epoch=3), attempt("b", epoch=2), attempt("c", epoch=2, group_no=2)])
    assert refused == ["b"]
    assert not ledger.raise_epoch(1, 2) and ledger.raise_epoch(1, 3)


def test_an_attempt_that_ended_in_the_queue_takes_no_slot() -> None:
    ledger = AttemptRegistry()
    ledger.submit([attempt("a"), attempt("b")])
    waiting = ledger.find("a")
    assert waiting is not None and end(ledger, waiting)
    held = ledger.take_next_queued()
    assert held is not None and held.attempt.attempt_id == "b" and ledger.running == 1


def test_the_inventory_tells_what_waits_runs_and_has_ended_by_group() -> None:
    ledger = AttemptRegistry()
    ledger.submit([attempt("a"), attempt("b"), attempt("c"), attempt("other", group_no=2)])
    done, runs = ledger.take_next_queued(), ledger.take_next_queued()
    assert done is not None and runs is not None
    runs.entered_at = 5
    end(ledger, done)
    running, results = ledger.inventory([1])
    assert running == (("b", True), ("c", False))
    assert [result.attempt_id for result in results] == ["a"]
