"""Puts sentences into the words of a language: as text, and as spans that say where the text names something."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence

from gnomon.model.languages.language import Language
from gnomon.model.languages.recognition import read_text, recognize
from gnomon.model.languages.word_forms import put_cron, put_duration, put_ordinal, put_terms
from gnomon.model.sentences.catalogue import TERM_ARGUMENTS
from gnomon.model.sentences.sentence import ArgumentValue, CronText, Sentence
from gnomon.model.sentences.spans import (
    SEPARATORS,
    Piece,
    SentenceSpan,
    format_argument,
    iterate_quoted,
    join_pieces,
    render,
)
from gnomon.model.sentences.templates import COUNT, ArgumentKind, Part, find_kind, find_template, parse_words

_DIVISIONS = (("; ", "clauses"), (": ", "because"))
"""What may stand between two sentences, and its name in the file of a language."""
_DIVISIONS_MAX = 4
"""At how many places a text is tried to be divided."""
_PLAIN = (ArgumentKind.TEXT, ArgumentKind.COUNT, ArgumentKind.DURATION, ArgumentKind.ORDINAL)
_NAMED_BY_OBJECT = (ArgumentKind.RUN, ArgumentKind.TASK, ArgumentKind.COMMAND)


def translate(text: str, language: Language) -> str:
    """An English text in the language; as it is, if it is no sentence of the catalogue."""
    return "".join(piece for _, piece, _ in _iterate_text(text, language))


def render_in(sentence: Sentence, language: Language) -> str:
    """The text of the sentence in the language. Words that the language lacks are English."""
    return "".join(text for _, text, _ in _iterate_pieces(sentence, language))


def list_spans_in(sentence: Sentence, language: Language) -> list[SentenceSpan]:
    """As `list_spans`, in the language."""
    return join_pieces(_iterate_pieces(sentence, language))


def list_spans_of_text(text: str, language: Language) -> list[SentenceSpan]:
    """The spans of an English text in the language."""
    return join_pieces(_iterate_text(text, language))


def _iterate_text(text: str, language: Language) -> Iterable[Piece]:
    """A text that is stored may be a sentence of the catalogue, the words of a cron expression, or lines of which some are."""
    if text in language.texts:
        return (_plain(language.texts[text]),)
    pieces = _translate_line(text, language)
    if pieces is not None:
        return pieces
    words = put_cron(text, language)
    if words is not None or "\n" not in text:
        return ((ArgumentKind.TEXT, text if words is None else words, None),)
    lines = (_translate_line(line, language) or [(ArgumentKind.TEXT, line, None)] for line in text.split("\n"))
    return _join(lines, "\n")


def _translate_line(text: str, language: Language) -> list[Piece] | None:
    """The text in the language, as one sentence, or as two with a semicolon or a colon between them; None if neither is one."""
    if " · " in text:
        return list(_join((_iterate_item(item, language) for item in text.split(" · ")), " · "))
    whole, items = read_text(text), [read_text(item) for item in text.split(", ")]
    if len(items) > 1 and all(items) and sum(item.letters for item in items if item) > (whole.letters if whole else 0):
        pieces = (_iterate_pieces(item.sentence, language) for item in items if item)
        return list(_join(pieces, language.joints.get("list", ", ")))
    if recognize(text) is not None and whole is not None:
        return list(_iterate_pieces(whole.sentence, language))
    for separator, joint in _DIVISIONS:
        for end in _find_all(text, separator):
            before, after = text[:end], text[end + len(separator) :]
            first, second = recognize(before), _translate_line(after, language) if after else None
            if first is not None or second is not None:
                start = [_plain(put_terms(before, language))] if first is None else _iterate_pieces(first, language)
                return [*start, _plain(language.joints.get(joint, separator)), *(second or [_plain(after)])]
    return None


def _iterate_item(text: str, language: Language) -> Iterable[Piece]:
    """An item of a line: a few words of ours are enough."""
    reading = read_text(text)
    pieces = _translate_line(text, language)
    return pieces or ([_plain(text)] if reading is None else _iterate_pieces(reading.sentence, language))


def _find_all(text: str, separator: str) -> Iterator[int]:
    end = text.find(separator)
    for _ in range(_DIVISIONS_MAX):
        if end < 0:
            return
        yield end
        end = text.find(separator, end + 1)


def _plain(text: str) -> Piece:
    return ArgumentKind.TEXT, text, None


def _iterate_pieces(sentence: Sentence, language: Language) -> Iterator[Piece]:
    arguments = dict(sentence.arguments)
    if sentence.code == "text":
        yield from _iterate_text(render(sentence), language)
        return
    for part in _find_parts(sentence, language):
        if part.literal:
            yield _plain(part.literal)
        if part.name is not None:
            pieces = _iterate_argument(part, arguments[part.name], language)
            yield from iterate_quoted(pieces) if part.is_quoted else pieces


def _find_parts(sentence: Sentence, language: Language) -> Sequence[Part]:
    is_one = dict(sentence.arguments).get(COUNT) == 1
    words = language.sentences.get(sentence.code)
    if words is None:
        template = find_template(sentence.code)
        return template.singular if is_one else template.parts
    return _parse(words if isinstance(words, str) else words[0 if is_one else -1])


@functools.lru_cache(maxsize=4096)
def _parse(words: str) -> tuple[Part, ...]:
    return parse_words(words)


def _iterate_argument(part: Part, value: ArgumentValue, language: Language) -> Iterable[Piece]:
    name = str(part.name)
    kind = find_kind(name)
    if value is None:
        return ()
    if isinstance(value, Sentence):
        return _iterate_pieces(value, language)
    if isinstance(value, tuple):
        items = (_iterate_pieces(item, language) for item in value)
        return _join(items, language.joints.get(kind.value, SEPARATORS[kind]))
    text = format_argument(kind, value, part.format_spec)
    if kind is ArgumentKind.DURATION and isinstance(value, (int, float)):
        return (_plain(put_duration(value, language)),)
    if kind is ArgumentKind.ORDINAL and isinstance(value, int):
        return (_plain(put_ordinal(value, language) or text),)
    if isinstance(value, CronText):
        return ((kind, put_cron(text, language) or text, value),)
    if kind is ArgumentKind.CRON:
        return (_plain(put_cron(text, language) or text),)
    if name in TERM_ARGUMENTS:
        return (_plain(put_terms(text, language)),)
    if kind is ArgumentKind.TEXT:
        return _iterate_text(text, language)
    if kind in _PLAIN or isinstance(value, float) or (isinstance(value, str) and kind in _NAMED_BY_OBJECT):
        return (_plain(text),)
    return ((kind, text, value),)


def _join(items: Iterable[Iterable[Piece]], separator: str) -> Iterator[Piece]:
    for number, pieces in enumerate(items):
        if number:
            yield _plain(separator)
        yield from pieces
