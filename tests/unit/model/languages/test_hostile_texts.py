"""An author's text costs a bounded number of calls and no deep stack, however much it looks like sentences of the catalogue."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from tests.unit.model.languages.sample_sentences import list_samples

from gnomon.ground.config.language_files import find_language
from gnomon.model.languages.language import Language
from gnomon.model.languages.recognition import TEXT_MAX
from gnomon.model.languages.translation import translate
from gnomon.model.sentences import render, say

CALLS_MAX = 200_000
"""Calls of functions for one text. Without the bounds most of these texts need millions."""
REPEATED = {
    "commas": "a, ",
    "terms": "failed, ",
    "colons": "a: ",
    "errors": "ValueError: no: ",
    "semicolons": "a; b: c; ",
    "ands": "a and ",
    "conditions": "a AND b OR ",
    "quotes": "it's \"x\" '",
    "open quotes": "DAG '",
    "brackets": "(a, (b, (c: ",
    "middle dots": "a · b: c, d · ",
    "lines": "a: b, c\n",
    "numbers": "1, 2: 3 ",
    "failures": "task a failed: ",
    "ends": "it ended in state failed in try 2: ValueError: ",
    "waits": "it waits for a, b and c; ",
    "words": "more than in is at to of: ; ",
    "clauses": "this DAG is paused, ",
    "reasons": "this DAG is paused: ",
    "crons": "1 (or) 2, at ",
    "spaces": " ",
}
LENGTHS = (160, 300, TEXT_MAX, 1_990)


@pytest.fixture(scope="module")
def chinese() -> Language:
    language = find_language("zh")
    assert language is not None
    for text in ("task a failed: OSError: away, and more", *mix_sentences(1)):  # compiles patterns
        translate(text, language)
    return language


def count_calls(act: Callable[[], object]) -> int:
    """The Python functions that are called and the generators that are resumed."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("repeated", REPEATED.values(), ids=REPEATED)
def test_a_text_that_repeats_itself_costs_a_bounded_number_of_calls(
    chinese: Language, repeated: str, length: int
) -> None:
    text = (repeated * length)[:length]
    assert count_calls(partial(translate, text, chinese)) < CALLS_MAX


def mix_sentences(seed: int) -> Iterator[str]:
    """Texts of pieces of sentences of the catalogue."""
    draw = random.Random(seed)
    known = [text for text in map(render, list_samples(say("this_dag_is_paused"))) if len(text) > 3]
    for _ in range(40):
        separator = draw.choice((", ", "; ", ": ", " and ", " AND ", " · ", "\n", " ", ""))
        beginning = draw.choice(known)
        text = ""
        while len(text) < TEXT_MAX:
            sentence = draw.choice(known)
            piece = draw.choice(
                (sentence, sentence[: draw.randint(3, len(sentence))], beginning[: len(beginning) // 2])
            )
            text += piece + separator
        yield text[: draw.choice(LENGTHS)]


def test_pieces_of_sentences_cost_a_bounded_number_of_calls(chinese: Language) -> None:
    for text in mix_sentences(5):
        assert count_calls(partial(translate, text, chinese)) < CALLS_MAX, text


def test_sentences_inside_of_one_another_need_no_deep_stack(chinese: Language) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(_count_frames() + 500)
    try:
        for beginning in ("task a failed: ", "DAG a is paused: ", "at (", "it and (", "a; and "):
            assert translate(beginning * (TEXT_MAX // len(beginning)), chinese)
    finally:
        sys.setrecursionlimit(limit)


def _count_frames() -> int:
    frame, count = sys._getframe(), 0
    while frame.f_back is not None:
        frame, count = frame.f_back, count + 1
    return count


def test_a_text_that_is_too_long_for_a_sentence_is_left_as_it_is(chinese: Language) -> None:
    text = "task a failed: OSError: " + "x" * TEXT_MAX
    assert translate(text, chinese) == text
    assert translate(text[:TEXT_MAX], chinese).startswith("任务 a 失败：OSError: x")


@pytest.mark.parametrize(
    "message",
    [
        "OSError: a, b and c; the first one is in pool a",
        "HTTPError: 503 for url: https://a.b/c, tried 3 times; the last response was: reset, and the host is in pool a",
    ],
)
def test_the_words_of_an_author_inside_of_a_sentence_stay(chinese: Language, message: str) -> None:
    assert translate(f"task a failed: {message}", chinese) == f"任务 a 失败：{message}"
