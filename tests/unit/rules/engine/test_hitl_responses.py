"""Tasks that wait for a person: what they hold, who ends their wait, and what a take-over knows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from tests.unit.rules.engine.test_trigger_events import both
from tests.unit.rules.engine.told import tell_run
from tests.unit.rules.engine.world import World, chain, dag_record

from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest, HITLRespondent, HITLResponse
from gnomon.model.ids import TaskKey
from gnomon.model.instants import SECOND
from gnomon.model.records import PoolRecord, RunRecord
from gnomon.model.states import DagRunState
from gnomon.rules.engine import events as e
from gnomon.rules.engine.step_context import StepResult

QUESTION = HITLRequest(subject="Deploy?", options=("yes", "no"), assigned_users=(HITLRespondent("1", "ann"),))
WAIT = Deferral(classpath="TaskAwaitingInput", next_method="execute_complete", hitl=QUESTION)
ANN = HITLRespondent("ann", "ann")


def asked(world: World, wait: Deferral = WAIT) -> RunRecord:
    """A run whose first task has asked a person."""
    run = world.start()
    world.end("a", "awaiting_input", wait=wait)
    return run


def answer(world: World, run: RunRecord, *options: str, by: HITLRespondent = ANN, request_pk: int = 7) -> StepResult:
    return world.step(e.HITLAnswered(TaskKey(run.run_pk, 0, -1), options, {}, by, request_pk))


@both
def test_a_task_that_waits_for_a_person_holds_nothing_and_goes_on_with_the_answer(
    then: Callable[[World], None],
) -> None:
    world = World(dag_record(chain("a", "b")), pools=[PoolRecord("counted", 5, 0, include_deferred=True)])
    run = asked(world)
    then(world)
    assert world.states(run)["a"] == "awaiting_input"
    assert (world.live(), world.engine_state.live_attempt_count, world.pools["default_pool"][1]) == ([], 0, 0)
    answer(world, run, "yes")
    then(world)
    (attempt,) = world.live("a")
    assert attempt.resume is not None and attempt.resume.next_method == "execute_complete"
    assert attempt.resume.result.response == HITLResponse(
        responded_at=world.now, chosen_options=("yes",), responded_by=ANN
    )
    assert (attempt.try_number, attempt.seq) == (1, 2)
    world.end("a")
    world.end("b")
    assert world.runs[run.run_pk].state is DagRunState.SUCCESS
    assert world.waits == {}


def test_no_pool_counts_it_even_one_that_counts_deferred_tasks() -> None:
    world = World(dag_record(chain("a", pool="counted")), pools=[PoolRecord("counted", 1, 0, include_deferred=True)])
    asked(world)
    assert world.pools["counted"][1] == 0
    world.start()
    assert len(world.live("a")) == 1


def test_the_question_and_the_answer_are_stored() -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    decided = world.end("a", "awaiting_input", wait=WAIT)
    (detail,) = decided.changes.hitl_details
    assert (detail.key, detail.defer_seq, detail.try_number, detail.request, detail.due_at) == (
        TaskKey(run.run_pk, 0, -1),
        1,
        1,
        QUESTION,
        None,
    )
    changes = answer(world, run, "no").changes
    assert changes.hitl_responses == [
        (detail.key, 1, HITLResponse(responded_at=world.now, chosen_options=("no",), responded_by=ANN))
    ]
    assert [(event.kind, event.by, event.body) for event in changes.events] == [("answered", "ann", "no")]
    assert world.answers == [(7, "done", json.dumps({"answered": "a"}))]


@both
@pytest.mark.parametrize("defaults", [None, ("no",)])
def test_the_defaults_are_taken_when_the_time_is_over(
    then: Callable[[World], None], defaults: tuple[str, ...] | None
) -> None:
    world = World(dag_record(chain("a")))
    asked(world, replace(WAIT, due_in_s=60.0, hitl=replace(QUESTION, defaults=defaults)))
    then(world)
    world.step(seconds=59)
    assert world.live("a") == []
    decided = world.step(seconds=1)
    (attempt,) = world.live("a")
    assert attempt.resume is not None
    assert attempt.resume.result.response == HITLResponse(responded_at=world.now, chosen_options=defaults or ())
    assert len(decided.changes.hitl_responses) == 1


@pytest.mark.parametrize(
    ("options", "by", "words"),
    [
        (("maybe",), ANN, "no option 'maybe'"),
        (("yes",), HITLRespondent("ben", "ben"), "'ben' may not answer"),
        (("yes", "no"), ANN, "only one"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_the_task_waits_on(
    options: tuple[str, ...], by: HITLRespondent, words: str
) -> None:
    world = World(dag_record(chain("a")))
    run = asked(world)
    answer(world, run, *options, by=by)
    ((_, state, body),) = world.answers
    assert state == "refused" and words in json.loads(body)["error"]
    assert world.states(run)["a"] == "awaiting_input"


def test_a_second_answer_and_one_to_a_task_that_asks_nothing_are_refused() -> None:
    world = World(dag_record(chain("a")))
    run = asked(world)
    answer(world, run, "yes")
    answer(world, run, "no", request_pk=8)
    world.end("a")
    answer(world, run, "no", request_pk=9)
    assert [(pk, state) for pk, state, _ in world.answers] == [(7, "done"), (8, "refused"), (9, "refused")]
    assert "does not wait for an answer" in world.answers[1][2]


def test_a_cleared_task_asks_again_and_an_answer_to_the_first_question_counts_for_neither_try() -> None:
    world = World(dag_record(chain("a")))
    run = asked(world)
    world.step(e.ClearTasks(run.run_pk, None, "me"))
    answer(world, run, "yes")
    assert world.answers[-1][1] == "refused"
    world.end("a", "awaiting_input", wait=WAIT)
    answer(world, run, "yes", request_pk=8)
    assert world.answers[-1][:2] == (8, "done")


@pytest.mark.parametrize("state", ["success", "failed", "skipped"])
def test_marking_it_ends_the_wait(state: str) -> None:
    world = World(dag_record(chain("a")))
    run = asked(world)
    world.step(e.MarkTasks(run.run_pk, (TaskKey(run.run_pk, 0, -1),), state, "me"))
    assert (world.states(run)["a"], world.waits) == (state, {})


def test_execution_timeout_limits_the_code_and_not_the_person() -> None:
    world = World(dag_record(chain("a", execution_timeout_s=30.0)))
    run = asked(world)
    world.step(seconds=1000)
    assert world.states(run)["a"] == "awaiting_input"
    answer(world, run, "yes")
    (attempt,) = world.live("a")
    assert (attempt.deadline_at, attempt.timeout_s) == (None, 30.0)


def test_explain_says_what_is_asked_whom_how_to_answer_and_what_happens_without() -> None:
    world = World(dag_record(chain("a")))
    run = asked(world, replace(WAIT, due_at=world.now + 60 * SECOND, hitl=replace(QUESTION, defaults=("no",))))
    (sentence,) = tell_run(world.engine_state, run.run_pk, world.now)
    for words in (
        "waits for a person to answer: Deploy? (yes | no)",
        "only ann may answer",
        "it takes no at 1970-01-01T00:01:01",
        f"gnomon tasks answer dag1 run{run.run_pk} a --option yes",
    ):
        assert words in sentence


def test_a_result_without_a_question_fails_the_task() -> None:
    world = World(dag_record(chain("a")))
    run = world.start()
    changes: Any = world.end("a", "awaiting_input").changes
    assert world.states(run)["a"] == "failed"
    assert "has no question" in changes.tasks[0].reason
