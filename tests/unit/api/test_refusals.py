"""The body of a refusal: its sentence for people, and the code, the arguments and the spans of it for programs."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from tests.unit.api.refusal_bodies import build_hidden_dag

from gnomon.api.common.errors import answer_exception
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Command, RunName, quote, say
from gnomon.queries.report.listings.not_found import dag_not_found


def refuse(error: Exception) -> tuple[int, dict[str, Any]]:
    answer = asyncio.run(answer_exception(Request({"type": "http", "state": {}}), error))
    return answer.status_code, json.loads(bytes(answer.body))


def named(span: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in span.items() if value is not None}


def test_a_refusal_has_its_sentence_as_data() -> None:
    run = RunName("a", "r'1")
    status, body = refuse(UserError(say("run_waits_for_no_dag", run=run, dag="a", command=Command("explain"))))
    assert status == 400
    assert body["detail"] == "run \"r'1\" of DAG 'a' waits for no other DAG; `gnomon explain` says what it waits for"
    assert body["code"] == "run_waits_for_no_dag"
    command = {"verb": "explain", "names": [], "options": []}
    assert body["arguments"] == {"run": {"dag_id": "a", "run_id": "r'1"}, "dag": "a", "command": command}
    assert "".join(span["text"] for span in body["spans"]) == body["detail"]
    assert [named(span) for span in body["spans"] if span["kind"] != "text"] == [
        {"kind": "run", "text": "r'1", "dag_id": "a", "run_id": "r'1"},
        {"kind": "dag", "text": "a", "dag_id": "a"},
        {"kind": "command", "text": "gnomon explain", "command": command},
    ]


def test_a_text_of_another_library_has_the_code_of_a_text() -> None:
    _, body = refuse(UserError(quote("port must be a number")))
    assert (body["detail"], body["code"], body["arguments"]) == (
        "port must be a number",
        "text",
        {"text": "port must be a number"},
    )


def test_a_refusal_that_is_given_as_text_has_the_code_of_a_text() -> None:
    status, body = refuse(UserError("no"))
    assert (status, body["detail"], body["code"], body["arguments"]) == (400, "no", "text", {"text": "no"})


def test_names_that_the_user_may_not_see_are_in_no_field() -> None:
    """The user of this request sees no DAG, so that the sentence with the near name is not told as data either."""
    assert refuse(dag_not_found("secre", ["secret"])) == (404, build_hidden_dag("secre"))


def test_what_utf8_cannot_hold_is_escaped_in_all_fields() -> None:
    _, body = refuse(UserError(say("log_file_does_not_exist", file="\ud800")))
    assert body["arguments"] == {"file": "\\ud800"}
    assert "".join(span["text"] for span in body["spans"]) == body["detail"].replace("\\\\", "\\")


def test_a_method_that_an_address_does_not_take_is_named_with_those_that_it_takes() -> None:
    request = Request({"type": "http", "state": {}, "method": "DELETE", "path": "/api/v2/version", "headers": []})
    answer = asyncio.run(answer_exception(request, HTTPException(405, headers={"Allow": "GET"})))
    body = json.loads(bytes(answer.body))
    assert (answer.status_code, answer.headers["allow"], body["code"]) == (405, "GET", "method_is_not_possible")
    assert body["detail"] == "DELETE is not possible at /api/v2/version, which takes GET"
