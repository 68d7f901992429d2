"""Each code has Chinese words with the same arguments, and no English ones; arguments that are phrases are Chinese too."""

from __future__ import annotations

import re

import pytest
from tests.unit.model.languages.sample_sentences import list_samples

from gnomon.ground.config.language_files import find_language
from gnomon.ground.config.options import OPTIONS
from gnomon.model.languages.language import Language
from gnomon.model.languages.translation import list_spans_in, render_in, translate
from gnomon.model.sentences import ArgumentKind, render, say
from gnomon.model.sentences.catalogue import TERMS, WORDS
from gnomon.model.sentences.templates import find_template, parse_words

KEPT = {
    *("DAG", "ID", "API", "Pod", "IANA", "JSON", "URI", "URL", "XCom", "Gnomon", "Airflow", "Python", "Git", "fork"),
    *("json", "yaml", "yml", "env", "gitmodules", "F"),
    *("setup", "teardown", "provider", "fernet", "base64", "outlet", "cron", "extra", "iss", "slots", "PATH"),
}
"""Words that Chinese texts of the field keep, also where the English sentence has another one."""
IN_CHINESE = re.compile(
    r"[\u4e00-\u9fff][,;!?]|[,;!?][\u4e00-\u9fff]|[\u4e00-\u9fff]:|\([\u4e00-\u9fff]|[\u4e00-\u9fff]\)"
)


def _chinese() -> Language:
    language = find_language("zh")
    assert language is not None
    return language


def _list_words(code: str) -> list[str]:
    words = _chinese().sentences[code]
    return [words] if isinstance(words, str) else words


def _find_names(words: str) -> set[str | None]:
    return {part.name for part in parse_words(words)} - {None}


def test_each_code_has_chinese_words_and_no_other() -> None:
    assert set(_chinese().sentences) == set(WORDS)
    assert set(TERMS) <= set(_chinese().terms)


def test_each_option_is_described_in_chinese_and_no_text_is_left_without_use() -> None:
    described = {option.description for option in OPTIONS}
    assert set(_chinese().texts) == described


def test_both_languages_name_the_same_arguments() -> None:
    for code in WORDS:
        template = find_template(code)
        named = {part.name for part in template.parts + template.singular} - {None}
        assert set().union(*map(_find_names, _list_words(code))) == named, code


def test_no_english_word_is_left_but_those_that_are_the_same_in_both_languages() -> None:
    """Names of options, commands and programs, and what is written in code."""
    left = {}
    for code in WORDS:
        english = set(re.findall(r"[\w.]+", " ".join(map(str, (WORDS[code],)))))
        for words in _list_words(code):
            plain = re.sub(r"`[^`]*`|\{[^{}]*\}|'[^']*'|\"[^\"]*\"|[\w./:-]*[/:_=@][\w./:-]*", " ", words)
            foreign = set(re.findall(r"[A-Za-z][\w.]*", plain)) - english - KEPT
            sentence = re.search(r"(?<![\w-])(?!gnomon|pip|python)[a-z]{2,} (?!backfill)[a-z]{2,} [a-z]{2,}", plain)
            if foreign or sentence:
                left[code] = (foreign, sentence and sentence[0])
    assert left == {}


def test_punctuation_beside_chinese_characters_is_full_width() -> None:
    assert [code for code in WORDS for words in _list_words(code) if IN_CHINESE.search(words)] == []


def test_a_sentence_of_each_code_with_phrases_has_no_phrase_in_english() -> None:
    for sentence in list_samples(say("this_dag_is_paused")):
        text = render_in(sentence, _chinese())
        assert "paused" not in re.sub(r"`?gnomon dags unpause D9`?|unpaused|\bpaused\b(?=、)|is_paused", "", text), text
        assert "failed" not in text.replace("failed_", "").replace("_failed", ""), text


def test_the_spans_make_up_the_text_and_name_the_same_things() -> None:
    for sentence in list_samples():
        spans = list_spans_in(sentence, _chinese())
        assert "".join(span.text for span in spans) == render_in(sentence, _chinese())
        kinds = {span.kind for span in spans if span.value is not None}
        assert kinds <= set(ArgumentKind)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("DAG a is paused; unpause it with: gnomon dags unpause a", "DAG a 已暂停；取消暂停：gnomon dags unpause a"),
        ("its run is queued: the DAG is paused", "它的运行在排队：DAG 已暂停"),
        ("At 04:00", "04:00"),
        ("At 04:00, 05:00 and 12:00", "04:00、05:00、12:00"),
        ("backfill 3 was cancelled by ann", "补数据 3 已被 ann 取消"),
        ("lost: worker w1 on h1 stopped answering", "失联：h1 上的工作进程 w1 不再响应"),
        ("killed by signal 9 (SIGKILL), probably out of memory", "被信号 9（SIGKILL）终止，可能是内存不足"),
        ("t0 (before: success), t1[0] (before: no state)", "t0（此前：成功）、t1[0]（此前：无状态）"),
        ("00:00 on the first business day of each quarter of weekdays", "周一至周五 的每季度第一个工作日 00:00"),
        ("Every 15 minutes from 09:00 to 17:00 (Europe/Zurich)", "每 15 分钟，从 09:00 到 17:00（Europe/Zurich）"),
        ("weekly on Mon, Fri at 09:00", "每周一、五 09:00"),
        ("a waits for b, the last of them, at most 1 h 30 min: the scheduler is looking up which of its slots to wait for",
         "a 等待 b，其中最后一个、最多 1 小时 30 分钟：调度器正在确定要等待它的哪些周期"),
        ("trigger rule all_done cannot be met: 2 succeeded, 1 failed", "触发规则 all_done 无法满足：2 个成功、1 个失败"),
        ("task a failed: OSError: away", "任务 a 失败：OSError: away"),
        # Stored before durations had units.
        ("execution_timeout: the try took longer than 600 s, its wait included",
         "execution_timeout：该次尝试超过 10 分钟，包括等待时间"),
        ("task a failed: dagrun_timeout: the run took longer than 1e+06 s", "任务 a 失败：dagrun_timeout：运行超过 11 天 13 小时"),
        ('the task says "took 600 s"', "任务说“took 600 s”"),
        ("OSError: away for 600 s", "OSError: away for 600 s"),
        ("dags/a.py: it is an error of somebody", "dags/a.py: it is an error of somebody"),
    ],
)  # fmt: skip
def test_texts_are_put_into_chinese(english: str, chinese: str) -> None:
    assert translate(english, _chinese()) == chinese


def test_a_language_without_words_is_english() -> None:
    empty = Language("xx", "X")
    for sentence in list_samples():
        assert render_in(sentence, empty) == render(sentence)
