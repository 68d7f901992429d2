"""Sentences in answers: their code and arguments, and their words in the language of the reader in spans, from which a client makes links."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field

from gnomon.api.common.reader_language import word, word_spans
from gnomon.api.common.shapes import Answer
from gnomon.model.instants import iso
from gnomon.model.sentences import (
    ArgumentKind,
    ArgumentValue,
    Command,
    CronText,
    RunName,
    Sentence,
    SentenceSpan,
    TaskName,
)
from gnomon.model.sentences.templates import BASELINE, find_kind

Hide = Callable[[str], str]
"""Replaces the ids of DAGs and the names of baselines that the user may not see."""
HIDDEN_BASELINE = "(that you may not see)"
"""Stands after the word baseline."""


class CommandAnswer(Answer):
    """A command of Gnomon by its parts, none of them quoted for a shell."""

    verb: str
    """The words after `gnomon`."""
    names: list[str]
    options: list[str]


def _is_null(value: object) -> bool:
    return value is None


_WITHOUT_NULL = Field(exclude_if=_is_null)
"""Most spans are text alone: with the fields that others have, their nulls would be half of the answer of Home."""


class SpanAnswer(Answer):
    """A piece of a sentence, and what it names; null fields are not part of it."""

    kind: ArgumentKind
    """`text`, `instant`, `dag`, `run`, `task`, `pool`, `asset`, `cron` or `command`."""
    text: str
    dag_id: Annotated[str | None, _WITHOUT_NULL] = None
    run_id: Annotated[str | None, _WITHOUT_NULL] = None
    task_id: Annotated[str | None, _WITHOUT_NULL] = None
    map_index: Annotated[int | None, _WITHOUT_NULL] = None
    command: Annotated[CommandAnswer | None, _WITHOUT_NULL] = None
    cron: Annotated[str | None, _WITHOUT_NULL] = None
    """The expression whose words the text is."""


class SentenceAnswer(Answer):
    """A sentence: its code and its arguments for programs, its spans for people. The texts of the spans make up `text`."""

    code: str
    arguments: dict[str, Any]
    """By name: text, a number, an instant in ISO 8601, an object that names a run, a task or a command, a sentence, or a list of sentences."""
    text: str
    spans: list[SpanAnswer]


def build_sentence(sentence: Sentence, hide: Hide) -> SentenceAnswer:
    """The sentence without the ids of hidden DAGs."""
    return SentenceAnswer(
        code=sentence.code,
        arguments=_build_arguments(sentence, hide),
        text=hide(word(sentence)),
        spans=build_spans(word_spans(sentence), hide),
    )


def build_command(command: Command, hide: Hide) -> CommandAnswer | None:
    """The command; None when it names a hidden DAG."""
    if any(hide(name) != name for name in command.names):
        return None
    return CommandAnswer(**_build_command(command, hide))


def build_sentence_fields(sentence: Sentence, hide: Hide) -> dict[str, Any]:
    """The fields of SentenceAnswer, for lists that are written without validation."""
    return {
        "code": sentence.code,
        "arguments": _build_arguments(sentence, hide),
        "text": hide(word(sentence)),
        "spans": [span.model_dump() for span in build_spans(word_spans(sentence), hide)],
    }


def build_sentence_or_none(sentence: Sentence | None, hide: Hide) -> SentenceAnswer | None:
    """The sentence, where there is one."""
    return None if sentence is None else build_sentence(sentence, hide)


class SpannedAnswer(Answer):
    """An answer with sentences as texts."""

    spans: dict[str, list[SpanAnswer]]
    """By text, the spans of each sentence of this answer that is more than words."""


def map_spans(sentences: Iterable[Sentence | str | None], hide: Hide) -> dict[str, list[SpanAnswer]]:
    """The spans of these sentences by their text, as `word` writes it. In a stored text only instants are known."""
    spans_by_text = {}
    for sentence in sentences:
        if sentence:
            answers = build_spans(word_spans(sentence), hide)
            if any(span.kind is not ArgumentKind.TEXT for span in answers):
                spans_by_text["".join(span.text for span in answers)] = answers
    return spans_by_text


def build_spans(spans: list[SentenceSpan], hide: Hide) -> list[SpanAnswer]:
    """The spans; one that names a hidden DAG is text."""
    return [_build_span(span, hide) for span in spans]


def _build_span(span: SentenceSpan, hide: Hide) -> SpanAnswer:
    text, value = hide(span.text), span.value
    if isinstance(value, (RunName, TaskName)):
        names = asdict(value)
        if hide(value.dag_id) == value.dag_id:
            return SpanAnswer(kind=span.kind, text=text, **names)
    elif isinstance(value, Command):
        if all(hide(name) == name for name in value.names):
            return SpanAnswer(kind=span.kind, text=text, command=CommandAnswer(**_build_command(value, hide)))
    elif isinstance(value, CronText):
        return SpanAnswer(kind=span.kind, text=text, cron=value.expression)
    elif text == span.text:
        return SpanAnswer(kind=span.kind, text=text, dag_id=str(value) if span.kind is ArgumentKind.DAG else None)
    return SpanAnswer(kind=ArgumentKind.TEXT, text=text)


def _build_arguments(sentence: Sentence, hide: Hide) -> dict[str, Any]:
    if sentence.code == "text":  # a stored text, which may be a sentence of ours
        return {name: hide(word(str(value))) for name, value in sentence.arguments}
    return {
        name: _hide_baseline(value, hide)
        if name == BASELINE and isinstance(value, str)
        else _build_argument(find_kind(name), value, hide)
        for name, value in sentence.arguments
    }


def _hide_baseline(name: str, hide: Hide) -> str:
    """The name as an argument, where no word says that it is one of a baseline."""
    phrase = f"baseline {name!r}"
    return name if hide(phrase) == phrase else HIDDEN_BASELINE


def _build_argument(kind: ArgumentKind, value: ArgumentValue, hide: Hide) -> Any:
    if isinstance(value, Sentence):
        return {"code": value.code, "arguments": _build_arguments(value, hide)}
    if isinstance(value, (RunName, TaskName, CronText)):
        return {name: hide(part) if isinstance(part, str) else part for name, part in asdict(value).items()}
    if isinstance(value, Command):
        return _build_command(value, hide)
    if isinstance(value, tuple):
        return [_build_argument(ArgumentKind.PHRASE, item, hide) for item in value]
    if isinstance(value, str):
        return hide(value)
    return iso(int(value)) if kind is ArgumentKind.INSTANT and value is not None else value


def _build_command(command: Command, hide: Hide) -> dict[str, Any]:
    return {
        "verb": command.verb,
        "names": list(map(hide, command.names)),
        "options": list(map(hide, command.options)),
    }
