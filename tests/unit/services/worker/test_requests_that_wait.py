"""Requests of author code while the store is away for a moment."""

from __future__ import annotations

from tests.conformance.workerworld import WorkerWorld


def test_a_request_is_repeated_until_the_store_answers(world: WorkerWorld) -> None:
    head = "from gnomon import Variable"
    attempt = world.attempt(world.dag("asks", "return Variable.get('away-3') + ', then ' + Variable.get('k')", head))
    result = world.run(attempt)
    assert (result.outcome, result.reason) == ("success", None)
    assert {item.key: item.value for item in result.xcoms}[
        "return_value"
    ] == '"the value of away-3 for t, then the value of k for t"'


def test_a_task_that_waits_for_an_answer_can_be_ended(world: WorkerWorld) -> None:
    attempt = world.attempt(world.dag("ended", "Variable.get('away-1000000')", "from gnomon import Variable"))
    world.executor.submit(world.worker_id, [attempt])
    world.entered(attempt)
    world.executor.cancel(world.worker_id, attempt.attempt_id, "marked failed by ann", 5.0)
    result = world.result_of(attempt)
    assert (result.outcome, result.reason) == ("failed", "marked failed by ann")


def test_a_request_that_waited_for_its_whole_patience_is_refused(own_world: WorkerWorld) -> None:
    attempt = own_world.attempt(
        own_world.dag("refused", "return Variable.get('refused')", "from gnomon import Variable")
    )
    result = own_world.run(attempt)
    assert result.outcome == "failed" and result.reason is not None and "not for you" in result.reason
