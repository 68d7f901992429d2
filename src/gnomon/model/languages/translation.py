"""Puts sentences into the words of a language: as text, and as spans that say where the text names something."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence

from gnomon.model.languages.cron_forms import put_cron
from gnomon.model.languages.language import Language
from gnomon.model.languages.recognition import ITEMS_MAX, TEXT_MAX, Reading, TextReader
from gnomon.model.languages.word_forms import put_duration, put_ordinal, put_terms
from gnomon.model.sentences.catalogue import NAME_ARGUMENTS, TERM_ARGUMENTS
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
_DIVISIONS_MAX = 2
"""How often what is behind a separator is divided again, and the first places of each separator that are tried."""
_DEPTH_MAX = 12
"""How many texts inside of one another are translated."""
_PLAIN = (ArgumentKind.TEXT, ArgumentKind.COUNT, ArgumentKind.DURATION, ArgumentKind.ORDINAL)
_WITH_BUILT_IN_NAMES = ("calendar", "other_calendar")
"""Arguments in which one word can be ours, `weekdays`; in other texts one word is a name, or a value, of an author."""
_NAMED_BY_OBJECT = (ArgumentKind.RUN, ArgumentKind.TASK, ArgumentKind.COMMAND)


def translate(text: str, language: Language) -> str:
    """An English text in the language; as it is, if it is no sentence of the catalogue, or longer than TEXT_MAX."""
    return "".join(piece for _, piece, _ in _find_pieces(text, language))


def render_in(sentence: Sentence, language: Language) -> str:
    """The text of the sentence in the language. Words that the language lacks are English."""
    return "".join(text for _, text, _ in _SentenceWriter(language).write(sentence))


def list_spans_in(sentence: Sentence, language: Language) -> list[SentenceSpan]:
    """As `list_spans`, in the language."""
    return join_pieces(_SentenceWriter(language).write(sentence))


def list_spans_of_text(text: str, language: Language) -> list[SentenceSpan]:
    """The spans of an English text in the language."""
    return join_pieces(_find_pieces(text, language))


def _find_pieces(text: str, language: Language) -> Sequence[Piece]:
    if text in language.texts:
        return (_plain(language.texts[text]),)
    return _translate_text(text, language) if len(text) <= TEXT_MAX else (_plain(text),)


@functools.lru_cache(maxsize=2048)
def _translate_text(text: str, language: Language) -> tuple[Piece, ...]:
    """Kept, since a page asks for the same reasons again and again."""
    return tuple(_TextTranslator(language, TextReader()).translate(text))


class _SentenceWriter:
    """Writes a sentence in a language. The stored texts in it are translated one by one."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def write(self, sentence: Sentence) -> Iterable[Piece]:
        """The pieces of the sentence."""
        if sentence.code == "text":
            return self._write_text(render(sentence))
        arguments = dict(sentence.arguments)
        pieces: list[Piece] = []
        for part in _find_parts(sentence, self._language):
            if part.literal:
                pieces.append(_plain(part.literal))
            if part.name is not None:
                value = self._write_argument(part, arguments[part.name])
                pieces += iterate_quoted(value) if part.is_quoted else value
        return pieces

    def _write_text(self, text: str) -> Iterable[Piece]:
        return _find_pieces(text, self._language)

    def _write_argument(self, part: Part, value: ArgumentValue) -> Iterable[Piece]:
        name = str(part.name)
        kind = find_kind(name)
        language = self._language
        if value is None:
            return ()
        if isinstance(value, Sentence):
            return self.write(value)
        if isinstance(value, tuple):
            return _join(map(self.write, value), language.joints.get(kind.value, SEPARATORS[kind]))
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
        if kind is ArgumentKind.TEXT and name not in NAME_ARGUMENTS and (" " in text or name in _WITH_BUILT_IN_NAMES):
            return self._write_text(text)
        if kind in _PLAIN or isinstance(value, float) or (isinstance(value, str) and kind in _NAMED_BY_OBJECT):
            return (_plain(text),)
        return ((kind, text, value),)


