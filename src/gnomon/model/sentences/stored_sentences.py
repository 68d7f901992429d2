"""Sentences as they are stored: code, arguments and English text in JSON, so that a reader of any language gets them.

The text is for whoever reads the database, and for a release whose catalogue has another code or other arguments than the release that stored them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gnomon.model.sentences.sentence import ArgumentValue, Command, CronText, RunName, Sentence, TaskName, quote
from gnomon.model.sentences.spans import render
from gnomon.model.sentences.templates import find_template

SENTENCE_FIELDS = ("sentence", "title", "reason", "error")
"""The fields of rows of the audit log that hold a stored sentence, or a text that is one. Others may hold any JSON of a user."""
DEPTH_MAX = 50
"""How deep phrases are in one another; what is deeper is no sentence of ours."""


@dataclass(frozen=True, slots=True)
class StoredSentence:
    """A sentence as JSON has it. Made by `store_sentence`, and read by `read_sentence`."""

    code: str
    arguments: dict[str, Any]
    """By name: a text, a number, the fields of what names a run, a task, a command or a cron expression, a sentence, or a list of sentences."""
    text: str
    """The words in English."""


StoredText = StoredSentence | str
"""A sentence as it is stored, or a text: of an author, or of a release that stored texts."""


def store_sentence(sentence: Sentence) -> StoredSentence:
    """The sentence as it is stored."""
    return StoredSentence(sentence.code, _pack_arguments(sentence), render(sentence))


def store_sentences(sentences: Iterable[Sentence]) -> tuple[StoredSentence, ...]:
    """The sentences as they are stored."""
    return tuple(map(store_sentence, sentences))


def read_sentence(stored: StoredText) -> Sentence:
    """The sentence; a text that an earlier release stored, or whose code the catalogue does not have, as a text."""
    if isinstance(stored, str):
        return quote(stored)
    try:
        return _unpack(stored.code, stored.arguments, DEPTH_MAX)
    except (KeyError, TypeError, ValueError, AttributeError):
        return quote(stored.text)


def read_text(stored: StoredText) -> str:
    """The English words."""
    return stored if isinstance(stored, str) else stored.text


def pack_details(details: Mapping[str, object]) -> str:
    """A JSON object whose values may be stored sentences, for a row of the audit log."""
    values = {name: asdict(value) if isinstance(value, StoredSentence) else value for name, value in details.items()}
    return json.dumps(values, ensure_ascii=False)


def put_into_details(details: Mapping[str, Any], word: Callable[[Sentence], str]) -> dict[str, Any]:
    """The fields of such a row, each sentence as its text by `word`."""
    return {name: _put_into_value(value, word) if name in SENTENCE_FIELDS else value for name, value in details.items()}


def _put_into_value(value: Any, word: Callable[[Sentence], str]) -> Any:
    if isinstance(value, str):
        return word(quote(value))
    if not isinstance(value, dict) or value.keys() != {"code", "arguments", "text"}:
        return value
    return word(read_sentence(StoredSentence(str(value["code"]), value["arguments"], str(value["text"]))))


def _pack_arguments(sentence: Sentence) -> dict[str, Any]:
    return {name: _pack(value) for name, value in sentence.arguments}


def _pack(value: ArgumentValue) -> Any:
    if isinstance(value, Sentence):
        return {"code": value.code, "arguments": _pack_arguments(value)}
    if isinstance(value, tuple):
        return [_pack(item) for item in value]
    return asdict(value) if isinstance(value, (RunName, TaskName, Command, CronText)) else value


def _unpack(code: str, arguments: Mapping[str, Any], depth: int) -> Sentence:
    """Raises KeyError for an unknown code, and ValueError for arguments that its words do not name."""
    names = find_template(code).names
    if arguments.keys() != set(names) or not depth:
        raise ValueError(code)
    return Sentence(code, tuple((name, _unpack_value(arguments[name], depth - 1)) for name in names))


def _unpack_value(value: Any, depth: int) -> ArgumentValue:
    if isinstance(value, list):
        return tuple(_unpack(item["code"], item["arguments"], depth) for item in value)
    if not isinstance(value, dict):
        return value  # type: ignore[no-any-return]
    if "code" in value:
        return _unpack(value["code"], value["arguments"], depth)
    if "verb" in value:
        return Command(value["verb"], tuple(value["names"]), tuple(value["options"]))
    if "expression" in value:
        return CronText(**value)
    return TaskName(**value) if "task_id" in value else RunName(**value)
