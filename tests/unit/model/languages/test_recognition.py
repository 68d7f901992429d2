"""A text of the catalogue is recognised: what was found has the same English text, and, where it has words of ours, the same code."""

from __future__ import annotations

import pytest
from tests.unit.model.languages.sample_sentences import list_samples

from gnomon.model.languages.recognition import recognize
from gnomon.model.sentences import render, say
from gnomon.model.sentences.catalogue import WORDS
from gnomon.model.sentences.templates import find_template

LETTERS_MIN = 12
AMBIGUOUS = {
    "asset_with_uri",
    "dag_does_not_exist",
    "file_of_option_cannot_be_read",
    "length_of_value_of_task_without_status",
    "option_is_meant",
    "run_failure",
    "run_is_unfinished_explain",
    "event_is_refused",
}
"""Their English words with these arguments are those of another code too, which says the same."""


def test_what_is_recognised_has_the_same_text() -> None:
    for sentence in list_samples(say("this_dag_is_paused")):
        text = render(sentence)
        found = recognize(text)
        assert found is None or render(found) == text


def test_a_sentence_with_words_is_recognised_by_its_code() -> None:
    wrong = []
    for sentence in list_samples(say("this_dag_is_paused")):
        parts = find_template(sentence.code).parts
        letters = sum(character.isalpha() for part in parts for character in part.literal)
        begins_with_clause = parts[0].literal.startswith((" ", ",", ";", ":"))
        if letters >= LETTERS_MIN and not begins_with_clause:
            found = recognize(render(sentence))
            wrong += [sentence.code] if found is None or found.code != sentence.code else []
    assert set(wrong) - AMBIGUOUS == set()
    assert len(wrong) < len(WORDS) / 50


@pytest.mark.parametrize(
    "text", ["", "x", "hello: world", "ValueError: it is not there", "{dag} {0}", "a" * 5_000, ": ", "task"]
)
def test_a_text_of_somebody_else_is_not_recognised(text: str) -> None:
    assert recognize(text) is None


def test_clauses_behind_one_another_are_told_apart() -> None:
    text = "it ended in state failed in try 2 at 2026-03-01T09:00:00.000000+00:00: ValueError: no: such thing"
    found = recognize(text)
    assert found is not None and found.code == "task_ended"
    arguments = dict(found.arguments)
    assert [getattr(arguments[name], "code", None) for name in ("tries", "end", "stored")] == [
        "in_try",
        "at_instant",
        "because",
    ]


def test_a_hostile_text_takes_no_long_time() -> None:
    assert recognize("DAG 'a' has " + "more than in is at to of: ; " * 60) is None
