"""Questions of tasks to people over HTTP."""

from __future__ import annotations

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest, HITLRespondent
from gnomon.testing import Play

QUESTION = HITLRequest(
    subject="Deploy?",
    body="It is Friday",
    options=("yes", "no"),
    params={"n": {"value": 3, "schema": {"type": "integer", "minimum": 1}}, "text": {"schema": {"type": "string"}}},
)
RUN = "/dags/a/dagRuns/r"
ASK = f"{RUN}/taskInstances/ask/-1/hitlDetails"


def _fill(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", {"ask": (), "closed": ()}))
    deployment.plays["ask"] = _play(QUESTION)
    deployment.plays["closed"] = _play(
        HITLRequest(subject="Seen?", options=("OK",), assigned_users=(HITLRespondent("1", "ann"),))
    )
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move()
    deployment.plays.clear()


@pytest.fixture
def asked(api: Client, deployment: Deployment) -> Client:
    """Task `ask` of run `r` waits for a person; `closed` may be answered by ann only."""
    _fill(api, deployment)
    return api


@pytest.fixture(scope="module")
def asked_to_read(read_api: Client, read_deployment: Deployment) -> Client:
    """The same for the tests that change nothing."""
    _fill(read_api, read_deployment)
    return read_api


def _play(question: HITLRequest) -> Play:
    return Play(
        outcome="awaiting_input",
        wait=Deferral(classpath="TaskAwaitingInput", next_method="execute_complete", hitl=question),
    )


def test_a_question_is_shown_with_its_task_instance(asked_to_read: Client) -> None:
    found = asked_to_read.get(ASK)
    assert found["task_instance"]["task_id"] == "ask"
    assert {
        name: found[name]
        for name in (
            "subject",
            "body",
            "options",
            "multiple",
            "defaults",
            "response_received",
            "responded_at",
            "chosen_options",
        )
    } == {
        "subject": "Deploy?",
        "body": "It is Friday",
        "options": ["yes", "no"],
        "multiple": False,
        "defaults": None,
        "response_received": False,
        "responded_at": None,
        "chosen_options": None,
    }
    assert asked_to_read.get(f"{RUN}/taskInstances/closed/-1/hitlDetails")["assigned_users"] == [
        {"id": "1", "name": "ann"}
    ]
    assert asked_to_read.get(f"{ASK}/tries/1")["task_instance"]["try_number"] == 1
    asked_to_read.fails(404, f"{ASK}/tries/2")
    asked_to_read.fails(404, f"{RUN}/taskInstances/ask/3/hitlDetails")
    asked_to_read.fails(404, f"{RUN}/taskInstances/nothing/-1/hitlDetails")


def test_an_answer_lets_the_task_go_on(asked: Client, deployment: Deployment) -> None:
    given = asked.send("PATCH", ASK, {"chosen_options": ["yes"], "params_input": {"text": "x"}})
    assert (given["responded_by"], given["chosen_options"], given["params_input"]) == (
        {"id": "anonymous", "name": "anonymous"},
        ["yes"],
        {"n": 3, "text": "x"},
    )
    deployment.move()
    shown = asked.get(ASK)
    assert (shown["response_received"], shown["responded_by_user"]["name"], shown["task_instance"]["state"]) == (
        True,
        "anonymous",
        "success",
    )
    asked.fails(409, ASK, "PATCH", {"chosen_options": ["yes"], "params_input": {"text": "x"}})


@pytest.mark.parametrize(
    ("task", "body", "status", "sentence"),
    [
        ("ask", {"chosen_options": ["maybe"], "params_input": {"text": "x"}}, 400, "no option 'maybe'"),
        ("ask", {"chosen_options": ["yes", "no"], "params_input": {"text": "x"}}, 400, "choose only one"),
        ("ask", {"chosen_options": ["yes"]}, 400, "no value was given"),
        ("ask", {"chosen_options": []}, 422, "chosen_options"),
        ("ask", {"chosen_options": ["yes"], "params_input": {"other": 1}}, 400, "no param 'other'"),
        ("closed", {"chosen_options": ["OK"]}, 403, "ann"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(
    asked_to_read: Client, task: str, body: object, status: int, sentence: str
) -> None:
    assert sentence in str(asked_to_read.fails(status, f"{RUN}/taskInstances/{task}/-1/hitlDetails", "PATCH", body))
    assert asked_to_read.get(f"{RUN}/hitlDetails?response_received=true")["total_entries"] == 0


@pytest.mark.parametrize(
    ("query", "tasks"),
    [
        ("", ["ask", "closed"]),
        ("task_id=ask", ["ask"]),
        ("subject_search=DEPLOY", ["ask"]),
        ("body_search=friday", ["ask"]),
        ("task_id_pattern=LOS", ["closed"]),
        ("order_by=-subject", ["closed", "ask"]),
        ("limit=1&offset=1", ["closed"]),
        ("dag_id_pattern=b", []),
        ("response_received=false", ["ask", "closed"]),
        ("state=success", []),
        ("created_at_gt=2030-01-01T00:00:00Z", []),
        ("map_index=-1", ["ask", "closed"]),
        ("responded_by_user_name=ann", []),
        ("order_by=responded_by_user_id", ["ask", "closed"]),
        ("dag_id_prefix_pattern=a", ["ask", "closed"]),
    ],
)
def test_questions_of_runs_are_listed(asked_to_read: Client, query: str, tasks: list[str]) -> None:
    for path in (RUN, "/dags/a/dagRuns/~", "/dags/~/dagRuns/~"):
        found = asked_to_read.get(f"{path}/hitlDetails?{query}")
        assert [one["task_instance"]["task_id"] for one in found["hitl_details"]] == tasks, path


def test_those_who_answered_are_found(asked: Client) -> None:
    asked.send("PATCH", ASK, {"chosen_options": ["no"], "params_input": {"text": "x"}})
    assert (
        asked.get("/dags/~/dagRuns/~/hitlDetails?responded_by_user_id=anonymous&response_received=true")[
            "total_entries"
        ]
        == 1
    )
    asked.fails(404, "/dags/none/dagRuns/~/hitlDetails")
    asked.fails(400, f"{RUN}/hitlDetails?order_by=colour")
