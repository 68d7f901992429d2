"""Finds the code and the arguments of an English text of the catalogue.

Reasons are stored as texts, and a command that asks an API gets texts. A text is recognised only if rendering what was found gives the same text
again; one that is not recognised is shown as it is.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gnomon.model.sentences.catalogue import TERM_ARGUMENTS, TERMS, WORDS
from gnomon.model.sentences.sentence import ArgumentValue, Sentence, quote
from gnomon.model.sentences.spans import SEPARATORS, UNITS, format_duration, render
from gnomon.model.sentences.templates import COUNT, ArgumentKind, Part, Template, find_kind, find_template

_LETTERS_MIN = 4
"""Letters of our own words in a text that stands alone; with fewer, a text of an author may look like ours."""
TEXT_MAX = 1_000
"""A longer text is not read: an author wrote most of it."""
ITEMS_MAX = 50
"""A list of more items is not read."""
_SPLIT_MAX = 400
_COMPARISONS_MAX = 1_000
"""How often a text and all that is in it are looked up, compared with a pattern or divided. A sentence of the catalogue needs 900 at most."""
_DEPTH_MAX = 12
"""How many texts may be inside of one another."""
_SEPARATORS = (" ", ",", ";", ":")
"""What a clause begins with: words that only stand behind others."""
_START = 4
"""Characters by which the forms are grouped."""
_NEXT_WORD = re.compile(r" ([^\W\d]\w*)")
_STATES = frozenset((*TERMS, "fails"))
_NAME_FOLLOWS = re.compile(
    r"(?:^|[ (:])(?:task|run|runs|DAG|DAGs|asset|alias|pool|rule|host|queue|pod|partition|policy|port|operation|answered|its|of|by|at|on|in|into|from|to)$"
    r"|[:;,(]$|gnomon [a-z-]+(?: [a-z-]+)*$"
)
"""The end of an argument that cannot be one before a word of ours: what follows these words is a name, also if it reads `failed`."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_NAME = r"\S+?"
_LAZY = re.compile(r"([*+}])\?")
"""What makes a repetition in these patterns take as little as possible."""
_PATTERNS_OF_KINDS = {
    ArgumentKind.INSTANT: r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)",
    ArgumentKind.COUNT: r"-?\d[\d,.]*",
    ArgumentKind.DURATION: r"\d+ (?:d|h|min)(?: \d+ (?:h|min|s))?|\d[\d.e+]* s",
    ArgumentKind.COMMAND: r"gnomon .+?",
    ArgumentKind.ORDINAL: rf"last|(?:{'|'.join(_ORDINALS)}|\d+(?:st|nd|rd|th))(?: last)?",
    ArgumentKind.DAG: _NAME,
    ArgumentKind.RUN: _NAME,
    ArgumentKind.TASK: _NAME,
    ArgumentKind.POOL: _NAME,
    ArgumentKind.PHRASE: ".*?",
}
_PATTERNS_OF_NAMES = {
    **dict.fromkeys(("task_id", "worker", "host", "queue", "triggerer", "rule_name", "zone", "executor"), _NAME),
    **dict.fromkeys(("start_time", "end_time"), r"\d\d?:\d\d(?::\d\d)?"),
    "minute": r"\d+",
    **dict.fromkeys(("number", "at_number", "size"), r"[-+\d][\d,.]*"),
    "state": r"[\w ]{2,20}?",
    "counts": r"[\w ,]+?",
}
_SHAPED = {
    kind: re.compile(_PATTERNS_OF_KINDS[kind])
    for kind in (ArgumentKind.INSTANT, ArgumentKind.COUNT, ArgumentKind.DURATION)
}
"""Kinds of arguments whose end is known without what follows."""
_SECONDS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?(?:e\+\d+)?) s\b")
"""A duration in seconds, however long."""
_TERMS = frozenset(TERMS)
_ZONE = re.compile(r"[A-Z]\w+(?:/[\w+-]+)+|UTC|GMT")
"""Looks like the name of a time zone and nothing else."""


class _Form(NamedTuple):
    """One form of the words of a code, as a pattern."""

    code: str
    pattern: str
    """Compiled when a text first has its words: most never are."""
    greedy: str
    """As `pattern`, with the longest arguments in place of the shortest: `the first business day of each month` has two ` of `."""
    groups: tuple[tuple[Part, ...], ...]
    """The arguments of each group of the pattern: several, if no word of ours is between them."""
    letters: int
    literals: tuple[str, ...]
    """The words between the arguments: a text that lacks one, or has them in another order, need not be compared with the pattern, which takes longer."""
    beginning: str
    end: str
    first: str | None
    """The first argument, which is not empty where it begins the text."""
    is_singular: bool
    is_weak: bool
    """Whether it has few words of ours, such as ` and `: then what is around them must be ours too, lest the words of an author are taken for ours."""


