"""The header `Gnomon-Language`: sentences in the language of the reader, the same codes and arguments, and English without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of


@pytest.fixture
def paused(api: Client, deployment: Deployment) -> Client:
    deployment.add(spec_of("a", timetable=HOURLY), paused=True)
    return api


def ask(api: Client, language: str) -> Any:
    reply = api.request("GET", "/api/gnomon/v1/dags/a/explain", headers={"Gnomon-Language": language})
    return reply.json()["coded"][0]


def test_a_sentence_is_chinese_with_the_same_code_and_links(paused: Client) -> None:
    english, chinese = ask(paused, "en"), ask(paused, "zh")
    assert chinese["text"] == "DAG a 已暂停；取消暂停：gnomon dags unpause a"
    assert "".join(span["text"] for span in chinese["spans"]) == chinese["text"]
    assert [chinese[name] for name in ("code", "arguments")] == [english[name] for name in ("code", "arguments")]
    links = [[span for span in said["spans"] if span["kind"] != "text"] for said in (english, chinese)]
    assert links[0] == links[1] != []


def test_a_refusal_is_chinese(paused: Client) -> None:
    reply = paused.request("GET", "/api/v2/dags/b", headers={"Gnomon-Language": "zh"}).json()
    assert reply["detail"].startswith("DAG 'b' 不存在；") and reply["code"] == "not_found"


@pytest.mark.parametrize("language", ["", "en", "xx", "../zh", "zh-CN", "Z" * 500])
def test_without_a_language_that_there_is_all_is_english(paused: Client, language: str) -> None:
    assert ask(paused, language)["text"].startswith("DAG a is paused")


def test_the_languages_of_other_clients_change_nothing(paused: Client) -> None:
    reply = paused.request("GET", "/api/v2/dags/b", headers={"Accept-Language": "zh"}).json()
    assert reply["detail"].startswith("there is no DAG 'b'")


def test_stored_texts_and_notes_have_spans_under_the_text_that_the_answer_has(paused: Client) -> None:
    paused.headers["Gnomon-Language"] = "zh"
    coming = paused.own("/dags/a/nextRuns?limit=2")
    assert all(note in coming["spans"] or "gnomon" not in note for note in coming["notes"])
    assert any("DAG a 已暂停" in text for text in [*coming["notes"], coming["blocked"] or ""])


def test_texts_of_the_page_in_another_language_are_those_of_its_file(
    paused: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "eo.json").write_text(json.dumps({"name": "Esperanto", "page": {"Home": "Hejmo"}}))
    monkeypatch.setenv("GNOMON_LANGUAGES", str(tmp_path))
    assert paused.request("GET", "/page-languages/eo").json() == {"Home": "Hejmo"}
    for name in ("xx", "x" * 300, "..%2Fzh"):
        assert paused.request("GET", f"/page-languages/{name}").status == 404
