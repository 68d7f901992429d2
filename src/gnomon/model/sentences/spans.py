"""A sentence in English: as text, and as spans that say where the text names something."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gnomon.model.instants import Instant, iso
from gnomon.model.sentences.sentence import ArgumentValue, Command, CronText, RunName, Sentence, TaskName
from gnomon.model.sentences.templates import COUNT, ArgumentKind, find_kind, find_template


class SentenceSpan(NamedTuple):
    """A piece of a sentence."""

    kind: ArgumentKind
    """TEXT for all words. INSTANT, DAG, RUN, TASK, POOL, ASSET, COMMAND and CRON have a value."""
    text: str
    value: RunName | TaskName | Command | CronText | Instant | str | None = None


def render(sentence: Sentence) -> str:
    """The text of the sentence."""
    return "".join(text for _, text, _ in _iterate_pieces(sentence))


@functools.lru_cache(maxsize=64)
def render_shared(sentence: Sentence) -> str:
    """The text of a reason that many rows have: the same object for all, rendered once."""
    return render(sentence)


def list_spans(sentence: Sentence) -> list[SentenceSpan]:
    """The spans whose texts make up the text of the sentence; no two of words follow one another. An instant inside a stored text is a span too."""
    return join_pieces(_iterate_pieces(sentence))


def join_pieces(pieces: Iterable[Piece]) -> list[SentenceSpan]:
    """The pieces as spans, words that follow one another as one."""
    spans: list[SentenceSpan] = []
    for kind, text, value in pieces:
        if text and kind is not ArgumentKind.TEXT and value is not None:
            spans.append(SentenceSpan(kind, text, value))
        elif text and spans and spans[-1].value is None:
            spans[-1] = SentenceSpan(ArgumentKind.TEXT, spans[-1].text + text)
        elif text:
            spans.append(SentenceSpan(ArgumentKind.TEXT, text))
    return [span for piece in spans for span in (split_instants(piece.text) if piece.value is None else (piece,))]


def split_instants(text: str) -> Iterator[SentenceSpan]:
    """The spans of a text that is no sentence of the catalogue: its instants, and what is between them. An instant inside a run id is none."""
    for number, part in enumerate(_INSTANT.split(text)):
        if part:
            yield (
                SentenceSpan(ArgumentKind.INSTANT, part, part) if number % 2 else SentenceSpan(ArgumentKind.TEXT, part)
            )


_INSTANT = re.compile(r"(?<![\w:+-])(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))(?!\w)(?!:\d)")

Piece = tuple[ArgumentKind, str, "RunName | TaskName | Command | CronText | Instant | str | None"]


def _iterate_pieces(sentence: Sentence) -> Iterator[Piece]:
    template, arguments = find_template(sentence.code), dict(sentence.arguments)
    for literal, name, is_quoted, format_spec in template.singular if arguments.get(COUNT) == 1 else template.parts:
        if literal:
            yield ArgumentKind.TEXT, literal, None
        if name is not None:
            pieces = _iterate_argument(find_kind(name), arguments[name], format_spec)
            yield from iterate_quoted(pieces) if is_quoted else pieces


def iterate_quoted(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces between quotes as Python writes them: what a terminal cannot show is escaped."""
    for kind, text, value in pieces:
        shown = repr(text)
        yield ArgumentKind.TEXT, shown[0], None
        yield kind, shown[1:-1], value
        yield ArgumentKind.TEXT, shown[-1], None


def _iterate_argument(kind: ArgumentKind, value: ArgumentValue, format_spec: str = "") -> Iterable[Piece]:
    if isinstance(value, Sentence):
        return _iterate_pieces(value)
    if kind in SEPARATORS and isinstance(value, tuple):
        return _iterate_list(value, SEPARATORS[kind])
    if value is None:
        return ()
    text = format_argument(kind, value, format_spec)
    if kind is ArgumentKind.ORDINAL:
        return ((ArgumentKind.TEXT, text, None),)
    if kind in (ArgumentKind.TEXT, ArgumentKind.COUNT, ArgumentKind.DURATION):
        return ((kind, text, None),)
    assert isinstance(value, (str, int, RunName, TaskName, Command, CronText))
    return ((kind, text, value),)


def format_argument(kind: ArgumentKind, value: object, format_spec: str = "") -> str:
    """The English text of an argument that is no sentence."""
    if kind is ArgumentKind.INSTANT and isinstance(value, int):
        return iso(value) or ""
    if kind is ArgumentKind.DURATION and isinstance(value, (int, float)):
        return format_duration(value)
    if kind is ArgumentKind.ORDINAL and isinstance(value, int):
        return _format_ordinal(value)
    return format(value, format_spec) if kind is ArgumentKind.COUNT and format_spec else str(value)


def format_duration(seconds: float) -> str:
    """`45 s`, `10 min`, `2 h 5 min`, `3 d`: from a minute on the two largest units. What is no number, or infinite, is a value that a user wrote."""
    if not math.isfinite(seconds) or abs(seconds) < UNITS[-2][1]:
        return f"{seconds:g} s"
    if seconds < 0:
        return f"-{format_duration(-seconds)}"
    remaining = round(seconds)
    parts: list[str] = []
    for unit, size in UNITS:
        count, remaining = divmod(remaining, size)
        if count and len(parts) < _UNITS_SHOWN:
            parts.append(f"{count} {unit}")
    return " ".join(parts)


UNITS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
"""The units of durations, each with its seconds."""
_UNITS_SHOWN = 2


def _format_ordinal(number: int) -> str:
    if number < 0:
        return "last" if number == -1 else f"{_format_ordinal(-number)} last"
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    return f"{number}{'th' if number % 100 in (11, 12, 13) else _ENDINGS.get(number % 10, 'th')}"


_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
SEPARATORS = {ArgumentKind.LIST: ", ", ArgumentKind.CLAUSES: "; ", ArgumentKind.ALL: " AND ", ArgumentKind.ANY: " OR "}


def _iterate_list(sentences: Iterable[Sentence], separator: str) -> Iterator[Piece]:
    for number, part in enumerate(sentences):
        if number:
            yield ArgumentKind.TEXT, separator, None
        yield from _iterate_pieces(part)