def recognize(text: str) -> Sentence | None:
    """The sentence whose English words are this text; None: there is none."""
    reading = TextReader().recognize(text)
    return None if reading is None else reading.sentence


class Reading(NamedTuple):
    """One way to read a text."""

    sentence: Sentence
    letters: int
    """Letters of the text that are words of ours, at all depths: the reading with most of them is right."""
    depth: int
    """Of readings with as many letters that with fewest sentences in one another is right."""
    form: _Form

    def rank(self) -> tuple[int, int, int, int]:
        """Greater for a better reading."""
        return self.letters, -self.depth, self.form.letters, len(self.form.beginning)


class TextReader:
    """Reads a text, its parts and the texts in it. One counter bounds them all: when it has run out, nothing more is recognised."""

    def __init__(self) -> None:
        self._known: dict[str, Reading | None] = {}
        self._readings: dict[int, tuple[str, Reading]] = {}
        """By the id of a sentence that was read: its text, and how it was read. What is around it need not render it again."""
        self._divided: dict[tuple[tuple[Part, ...], str], dict[str, ArgumentValue] | None] = {}
        self._comparisons = 0
        self._depth = 0

    def recognize(self, text: str) -> Reading | None:
        """The best reading of a text that stands alone, if enough of it is words of ours."""
        reading = self.read(text)
        return None if reading is None or reading.letters < _LETTERS_MIN else reading

    def read(self, text: str) -> Reading | None:
        """The best reading of a text that stands alone, however few words of ours it has."""
        return None if text.startswith(_SEPARATORS) else self._read(text)

    def _read(self, text: str) -> Reading | None:
        """As `read`, of a text that may be a clause of another."""
        if text not in self._known:
            self._known[text] = None  # while it is read itself
            if 0 < len(text) <= TEXT_MAX and self._depth < _DEPTH_MAX and self._count():
                self._depth += 1
                reading = self._known[text] = self._compare(text)
                self._depth -= 1
                if reading is not None:
                    self._readings[id(reading.sentence)] = text, reading
        return self._known[text]

    def _count(self) -> bool:
        """Whether one comparison more is allowed."""
        self._comparisons += 1
        return self._comparisons <= _COMPARISONS_MAX

    def _compare(self, text: str) -> Reading | None:
        is_clause = text.startswith(_SEPARATORS)
        readings = []
        groups = _group_forms(is_clause)
        for form in (*groups.get(text[:_START], ()), *groups[""]):
            if _has_literals(text, form):
                if not self._count():
                    break
                reading = self._match(form, text)
                if reading and (reading.letters or is_clause):
                    readings.append(reading)
        return max(readings, key=Reading.rank, default=None) or self._compare_in_units(text)

    def _compare_in_units(self, text: str) -> Reading | None:
        """The best reading of a text that has longer durations in seconds, as `600 s`: reasons were stored so before durations had units."""
        in_units = _SECONDS.sub(lambda seconds: format_duration(float(seconds[1])), text)
        reading = None if in_units == text else self._compare(in_units)
        if reading is None or any(part not in text for part in _list_texts(reading.sentence)):
            return None  # an author's own text would be another
        return reading

    def _match(self, form: _Form, text: str) -> Reading | None:
        match = _compile(form.pattern).fullmatch(text)
        reading = match and self._build(form, match, text)
        if match is None or form.is_weak or (reading is not None and not _has_unread(reading.sentence)):
            return reading
        other = _compile(form.greedy).fullmatch(text)
        if other is None or other.groups() == match.groups() or not self._count():
            return reading
        readings = (each for each in (reading, self._build(form, other, text)) if each is not None)
        return max(readings, key=Reading.rank, default=None)

    def _build(self, form: _Form, match: re.Match[str], text: str) -> Reading | None:
        values: dict[str, ArgumentValue] = {COUNT: 1} if form.is_singular else {}
        if any(_is_cut_before_name(match, number, text) for number in range(1, len(form.groups) + 1)):
            return None
        for parts, piece in zip(form.groups, match.groups(), strict=True):
            pieces = self._read_parts(parts, piece)
            if pieces is None or any(name in values and values[name] != value for name, value in pieces.items()):
                return None
            values |= pieces
        values.setdefault(COUNT, 2)
        names = find_template(form.code).names
        if not form.beginning and (not names or values.get(form.first or "") is None):
            return None
        if form.is_weak and any(map(_has_words, _list_phrases(values))):
            return None
        sentence = Sentence(form.code, tuple((name, values.get(name)) for name in names))
        if render(self._shorten(sentence)) != text:
            return None
        letters, depth = self._measure(values.items())
        return Reading(sentence, form.letters + letters, 1 + depth, form)

    def _measure(self, values: Iterable[tuple[str, ArgumentValue]]) -> tuple[int, int]:
        """The letters of our words in these values, and the number of sentences."""
        letters, depth = 0, 0
        for name, value in values:
            if isinstance(value, str) and name in TERM_ARGUMENTS:
                letters += len(value) if set(split_terms(value)) <= _TERMS else 0
            if isinstance(value, str) and name == "zone" and _ZONE.fullmatch(value):
                letters += len(value)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Sentence) and part.code != "text":
                    _, reading = self._readings[id(part)]
                    letters += reading.letters
                    depth += reading.depth
        return letters, depth

    def _shorten(self, sentence: Sentence) -> Sentence:
        """The sentence with texts in the place of the sentences in it, which were compared with their texts when they were read."""

        def shorten(value: ArgumentValue) -> ArgumentValue:
            if isinstance(value, tuple):
                return tuple(map(shorten_phrase, value))
            return shorten_phrase(value) if isinstance(value, Sentence) else value

        def shorten_phrase(phrase: Sentence) -> Sentence:
            return phrase if phrase.code == "text" else quote(self._readings[id(phrase)][0])

        return Sentence(sentence.code, tuple((name, shorten(value)) for name, value in sentence.arguments))

    def _divide(self, parts: tuple[Part, ...], text: str) -> dict[str, ArgumentValue] | None:
        key = parts, text
        if key not in self._divided:
            self._divided[key] = self._read_parts(parts, text)
        return self._divided[key]

    def _read_parts(self, parts: Sequence[Part], text: str) -> dict[str, ArgumentValue] | None:
        """The values of arguments with nothing between them. All but the first are clauses, or nothing; the first ends where a clause begins."""
        (first, *others) = parts
        name, kind = str(first.name), find_kind(str(first.name))
        if not others:
            return {name: self._read_value(first, text)}
        if kind in _SHAPED:
            match = _SHAPED[kind].match(text)
            remaining = match and self._read_parts(others, text[match.end() :])
            return {name: self._read_value(first, match[0]), **remaining} if match and remaining is not None else None
        best: tuple[tuple[int, int], dict[str, ArgumentValue]] | None = None
        for end in _list_ends(text, can_be_empty=kind is ArgumentKind.PHRASE):
            if not self._count():
                break
            remaining = self._divide(tuple(others), text[end:]) if text[end:] else dict.fromkeys(_list_names(others))
            if remaining is not None and all(value.code != "text" for value in _list_phrases(remaining)):
                values = {name: self._read_value(first, text[:end]), **remaining}
                letters, depth = self._measure(values.items())
                if best is None or (letters, -depth) > best[0]:
                    best = (letters, -depth), values
        return best and best[1]

    def _read_value(self, part: Part, text: str) -> ArgumentValue:
        """The value of an argument by its kind: a sentence where one is recognised."""
        kind = find_kind(str(part.name))
        if part.is_quoted:
            try:
                text = str(ast.literal_eval(text))
            except (ValueError, SyntaxError):
                return text
        if kind is ArgumentKind.PHRASE:
            return self._read_phrase(text) if text else None
        if kind in SEPARATORS:
            items = text.split(SEPARATORS[kind])
            return tuple(map(self._read_phrase, items if len(items) <= ITEMS_MAX else [text]))
        if kind is ArgumentKind.COUNT:
            plain = text.replace(",", "") if part.format_spec == "," else text
            return int(plain) if re.fullmatch(r"-?\d+", plain) else plain
        if kind is ArgumentKind.DURATION:
            return _read_duration(text)
        return _read_ordinal(text) if kind is ArgumentKind.ORDINAL else text

    def _read_phrase(self, text: str) -> Sentence:
        reading = self._read(text)
        return quote(text) if reading is None else reading.sentence


