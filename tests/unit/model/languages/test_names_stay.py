"""The names that authors and users give stay as they are in each language, also where a name is a word of ours: a task may be called `failed`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.unit.model.languages.sample_sentences import make_value

from gnomon.ground.config.language_files import find_language
from gnomon.model.languages.language import Language
from gnomon.model.languages.translation import render_in, translate
from gnomon.model.sentences import ArgumentKind, ArgumentValue, Command, RunName, Sentence, TaskName, render, say
from gnomon.model.sentences.catalogue import NAME_ARGUMENTS, TERMS, WORDS
from gnomon.model.sentences.templates import find_kind, find_template

PLAIN = "zqx9w"
"""A name that is no word."""
NAMED = (ArgumentKind.DAG, ArgumentKind.RUN, ArgumentKind.TASK, ArgumentKind.POOL, ArgumentKind.ASSET)
NAMES = tuple(
    word
    for word in dict.fromkeys((*TERMS, "fails", *(words for words in WORDS.values() if isinstance(words, str))))
    if word.isidentifier()
)
STATES = ("failed", "fails", "running", "success")
AMBIGUOUS = {
    *("asset_has_fault", "value_changed", "calendar_has_no_key", "value_of_option_is_wrong", "dag_may_start"),
    *("date_has_no_time_zone", "date_of_task_has_no_time_zone", "api_is_not_behind_address", "address_is_no_api"),
    *("deployment_failed", "task_of_run_failed", "task_fails_here", "remote_log_is_too_large"),
    *("remote_log_has_another_size", "option_of_oidc_is_wrong", "assumed_on_one_side"),
    *("run_is_unfinished_explain", "alert_of_rule", "file_has_error"),
}
"""Codes whose words around the name say too little: `NAME (failed): ...`, `NAME failed`."""


def _value(argument: str, name: str) -> ArgumentValue:
    kind = find_kind(argument)
    if kind in (ArgumentKind.DAG, ArgumentKind.POOL, ArgumentKind.ASSET) or argument in NAME_ARGUMENTS:
        return name
    if kind is ArgumentKind.RUN:
        return RunName(name, name)
    if kind is ArgumentKind.TASK:
        return TaskName(name, name, name)
    return Command("dags unpause", (name,)) if kind is ArgumentKind.COMMAND else make_value(argument)


def _list_codes() -> Iterator[str]:
    for code in WORDS:
        names = find_template(code).names
        if any(find_kind(name) in NAMED or name in NAME_ARGUMENTS for name in names):
            yield code


def _say(code: str, name: str) -> Sentence:
    return say(code, **{argument: _value(argument, name) for argument in find_template(code).names})


@pytest.fixture(scope="module")
def chinese() -> Language:
    language = find_language("zh")
    assert language is not None
    return language


def test_no_sentence_translates_a_name(chinese: Language) -> None:
    assert len(NAMES) > 100
    for code in _list_codes():
        expected = render_in(_say(code, PLAIN), chinese)
        for name in NAMES:
            assert render_in(_say(code, name), chinese) == expected.replace(PLAIN, name), code


@pytest.mark.parametrize("name", STATES)
def test_a_stored_text_is_read_with_a_name_that_is_a_state(chinese: Language, name: str) -> None:
    wrong = {
        code
        for code in _list_codes()
        if translate(render(_say(code, name)), chinese)
        != translate(render(_say(code, PLAIN)), chinese).replace(PLAIN, name)
    }
    assert wrong - AMBIGUOUS == set()


@pytest.mark.parametrize("name", STATES)
def test_a_task_that_is_called_like_a_state_failed(chinese: Language, name: str) -> None:
    assert translate(f"task {name} failed", chinese) == f"任务 {name} 失败"
