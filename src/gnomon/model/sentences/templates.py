"""The kinds of arguments, and the words of a code as parts: literal text, and names of arguments."""

from __future__ import annotations

import functools
import string
from enum import Enum
from typing import NamedTuple


class ArgumentKind(Enum):
    """What an argument is; its value is the word of `ARGUMENTS` in the catalogue."""

    TEXT = "text"
    """A text that is none of the names below: of a user or an author, a stored reason, a setting."""
    COUNT = "count"
    INSTANT = "instant"
    DURATION = "duration"
    """In seconds."""
    ORDINAL = "ordinal"
    """A position from 1; from -1 backwards, counted from the end."""
    CRON = "cron"
    """A cron expression, shown in words."""
    DAG = "dag"
    RUN = "run"
    TASK = "task"
    POOL = "pool"
    ASSET = "asset"
    COMMAND = "command"
    PHRASE = "phrase"
    """A sentence inside this one; None: nothing is said in its place."""
    LIST = "list"
    """Sentences with commas between them."""
    CLAUSES = "clauses"
    """Sentences with semicolons between them."""
    ALL = "all"
    """Sentences with AND between them."""
    ANY = "any"
    """Sentences with OR between them."""


COUNT = "count"
"""The argument that chooses between the words for one and for many."""
BASELINE = "baseline"
"""The argument that is the name of a baseline: the api-server hides it from whoever may not see that one."""


class Part(NamedTuple):
    """A piece of the words of a code."""

    literal: str
    name: str | None
    """The argument behind the literal text; None at the end."""
    is_quoted: bool
    """Whether the argument stands between quotes, written `{name!r}`."""
    format_spec: str
    """How a count is written, such as `,` for separated thousands, written `{name:,}`; empty otherwise."""


class Template(NamedTuple):
    """The words of a code."""

    parts: tuple[Part, ...]
    singular: tuple[Part, ...]
    """The parts where COUNT is 1."""
    names: tuple[str, ...]
    """The arguments, in the order in which they are named first; COUNT counts also where it is not named."""


@functools.cache
def find_template(code: str) -> Template:
    """The words of the code. Raises KeyError if it is not in the catalogue."""
    from gnomon.model.sentences.catalogue import WORDS  # loaded with the first sentence: a DAG file has none

    words = WORDS[code]
    one_words, many = (words, words) if isinstance(words, str) else words
    parts, singular = parse_words(many), parse_words(one_words)
    names = dict.fromkeys(part.name for part in parts + singular if part.name is not None)
    return Template(parts, singular, tuple(names if one_words == many else names | {COUNT: None}))


def list_literals(code: str) -> tuple[str, ...]:
    """The literal text before each argument of the code, in order, and that at the end: what a stored text of it can be recognised by."""
    return tuple(part.literal for part in find_template(code).parts)


def parse_words(words: str) -> tuple[Part, ...]:
    """The parts of words, of the catalogue or of another language."""
    return tuple(
        Part(literal, name, conversion == "r", format_spec or "")
        for literal, name, format_spec, conversion in string.Formatter().parse(words)
    )


def find_kind(name: str) -> ArgumentKind:
    """The kind of an argument, by its name. Raises KeyError for a name that the catalogue does not declare."""
    return _map_kinds()[name]


@functools.cache
def _map_kinds() -> dict[str, ArgumentKind]:
    from gnomon.model.sentences.catalogue import ARGUMENTS

    return {name: kind for kind in ArgumentKind for name in ARGUMENTS[kind.value]}
