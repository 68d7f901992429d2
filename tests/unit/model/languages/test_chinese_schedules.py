"""Descriptions of schedules have no English word in Chinese: those of any cron expression and of any built-in timetable, as sentences and as stored texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest
from tests.unit.rules.timetables.anything import anything
from tests.unit.rules.timetables.expressions import random_expression

from gnomon.ground.config.language_files import find_language
from gnomon.model.languages.language import Language
from gnomon.model.languages.translation import render_in, translate
from gnomon.model.sentences import Sentence, render
from gnomon.rules.timetables.cron.cron_fields import EXPANSIONS
from gnomon.rules.timetables.cron.cron_words import describe_cron
from gnomon.rules.timetables.registry import reference
from gnomon.rules.timetables.stored_words import describe_timetable, summarize_timetable

EXPRESSIONS = 1_000
TIMETABLES = 600
ZONE = re.compile(r"（[\w/+-]+）")
CRON = r"[\d*]\S*(?: [^ ]+){4,5}"
NO_WORDS = re.compile(rf"@\w+|{CRON}(?:, {CRON})*|relativedelta\(.*\)|\d+ days?, [\d:]+")
"""Summaries that are code: presets, cron expressions and spans."""


@pytest.fixture(scope="module")
def chinese() -> Language:
    language = find_language("zh")
    assert language is not None
    return language


def find_english(text: str) -> list[str]:
    return re.findall(r"[A-Za-z]{2,}", ZONE.sub("", text))


def list_expressions() -> Iterator[str]:
    yield from EXPANSIONS
    for seed in range(EXPRESSIONS):
        yield random_expression(Random(seed)).text


def test_any_cron_expression_is_described_in_chinese(chinese: Language) -> None:
    described = {text: words for text in list_expressions() if (words := describe_cron(text))}
    assert len(described) > EXPRESSIONS / 2
    wrong = {
        text: (words, translate(words, chinese))
        for text, words in described.items()
        if find_english(translate(words, chinese))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("expression", "chinese_words"),
    [
        ("0 4,5,12 * * *", "04:00、05:00、12:00"),
        ("30 2 */3 * *", "02:30，每 3 天"),
        ("0 0,6-18/2 * * *", "00:00、每 2 小时（06:00至18:59）"),
        ("15,45 9-17 * * 1-5", "每小时第 15、45 分，09:00 至 17:59，星期一至星期五"),
        ("0 6 12-24/2 3 *", "06:00，每 2 天，每月 12 至 24 日，仅三月"),
        ("0 0 1,15 1,7 *", "00:00，每月 1、15 日，仅一月、七月"),
        ("0 6 1 * 1", "06:00，每月 1 日 或 06:00，仅星期一"),
        ("5/9 * * * *", "每 9 分钟，从每小时第 5 分开始"),
    ],
)
def test_lists_and_ranges_of_a_cron_expression_are_told_apart(
    chinese: Language, expression: str, chinese_words: str
) -> None:
    assert translate(describe_cron(expression), chinese) == chinese_words


@pytest.mark.parametrize("text", ["at noon", "At 5 o'clock", "every 3 cats", "only on holidays", "1 through", "at "])
def test_words_of_an_author_that_look_like_a_schedule_stay(chinese: Language, text: str) -> None:
    assert translate(text, chinese) == text


def list_words(seed: int) -> Iterator[Sentence]:
    ref = reference(anything(seed))
    if ref.builtin:
        yield from filter(None, (summarize_timetable(ref), describe_timetable(ref)))


def test_any_built_in_timetable_is_described_in_chinese(chinese: Language) -> None:
    """But unions of calendars, whose label is a formula, and lists with a cron expression that has no words."""
    wrong = {}
    for seed in range(TIMETABLES):
        for sentence in list_words(seed):
            english = render(sentence)
            if " | " in english or "*" in english or NO_WORDS.fullmatch(english):
                continue
            for words in (render_in(sentence, chinese), translate(english, chinese)):
                plain = re.sub(r"[A-Z]\w+/[\w/+-]+", "", words)
                if find_english(plain):
                    wrong[english] = words
    assert wrong == {}
