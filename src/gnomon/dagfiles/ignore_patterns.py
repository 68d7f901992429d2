"""The patterns of ignore files, which authors write: none holds up the dag-processor, which reads the folders of all authors."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol

from gnomon.config.pattern_cost import is_linear
from gnomon.processes.cpu_deadline import CpuDeadlineExceeded, limit_cpu

MATCH_S = 1.0
"""Processor time of one match of a regular expression."""
_WILDCARDS_MAX = 2
"""With more of them the engine of expressions may try too many ways; then the pattern is followed position by position."""
_ANYTHING = ".*"


class PathPattern(Protocol):
    """Says which paths a line of an ignore file is about."""

    problem: str | None
    """Why the pattern is not applied any more."""

    def search(self, path: str) -> bool:
        """Whether the pattern occurs in the path."""


class Regexp:
    """A regular expression that is found anywhere in a path. One that takes longer than MATCH_S is not applied any more."""

    def __init__(self, pattern: str) -> None:
        """Raises re.error."""
        self.problem: str | None = None
        self._text = pattern
        self._pattern = re.compile(pattern)
        self._is_quick = _is_quick(pattern)

    def search(self, path: str) -> bool:
        if self._is_quick:
            return self._pattern.search(path) is not None
        if self.problem is not None:
            return False
        try:
            with limit_cpu(MATCH_S):
                return self._pattern.search(path) is not None
        except CpuDeadlineExceeded:
            self.problem = (
                f"{self._text!r} took longer than {MATCH_S:g} s for the path {path!r}: the line is not applied; write a pattern without a repetition inside a repetition"
            )
            return False


def _is_quick(pattern: str) -> bool:
    """Whether a search takes at most as many steps as a path has pairs of characters."""
    core = pattern.removeprefix("^").removeprefix(_ANYTHING).removesuffix(_ANYTHING)
    return is_linear(f"^{pattern.removeprefix('^')}") or (is_linear(f"^{core}") and not any(sign in core for sign in "*+{"))


class Glob:
    """A pattern of .gitignore, given as parts: a character, or `?`, `*`, `**` (anything), `**/` (any folders), or a class `[...]`."""

    problem: str | None = None

    def __init__(self, parts: list[GlobPart], *, is_anchored: bool) -> None:
        self._parts = parts if is_anchored else [FOLDERS, *parts]
        wildcards = sum(part.repeats for part in self._parts)
        self._pattern = re.compile(f"^{''.join(part.expression for part in self._parts)}$") if wildcards <= _WILDCARDS_MAX + (not is_anchored) else None

    def search(self, path: str) -> bool:
        if self._pattern is not None:
            return self._pattern.search(path) is not None
        return self._follow(path)

    def _follow(self, path: str) -> bool:
        """Each character once for each part: `places` are the parts that may come next."""
        parts, places = self._parts, self._skip({0}, 0, path)
        for position, character in enumerate(path):
            after = set()
            for place in places:
                if place < len(parts) and parts[place].takes(character):
                    after.add(place if parts[place].repeats else place + 1)
            places = self._skip(after, position + 1, path)
            if not places:
                return False
        return len(parts) in places

    def _skip(self, places: set[int], position: int, path: str) -> set[int]:
        """Also the places behind repetitions that may end here."""
        waiting = list(places)
        while waiting:
            place = waiting.pop()
            if place < len(self._parts) and self._parts[place].may_end(position, path) and place + 1 not in places:
                places.add(place + 1)
                waiting.append(place + 1)
        return places


class GlobPart:
    """A part of a glob. `repeats`: it takes any number of characters."""

    def __init__(self, expression: str, *, takes: str = ".", repeats: bool = False, ends: str = "anywhere") -> None:
        self.expression = expression
        self.repeats = repeats
        self._takes = re.compile(takes, re.DOTALL)
        self._ends = ends

    def takes(self, character: str) -> bool:
        """Whether the part takes the character."""
        return self._takes.fullmatch(character) is not None

    def may_end(self, position: int, path: str) -> bool:
        """Whether what follows a repetition may begin at the position."""
        if not self.repeats:
            return False
        return self._ends == "anywhere" or position == 0 or path[position - 1] == "/"


FOLDERS = GlobPart("(?:.*/)?", repeats=True, ends="behind a slash")
ANY_NAME = GlobPart("[^/]*", takes="[^/]", repeats=True)
ANY_CHARACTER = GlobPart("[^/]", takes="[^/]")
EVERYTHING = (GlobPart("."), GlobPart(".*", repeats=True))
"""At least one character: `**` at the end."""


def literal(character: str) -> GlobPart:
    """The character itself."""
    return GlobPart(re.escape(character), takes=re.escape(character))


def one_of(expression: str) -> GlobPart:
    """One character of a class, as a regular expression. Raises re.error."""
    return GlobPart(expression, takes=expression)


@lru_cache(maxsize=1024)
def compile_regexp(pattern: str) -> Regexp:
    """The same object for the same text: what has taken too long once is not tried at the next listing. Raises re.error."""
    return Regexp(pattern)
