"""A sentence of each code is the same after it was stored; what another release stored is shown with its own words."""

from __future__ import annotations

import json

import msgspec
import pytest
from tests.unit.model.languages.sample_sentences import list_samples

from gnomon.model.alerts import AlertItem
from gnomon.model.sentences import StoredSentence, read_sentence, render, say, store_sentence
from gnomon.model.sentences.stored_sentences import DEPTH_MAX, pack_details, put_into_details

AT = 1_772_355_600_000_000
PHRASE = say("run_succeeded_after_failure", dag="d", run="r", more=None)


def test_a_sentence_of_each_code_is_read_as_it_was_stored() -> None:
    for sentence in (*list_samples(), *list_samples(PHRASE)):
        stored = msgspec.json.decode(msgspec.json.encode(store_sentence(sentence)), type=StoredSentence)
        assert read_sentence(stored) == sentence
        assert stored.text == render(sentence)


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("a_code_of_another_release", {}),
        ("no_run_has_failed", {"name": "x"}),
        ("named_dag", {}),
        ("alert_is_resolved", {"message": {"code": "a_code_of_another_release", "arguments": {}}}),
        ("alert_is_resolved", {"message": {"code": "named_dag"}}),
        ("run_of_dag_failed", {"dag": "d", "run": {"task": 3}, "why": None}),
        ("its_runs_have_failed", {"phrases": ["x"], "count": 1, "more": None}),
    ],
)
def test_a_code_that_the_catalogue_does_not_have_so_is_its_text(code: str, arguments: dict[str, object]) -> None:
    assert render(read_sentence(StoredSentence(code, arguments, "the words of then"))) == "the words of then"


def test_a_sentence_that_is_too_deep_is_its_text() -> None:
    sentence = say("no_run_has_failed")
    for _ in range(DEPTH_MAX):
        sentence = say("alert_is_resolved", message=sentence)
    assert read_sentence(store_sentence(sentence)).code == "text"


def test_an_alert_of_an_earlier_release_has_a_text() -> None:
    old = b'{"kind":"failure","rule":"r","at":1,"sentence":"DAG d: run r failed","explanation":["it failed"]}'
    item = msgspec.json.decode(old, type=AlertItem)
    assert (item.text, render(item.message)) == ("DAG d: run r failed", "DAG d: run r failed")
    assert [render(reason) for reason in item.reasons] == ["it failed"]


def test_only_the_fields_of_sentences_are_put_into_words() -> None:
    stored = store_sentence(say("no_run_has_failed"))
    details = json.loads(pack_details({"sentence": stored, "title": "a text", "conf": stored, "rule": "r"}))
    shown = put_into_details(details, lambda sentence: render(sentence).upper())
    assert (shown["sentence"], shown["title"], shown["rule"]) == ("NO RUN HAS FAILED", "A TEXT", "r")
    assert shown["conf"] == {"code": "no_run_has_failed", "arguments": {}, "text": "no run has failed"}