def _read_duration(text: str) -> ArgumentValue:
    words = text.split(" ")
    sizes = dict(UNITS)
    try:
        return float(sum(float(number) * sizes[unit] for number, unit in zip(words[::2], words[1::2], strict=True)))
    except (KeyError, ValueError):
        return text


@functools.cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


def _has_literals(text: str, form: _Form) -> bool:
    """Whether the words of the form stand in the text, in their order."""
    if not text.startswith(form.beginning) or not text.endswith(form.end):
        return False
    place = 0
    for literal in form.literals:
        place = text.find(literal, place)
        if place < 0:
            return False
        place += len(literal)
    return True


def _is_cut_before_name(match: re.Match[str], number: int, text: str) -> bool:
    """Whether this group ends where a name must follow, and a word of ours does. A group of nothing but `task` may itself be a name, but not before a state."""
    start, end = match.span(number)
    word = _NEXT_WORD.match(text, end)
    ending = _NAME_FOLLOWS.search(match[number]) if word else None
    return word is not None and ending is not None and (ending.start() > 0 or (start == 0 and word[1] in _STATES))


def _has_words(phrase: Sentence) -> bool:
    """Whether the phrase is a text with letters, unlike a time or a number."""
    return phrase.code == "text" and any(map(str.isalpha, render(phrase)))


