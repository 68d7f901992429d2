"""The kinds of arguments, and the words of a code as parts: literal text, and names of arguments."""

from __future__ import annotations

import functools
import string
from enum import Enum
from typing import NamedTuple

from gnomon.model.sentences.catalogue import ARGUMENTS, WORDS


class ArgumentKind(Enum):
    """What an argument is; its value is the word of `catalogue.ARGUMENTS`."""

    TEXT = "text"
    """A text that is none of the names below: of a user or an author, a stored reason, a setting."""
    COUNT = "count"
    INSTANT = "instant"
    DURATION = "duration"
    """In seconds."""
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


COUNT = "count"
"""The argument that chooses between the words for one and for many."""


class Template(NamedTuple):
    """The words of a code. A part is a literal text and the name of the argument behind it, None at the end."""

    parts: tuple[tuple[str, str | None], ...]
    singular: tuple[tuple[str, str | None], ...]
    """The parts where COUNT is 1."""
    names: tuple[str, ...]
    """The arguments, in the order in which they are named first; COUNT counts also where it is not named."""


@functools.cache
def find_template(code: str) -> Template:
    """The words of the code. Raises KeyError if it is not in the catalogue."""
    words = WORDS[code]
    one_words, many = (words, words) if isinstance(words, str) else words
    parts, singular = _parse(many), _parse(one_words)
    names = dict.fromkeys(name for _, name in parts + singular if name is not None)
    return Template(parts, singular, tuple(names if one_words == many else names | {COUNT: None}))


def _parse(words: str) -> tuple[tuple[str, str | None], ...]:
    return tuple((literal, name) for literal, name, _, _ in string.Formatter().parse(words))


def find_kind(name: str) -> ArgumentKind:
    """The kind of an argument, by its name. Raises KeyError for a name that the catalogue does not declare."""
    return _KINDS[name]


_KINDS = {name: kind for kind in ArgumentKind for name in ARGUMENTS[kind.value]}
