"""One option: its names, its default, and what a value of it may be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """How the text of a value is read."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    PATH = "path"


class Key(NamedTuple):
    """Section and name of an option, in lower case."""

    section: str
    name: str

    def __str__(self) -> str:
        return f"[{self.section}] {self.name}"

    @property
    def variable(self) -> str:
        """The environment variable without its prefix: `SECTION__NAME`."""
        return f"{self.section.upper()}__{self.name.upper()}"


@dataclass(frozen=True, slots=True)
class Option:
    """A declared option. `default` is text as a user would write it; `{home}` in it is Gnomon's home."""

    section: str
    name: str
    default: str
    kind: Kind
    description: str
    aliases: tuple[Key, ...] = ()
    """Names that older versions of Airflow gave it, newest first."""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    may_be_empty: bool = False
    """The empty text is a value of its own (no limit, not set)."""
    secret: bool = False
    """Never shown, and unknown to author code."""
    used: bool = True
    """False: read by author code at most (`conf.get`); nothing in Gnomon depends on it."""

    @property
    def key(self) -> Key:
        return Key(self.section, self.name)