def _list_texts(sentence: Sentence) -> list[str]:
    """The arguments that are texts, at all depths."""
    values = dict(sentence.arguments)
    phrases = _list_phrases(values)
    nested = (_list_texts(phrase) if phrase.code != "text" else [render(phrase)] for phrase in phrases)
    return [value for value in values.values() if isinstance(value, str)] + [text for texts in nested for text in texts]


def _has_unread(sentence: Sentence) -> bool:
    """Whether a phrase of the sentence is a text."""
    return any(phrase.code == "text" for phrase in _list_phrases(dict(sentence.arguments)))


def split_terms(text: str) -> list[str]:
    """The words of a text that lists some: `failed` and `running` of `2 failed, 1 running`."""
    return [re.sub(r"^\d[\d,]* ", "", part) for part in re.split(r", | or | and ", text)]


def _list_names(parts: Sequence[Part]) -> list[str]:
    return [str(part.name) for part in parts]


def _list_phrases(values: Mapping[str, ArgumentValue]) -> list[Sentence]:
    """The phrases among these values, and those in lists."""
    items = (item for value in values.values() for item in (value if isinstance(value, tuple) else (value,)))
    return [item for item in items if isinstance(item, Sentence)]


def _read_ordinal(text: str) -> int:
    """The number of `first`, `21st`, `last`, `second last`."""
    if text == "last":
        return -1
    number = text.removesuffix(" last")
    read = _ORDINALS.index(number) + 1 if number in _ORDINALS else int(number[:-2])
    return -read if text.endswith(" last") else read


@functools.cache
def _group_forms(is_clause: bool) -> dict[str, list[_Form]]:
    """The forms of clauses, or all others, by the first characters of their texts; below no characters those of which these differ."""
    groups: dict[str, list[_Form]] = {"": []}
    for code in WORDS:
        for form in _iterate_forms(code, find_template(code)):
            if form.beginning.startswith(_SEPARATORS) is is_clause:
                start = form.beginning[:_START] if len(form.beginning) >= _START else ""
                groups.setdefault(start, []).append(form)
    for forms in groups.values():
        forms.sort(key=lambda form: -form.letters)
    return groups


@functools.cache
def _find_clause_start() -> re.Pattern[str]:
    """What any clause begins with: its first words, and its first argument where these are a space only."""
    forms = [form for forms in _group_forms(is_clause=True).values() for form in forms]
    starts = {form.pattern if form.beginning.isspace() else re.escape(form.beginning) for form in forms}
    return re.compile("|".join(sorted(starts)))


def _list_ends(text: str, *, can_be_empty: bool) -> list[int]:
    """Where an argument may end behind which others follow, each a clause or nothing."""
    is_clause_at = _find_clause_start().match
    stop = min(len(text), _SPLIT_MAX)
    places = (end for end in range(0 if can_be_empty else 1, stop + 1) if end == len(text) or text[end] in _SEPARATORS)
    return [end for end in places if end == len(text) or is_clause_at(text, end)]


def _iterate_forms(code: str, template: Template) -> Iterator[_Form]:
    for parts in dict.fromkeys((template.parts, template.singular)):
        letters = sum(character.isalpha() for part in parts for character in part.literal)
        literals = tuple(part.literal for part in parts if part.literal)
        if "".join(literals).strip():
            pattern, groups = _write_pattern(parts)
            beginning = parts[0].literal
            is_singular = parts is template.singular and template.parts != template.singular
            yield _Form(
                code,
                pattern,
                _LAZY.sub(r"\1", pattern),
                groups,
                letters,
                literals,
                beginning,
                "" if parts[-1].name else parts[-1].literal,
                parts[0].name,
                is_singular,
                letters < _LETTERS_MIN and not beginning.startswith(_SEPARATORS),
            )


def _write_pattern(parts: Sequence[Part]) -> tuple[str, tuple[tuple[Part, ...], ...]]:
    pattern, groups = "", []
    run: list[Part] = []
    for part in parts:
        if part.literal and run:
            groups.append(tuple(run))
            pattern, run = pattern + _write_group(run), []
        pattern += re.escape(part.literal)
        if part.name is not None:
            run.append(part)
    if run:
        groups.append(tuple(run))
        pattern += _write_group(run)
    return pattern, tuple(groups)


def _write_group(parts: Sequence[Part]) -> str:
    (first, *others) = parts
    if first.is_quoted:
        return r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""" if not others else "(.*?)"
    if others:
        return "(.*?)"
    name = str(first.name)
    return f"({_PATTERNS_OF_NAMES.get(name) or _PATTERNS_OF_KINDS.get(find_kind(name)) or '.+?'})"
