"""A language is found by its id only; a file that cannot be used is left out with one line that says why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.ground.config.language_files import choose_language, find_language, list_languages


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("GNOMON_LANGUAGES", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", ["", "en", "xx", "../zh", "z" * 300, "中文", "zh" * 9, "zh/dags", "a-b-c-d", "ｚｈ"])
def test_what_is_no_id_of_a_language_is_no_language(name: str) -> None:
    assert find_language(name) is None


def test_a_language_is_read_once() -> None:
    assert find_language("zh") is find_language("zh") is not None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"name": "Esperanto",\n "page": {"Home" "Hejmo"}}', "line 2, column 18: Expecting ':' delimiter"),
        (b"\xff\xfe", "byte 0: it is not UTF-8"),
        ("[]", "it must be a JSON object of sections"),
        ('{"pages": {}}', "'pages' is no section; there are name, sentences,"),
        ('{"name": 1}', "name: it must be a text"),
        ('{"page": []}', "page: it must be a JSON object of texts"),
        ('{"page": {"Home": 1}}', "page, 'Home': it must be a text"),
        ('{"sentences": {"slots": ["a", "b", "c"]}}', "sentences, 'slots': it must be a text, or a pair of texts"),
        ('{"sentences": {"dag_is_paused": "{dago}"}}', "'dag_is_paused': there is no argument {dago}; there are {dag}"),
        ('{"sentences": {"dag_is_paused": "{dag"}}', "expected '}' before end of string; write an argument as {name}"),
        ('{"joints": {"h": "{hours} h"}}', "joints, 'h': there is no argument {hours}; there are {number}"),
        ('{"cron": {"at {time}": "{tempo}"}}', "cron, 'at {time}': there is no argument {tempo}; there are {time}"),
        ('{"ordinals": {"1": "{a}"}}', "ordinals, '1': there is no argument {a}; there are {number}"),
    ],
)
def test_a_file_with_a_fault_is_left_out_with_its_place(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str | bytes, place: str
) -> None:
    path = folder / "eo.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    for _ in range(2):
        assert find_language("eo") is None
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"gnomon: the language file {path} is left out: ") and place in line
    assert line.endswith("; correct the file, and start this program again")


def test_the_other_files_of_a_language_are_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "eo").mkdir()
    (folder / "eo" / "a.json").write_text("{")
    (folder / "eo" / "b.json").write_text(json.dumps({"name": "Esperanto", "page": {"Home": "Hejmo"}}))
    (found,) = (language for language in list_languages() if language.id == "eo")
    assert (found.name, found.page) == ("Esperanto", {"Home": "Hejmo"})
    assert str(folder / "eo" / "a.json") in capsys.readouterr().err


def test_words_of_a_language_that_there_is_are_replaced_one_by_one(folder: Path) -> None:
    (folder / "zh.json").write_text(json.dumps({"terms": {"failed": "坏了"}}))
    language = find_language("zh")
    assert language is not None
    assert (language.terms["failed"], language.terms["success"]) == ("坏了", "成功")


def test_a_language_that_is_asked_for_and_not_there_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert choose_language({"GNOMON_LANGUAGE": "tlh"}) is None
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("gnomon: GNOMON_LANGUAGE='tlh' names no language") and line.endswith("choose one of: en, zh")


@pytest.mark.parametrize(
    "environment", [{}, {"GNOMON_LANGUAGE": "en_US"}, {"LANG": "fr_FR.UTF-8"}, {"LC_ALL": "C"}, {"LC_ALL": "POSIX"}]
)
def test_a_locale_without_a_language_is_english_without_a_word(
    environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert choose_language(environment) is None
    assert capsys.readouterr().err == ""
