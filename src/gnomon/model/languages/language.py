"""The texts of a language other than English."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SECTIONS = ("sentences", "terms", "joints", "ordinals", "cron", "texts", "columns", "page")
"""The parts of a file of a language, each a mapping."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """The texts of a language; what it lacks is shown in English."""

    id: str
    """As in HTML and in `LANG`: `zh`."""
    name: str
    """What its speakers call it: 中文."""
    sentences: Mapping[str, str | list[str]] = field(default_factory=dict)
    """By code: the words, or those for a count of one and for others."""
    terms: Mapping[str, str] = field(default_factory=dict)
    """By the English ones: words of ours that arguments hold, and names of days and months."""
    joints: Mapping[str, str] = field(default_factory=dict)
    """What stands between the items of a list (`list`, `clauses`, `all`, `any`, `cron`), between a text and its reason (`because`), and how a count
    of things (`count_of_term`), a step of a cron expression within a range (`step`) and the units of a duration (`d`, `h`, `min`, `s`) are written."""
    ordinals: Mapping[str, str] = field(default_factory=dict)
    """By number, from -1 backwards; `other` and `last` with `{number}` for those that are not named."""
    cron: Mapping[str, str] = field(default_factory=dict)
    """Parts of the English words of a cron expression, with `{name}` for what differs: lists for `times`, `minutes`, `days` and `months`."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """English texts of the server that are no sentences of the catalogue, such as the descriptions of options."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """The names of the columns of the tables of commands, and `yes` and `no`."""
    page: Mapping[str, str] = field(default_factory=dict)
    """The page's own texts, by their English ones."""