class _TextTranslator(_SentenceWriter):
    """Translates a stored text and what is in it. One reader reads them all, so that its bound of comparisons is that of the whole text."""

    def __init__(self, language: Language, reader: TextReader) -> None:
        super().__init__(language)
        self._reader = reader
        self._depth = 0

    def translate(self, text: str) -> Iterable[Piece]:
        """The pieces of a text that may be a sentence of the catalogue, the words of a cron expression, or lines of which some are."""
        words = put_cron(text, self._language)  # first: its parts may be sentences of the catalogue too
        pieces = self._translate_line(text, _DIVISIONS_MAX) if words is None else [_plain(words)]
        if pieces is not None or "\n" not in text:
            return pieces or (_plain(text),)
        lines = (self._translate_line(line, _DIVISIONS_MAX) or [_plain(line)] for line in text.split("\n"))
        return _join(lines, "\n")

    def _write_text(self, text: str) -> Iterable[Piece]:
        """A text inside a sentence of this text."""
        if text in self._language.texts:
            return (_plain(self._language.texts[text]),)
        if self._depth >= _DEPTH_MAX:
            return (_plain(text),)
        self._depth += 1
        pieces = list(self.translate(text))
        self._depth -= 1
        return pieces

    def _translate_line(self, text: str, divisions: int) -> list[Piece] | None:
        """The text in the language, as one sentence, or as several with a semicolon or a colon between them; None if none is one."""
        if " · " in text:
            return list(_join(map(self._translate_item, text.split(" · ")), " · "))
        whole = self._reader.read(text)
        items = self._read_items(text)
        if sum(item.letters for item in items) > (whole.letters if whole else 0):
            pieces = (self.write(item.sentence) for item in items)
            return list(_join(pieces, self._language.joints.get("list", ", ")))
        sentence = self._reader.recognize(text)
        if sentence is not None:
            return list(self.write(sentence.sentence))
        return self._translate_halves(text, divisions - 1) if divisions else None

    def _translate_halves(self, text: str, divisions: int) -> list[Piece] | None:
        language = self._language
        for separator, joint in _DIVISIONS:
            for end in _find_places(text, separator):
                before, after = text[:end], text[end + len(separator) :]
                first = self._reader.recognize(before)
                second = self._translate_line(after, divisions) if after else None
                if first is not None or second is not None:
                    start = [_plain(put_terms(before, language))] if first is None else self.write(first.sentence)
                    return [*start, _plain(language.joints.get(joint, separator)), *(second or [_plain(after)])]
        return None

    def _translate_item(self, text: str) -> Iterable[Piece]:
        """An item of a line: a few words of ours are enough."""
        reading = self._reader.read(text)
        pieces = self._translate_line(text, _DIVISIONS_MAX)
        return pieces or ([_plain(text)] if reading is None else self.write(reading.sentence))

    def _read_items(self, text: str) -> list[Reading]:
        """The sentences with commas between them that make up the text; none, if one of them is not recognised."""
        items = text.split(", ")
        if not 1 < len(items) <= ITEMS_MAX:
            return []
        readings: list[Reading] = []
        for item in items:
            reading = self._reader.read(item)
            if reading is None:
                return []
            readings.append(reading)
        return readings


def _find_places(text: str, separator: str) -> Iterator[int]:
    end = text.find(separator)
    for _ in range(_DIVISIONS_MAX):
        if end < 0:
            return
        yield end
        end = text.find(separator, end + 1)


def _plain(text: str) -> Piece:
    return ArgumentKind.TEXT, text, None


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


def _join(items: Iterable[Iterable[Piece]], separator: str) -> Iterator[Piece]:
    for number, pieces in enumerate(items):
        if number:
            yield _plain(separator)
        yield from pieces
