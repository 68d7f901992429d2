"""`gnomon tasks waiting` and `gnomon tasks answer`."""

from __future__ import annotations

import json

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest, HITLRespondent
from gnomon.storage.store.dag_records import hitl_details
from gnomon.storage.store.ownership import commit
from gnomon.testing import Play

QUESTION = HITLRequest(
    subject="Deploy?",
    options=("yes", "no"),
    params={"n": {"value": 3, "schema": {"type": "integer", "minimum": 1}}, "text": {"schema": {"type": "string"}}},
)


@pytest.fixture
def asked(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """Task `ask` of run `r` waits for a person; `closed` may be answered by ann only, and has one option."""
    deployment.add(spec_of("a", {"ask": (), "closed": (), "after": ("ask",)}))
    deployment.plays["ask"] = _play(QUESTION)
    deployment.plays["closed"] = _play(
        HITLRequest(subject="Seen?", options=("OK",), assigned_users=(HITLRespondent("1", "ann"),))
    )
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move()
    deployment.plays.clear()
    return deployment


def _play(question: HITLRequest) -> Play:
    return Play(
        outcome="awaiting_input",
        wait=Deferral(classpath="TaskAwaitingInput", next_method="execute_complete", hitl=question),
    )


def test_waiting_lists_open_questions(gnomon: Gnomon, asked: Deployment) -> None:
    first, second = json.loads(gnomon("tasks", "waiting", "-o", "json").out)
    assert (first["task_id"], first["subject"], first["options"], first["multiple"], first["due"]) == (
        "ask",
        "Deploy?",
        ["yes", "no"],
        False,
        None,
    )
    assert (second["task_id"], second["assigned_users"]) == ("closed", ["ann"])
    assert "Deploy?" in gnomon("tasks", "waiting", "a").out
    assert gnomon("tasks", "waiting", "nope").code != 0


def test_an_answer_lets_the_task_go_on_and_closes_the_question(gnomon: Gnomon, asked: Deployment) -> None:
    ended = gnomon("tasks", "answer", "a", "r", "ask", "--option", "yes", "--params", '{"text": "x"}', "--user", "ben")
    assert (ended.code, ended.out) == (0, "task ask was answered with yes\n")
    gnomon("tasks", "answer", "a", "r", "closed", "--user", "ann")
    asked.move()
    assert gnomon("tasks", "waiting").out == "no task waits for an answer\n"
    with asked.db.read() as tx:
        (run_pk,) = {named.detail.run_pk for named in hitl_details.list_run_details(tx, 1)}
        ask, closed = hitl_details.list_run_details(tx, run_pk)
    assert ask.detail.response is not None and closed.detail.response is not None
    assert (ask.detail.response.chosen_options, ask.detail.response.params_input) == (("yes",), {"n": 3, "text": "x"})
    assert (ask.detail.response.responded_by, closed.detail.response.chosen_options) == (
        HITLRespondent("ben", "ben"),
        ("OK",),
    )
    states = {row["task_id"]: row["state"] for row in json.loads(gnomon("tasks", "states", "a", "r", "-o", "json").out)}
    assert states == {"ask": "success", "closed": "success", "after": "success"}


def test_the_options_keep_the_order_of_the_command_and_count_once(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", {"ask": ()}))
    deployment.plays["ask"] = _play(HITLRequest(subject="Which?", options=("x", "y", "z"), multiple=True))
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move()
    ended = gnomon("tasks", "answer", "a", "r", "ask", "--option", "z", "--option", "x", "--option", "z")
    assert (ended.code, ended.out) == (0, "task ask was answered with z, x\n")
    with deployment.db.read() as tx:
        (run_pk,) = {named.detail.run_pk for named in hitl_details.list_run_details(tx, 1)}
        (ask,) = hitl_details.list_run_details(tx, run_pk)
    assert ask.detail.response is not None and ask.detail.response.chosen_options == ("z", "x")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("ask",), "choose one of the options: 'yes', 'no'"),
        (("ask", "--option", "maybe", "--params", '{"text": "x"}'), "no option 'maybe'"),
        (("ask", "--option", "yes"), "Param 'text': no value was given"),
        (("ask", "--option", "yes", "--params", '{"text": "x", "n": 0}'), "Param 'n': 0 must be bigger"),
        (("ask", "--option", "yes", "--params", '{"other": 1}'), "no param 'other'; its params: n, text"),
        (("ask", "--option", "yes", "--params", "[1]"), "must be a JSON object"),
        (("ask", "--option", "yes", "--params", "{"), "not valid JSON"),
        (("closed", "--user", "ben"), "'ben' may not answer this question; it is assigned to ann"),
        (("after", "--option", "yes"), "task 'after' does not wait for an answer in run 'r'"),
        (("asc", "--option", "yes"), "no task 'asc' in DAG 'a'; did you mean 'ask'"),
        (("ask", "--map-index", "3", "--option", "yes"), "[3]' does not wait"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_with_the_remedy(
    gnomon: Gnomon, asked: Deployment, args: tuple[str, ...], words: str
) -> None:
    if args == ("ask",):
        args = ("ask", "--params", '{"text": "x"}')
    ended = gnomon("tasks", "answer", "a", "r", *args)
    assert ended.code != 0
    assert words in " ".join(ended.err.split())


def test_explain_names_the_command_that_answers(gnomon: Gnomon, asked: Deployment) -> None:
    assert "answer with: gnomon tasks answer a r ask --option yes" in gnomon("explain", "a", "r").out.replace("\n", " ")


@pytest.mark.parametrize("whole_dag", [False, True])
def test_deleting_a_run_or_its_dag_deletes_the_questions(asked: Deployment, whole_dag: bool) -> None:
    with asked.db.write() as tx:
        if whole_dag:
            commit.delete_dags(tx, [1])
        else:
            commit.delete_runs(tx, [1])
    with asked.db.read() as tx:
        assert hitl_details.list_open_details(tx) == []
        assert tx.one("hitl_details.of_run", run_pk=1) is None
