"""Operators that ask a person: what they ask, what they make of the answer, and what they refuse."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from gnomon.author_code.runner.hitl_deferral import awaits_person, create_hitl_deferral, make_hitl_event
from gnomon.authoring.operators.hitl_errors import HITLRejectException, HITLTimeoutError, HITLTriggerEventError
from gnomon.authoring.operators.triggers import HITLTrigger
from gnomon.authoring.sdk.arguments.params import Param
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.runtime.human_input import upsert_hitl_detail
from gnomon.authoring.sdk.runtime.notifier import BaseNotifier
from gnomon.model.errors.authoring import (
    AirflowProviderDeprecationWarning,
    DeferralRefused,
    DownstreamTasksSkipped,
    ParamValidationError,
    TaskAwaitingInput,
    TaskDeferred,
)
from gnomon.model.hitl import HITLRequest, HITLRespondent, HITLResponse
from gnomon.model.instants import to_instant
from gnomon.operators import ApprovalOperator, EmptyOperator, HITLBranchOperator, HITLEntryOperator, HITLOperator

Execute = Callable[..., Any]
AT = to_instant(dt.datetime(2024, 3, 4, tzinfo=dt.UTC))


def _answer(*options: str, **params: Any) -> dict[str, Any]:
    user = HITLRespondent("1", "ann")
    return make_hitl_event(
        HITLResponse(responded_at=AT, chosen_options=options, params_input=params, responded_by=user)
    )


def test_the_question_is_rendered_and_the_task_waits_without_a_trigger(dag: DAG, execute: Execute) -> None:
    told: list[str] = []

    class Tells(BaseNotifier):
        template_fields = ("text",)

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

        def notify(self, context: Any) -> None:
            told.append(self.text)

    task = HITLOperator(
        task_id="ask",
        subject="Deploy {{ ds }}?",
        body="by {{ run_id }}",
        options=["yes", "no"],
        defaults="no",
        params={"n": Param(type="integer"), "m": 2},
        response_timeout=dt.timedelta(minutes=1),
        notifiers=Tells("asked {{ task.subject }}"),
        assigned_users={"id": "1", "name": "ann"},
    )
    with pytest.raises(TaskAwaitingInput) as raised:
        execute(task)
    assert told == ["asked Deploy 2024-03-04?"]
    assert awaits_person(raised.value)
    wait = create_hitl_deferral(task, raised.value, "a")
    assert (wait.next_method, wait.due_in_s) == ("execute_complete", 60.0)
    assert wait.hitl == HITLRequest(
        subject="Deploy 2024-03-04?",
        body="by r",
        options=("yes", "no"),
        defaults=("no",),
        assigned_users=(HITLRespondent("1", "ann"),),
        params={
            "n": {"description": None, "schema": {"type": "integer"}},
            "m": {"value": 2, "description": None, "schema": {}},
        },
    )


def test_the_answer_is_what_the_task_returns(dag: DAG) -> None:
    task = HITLOperator(
        task_id="ask", subject="?", options=["a", "b"], multiple=True, params={"n": Param(type="integer")}
    )
    told = task.execute_complete({}, _answer("a", "b", n=3))
    assert (told["chosen_options"], told["params_input"], told["responded_by_user"]) == (
        ["a", "b"],
        {"n": 3},
        {"id": "1", "name": "ann"},
    )
    assert told["responded_at"] == dt.datetime(2024, 3, 4, tzinfo=dt.UTC)
    with pytest.raises(ValueError, match="not in"):
        task.execute_complete({}, _answer("c", n=3))
    with pytest.raises(ValueError, match="does not match params"):
        task.execute_complete({}, _answer("a", other=3))
    with pytest.raises(ParamValidationError):
        task.execute_complete({}, _answer("a", n="x"))


def test_no_answer_in_time_fails_the_task_unless_there_are_defaults(dag: DAG) -> None:
    task = HITLOperator(task_id="ask", subject="?", options=["a"])
    with pytest.raises(HITLTimeoutError):
        task.execute_complete({}, make_hitl_event(HITLResponse(responded_at=AT)))
    with pytest.raises(HITLTriggerEventError):
        task.execute_complete({}, {"error": "e", "error_type": "unknown"})
    taken = make_hitl_event(HITLResponse(responded_at=AT, chosen_options=("a",)))
    assert (taken["timedout"], taken["responded_by_user"]) == (True, None)


@pytest.mark.parametrize(("deep", "skipped"), [(False, ["near"]), (True, ["far", "near"])])
def test_a_rejection_skips_what_comes_after(
    dag: DAG, context_of: Callable[..., Any], deep: bool, skipped: list[str]
) -> None:
    task = ApprovalOperator(task_id="ok", subject="?", ignore_downstream_trigger_rules=deep)
    task >> EmptyOperator(task_id="near") >> EmptyOperator(task_id="far")
    assert task.execute_complete(context_of(task), _answer("Approve"))["chosen_options"] == ["Approve"]
    with pytest.raises(DownstreamTasksSkipped) as raised:
        task.execute_complete(context_of(task), _answer("Reject"))
    assert sorted(raised.value.task_ids) == skipped


def test_a_rejection_can_fail_the_task_and_needs_nothing_after_it(dag: DAG, context_of: Callable[..., Any]) -> None:
    alone = ApprovalOperator(task_id="alone", subject="?")
    assert alone.execute_complete({}, _answer("Reject"))["chosen_options"] == ["Reject"], (
        "nothing to skip needs no context"
    )
    assert alone.execute_complete(context_of(alone), _answer("Reject"))["chosen_options"] == ["Reject"]
    strict = ApprovalOperator(task_id="strict", subject="?", fail_on_reject=True)
    with pytest.raises(HITLRejectException):
        strict.execute_complete(context_of(strict), _answer("Reject"))


def test_a_branch_follows_the_tasks_of_the_chosen_options(dag: DAG, context_of: Callable[..., Any]) -> None:
    task = HITLBranchOperator(task_id="way", subject="?", options=["west", "right"], options_mapping={"west": "left"})
    task >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]
    with pytest.raises(DownstreamTasksSkipped) as raised:
        task.execute_complete(context_of(task), _answer("west"))
    assert raised.value.task_ids == ["right"]


def test_an_entry_has_the_option_ok_unless_others_are_given(dag: DAG) -> None:
    entry = HITLEntryOperator(task_id="one", subject="?", params={"n": 1})
    assert (entry.options, entry.defaults) == (["OK"], ["OK"])
    other = HITLEntryOperator(task_id="two", subject="?", options=["Send"])
    assert (other.options, other.defaults) == (["Send"], None)


@pytest.mark.parametrize(
    ("cls", "change", "words"),
    [
        (HITLOperator, {"options": []}, '"options" cannot be empty'),
        (HITLOperator, {"options": ["a"], "params": {"_options": 1}}, '"_options" is not allowed in params'),
        (HITLOperator, {"options": ["a"], "defaults": "b"}, "should be a subset of options"),
        (HITLOperator, {"options": ["a", "b"], "defaults": ["a", "b"]}, "More than one defaults"),
        (ApprovalOperator, {"options": ["a"]}, "Passing options to ApprovalOperator is not allowed"),
        (HITLBranchOperator, {"options": ["a"], "options_mapping": {"b": "x"}}, "not in `options`: \\['b'\\]"),
        (HITLBranchOperator, {"options": ["a"], "options_mapping": {"a": 1}}, "must be strings"),
    ],
)
def test_questions_that_cannot_be_answered_are_refused(dag: DAG, cls: Any, change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        cls(**{"task_id": "t", "subject": "?", **change})


def test_the_params_of_a_question_are_those_of_its_task(dag: DAG) -> None:
    task = HITLEntryOperator(task_id="t", subject="?", params={"n": Param(5, type="integer")})
    assert task.serialized_params == {
        "n": {"value": 5, "description": None, "schema": {"type": "integer"}, "source": "task"}
    }


def test_execution_timeout_alone_limits_the_wait_and_says_so(dag: DAG) -> None:
    with pytest.warns(AirflowProviderDeprecationWarning, match="Use `response_timeout` instead"):
        task = HITLOperator(task_id="t", subject="?", options=["a"], execution_timeout=dt.timedelta(hours=1))
    assert (task.execution_timeout, task.response_timeout) == (None, dt.timedelta(hours=1))


def test_a_deferral_to_a_hitl_trigger_is_the_same_wait(dag: DAG) -> None:
    task = HITLOperator(task_id="t", subject="?", options=["a"])
    until = dt.datetime(2024, 3, 5, tzinfo=dt.UTC)
    trigger = HITLTrigger(ti_id="x", options=["a", "b"], params={"n": 1}, defaults=["a"], timeout_datetime=until)
    deferred = TaskDeferred(trigger=trigger, method_name="execute_complete")
    assert awaits_person(deferred)
    wait = create_hitl_deferral(task, deferred, "x")
    assert wait.due_at == to_instant(until)
    assert wait.hitl is not None
    assert (wait.hitl.subject, wait.hitl.options, wait.hitl.defaults) == ("Task t asks", ("a", "b"), ("a",))
    upsert_hitl_detail("x", ["a"], "Really?")
    asked = create_hitl_deferral(task, deferred, "x").hitl
    assert asked is not None and asked.subject == "Really?"


def test_a_wait_without_a_question_is_refused(dag: DAG) -> None:
    task = HITLOperator(task_id="t", subject="?", options=["a"])
    with pytest.raises(DeferralRefused, match="asked no question: call upsert_hitl_detail"):
        create_hitl_deferral(task, TaskAwaitingInput(method_name="execute_complete"), "nothing")
    upsert_hitl_detail("y", ["a"], "?")
    with pytest.raises(DeferralRefused, match="which HITLOperator does not have"):
        create_hitl_deferral(task, TaskAwaitingInput(method_name="gone"), "y")


def test_the_link_to_the_question_names_the_task_and_the_options(dag: DAG, context_of: Callable[..., Any]) -> None:
    task = HITLOperator(task_id="t", subject="?", options=["a"], params={"n": 1})
    ti = context_of(task)["ti"]
    link = task.generate_link_to_ui(
        task_instance=ti, base_url="https://g.example:8080", options="a", params_input={"n": 2}
    )
    assert (
        link
        == "https://g.example:8080/dags/made_here/runs/r/tasks/t/required_actions?_options=%5B%27a%27%5D&n=2&map_index=-1"
    )
    with pytest.raises(ValueError, match=r"\[api\] base_url"):
        task.generate_link_to_ui(task_instance=ti)
    with pytest.raises(ValueError, match="not valid options"):
        task.generate_link_to_ui(task_instance=ti, base_url="x", options="b")
