"""Reads `.airflowignore` files: which files below a folder are not DAG files.

`glob` (the default) is the syntax of .gitignore: the last pattern that matches decides, a pattern with `!` includes a path
again, a pattern with a slash is anchored at the folder of its file. `regexp`: a pattern that is found anywhere in the path
below the DAG folder excludes the file. Rules apply to the folder of the ignore file and to everything below it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from gnomon.dagfiles.ignore_patterns import (
    ANY_CHARACTER,
    ANY_NAME,
    EVERYTHING,
    FOLDERS,
    Glob,
    GlobPart,
    PathPattern,
    compile_regexp,
    literal,
    one_of,
)

FILE_NAME = ".airflowignore"


class IgnoreRule(NamedTuple):
    """One line of an ignore file: it excludes the paths that it matches, or includes them again."""

    pattern: PathPattern
    is_ignoring: bool = True
    is_folders_only: bool = False


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules of one ignore file, relative to its folder."""

    folder: str
    """Path relative to the DAG folder, `/`-separated; empty for the DAG folder itself."""
    rules: tuple[IgnoreRule, ...]
    whole_path: bool
    """True for regexp syntax: patterns match the path relative to the DAG folder, not relative to `folder`."""

    def list_problems(self) -> list[str]:
        """A sentence about each rule that has taken too long."""
        return [f"{self.place}: {rule.pattern.problem}" for rule in self.rules if rule.pattern.problem is not None]

    @property
    def place(self) -> str:
        """The path of the file, relative to the DAG folder."""
        return f"{self.folder}/{FILE_NAME}" if self.folder else FILE_NAME

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether the last rule that matches ignores the path (relative to the DAG folder); None when none matches."""
        shown = path if self.whole_path or not self.folder else path[len(self.folder) + 1 :]
        for rule in reversed(self.rules):
            if (is_folder or not rule.is_folders_only) and rule.pattern.search(shown):
                return rule.is_ignoring
        return None


def parse_ignore_file(text: str, folder: str, *, regexp: bool) -> tuple[IgnoreRules, list[str]]:
    """The rules of an ignore file's text, and one message for each line that is not valid."""
    rules: list[IgnoreRule] = []
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            rule = _parse_regexp(line) if regexp else _parse_glob(line)
        except re.error as error:
            place = f"{folder}/{FILE_NAME}" if folder else FILE_NAME
            problems.append(f"{place}, line {number}: {line.strip()!r} is not a {'regular expression' if regexp else 'pattern'}: {error}")
            continue
        if rule is not None:
            rules.append(rule)
    return IgnoreRules(folder, tuple(rules), whole_path=regexp), problems


def is_ignored(path: str, is_folder: bool, layers: list[IgnoreRules]) -> bool:
    """Whether the ignore files of the path's folders (`layers`, outermost first) exclude it; the innermost match decides.

    With regexp syntax any layer can exclude the path, and none can include it again.
    """
    for rules in reversed(layers):
        verdict = rules.verdict(path, is_folder)
        if verdict is not None:
            return verdict
    return False


def _parse_regexp(line: str) -> IgnoreRule | None:
    pattern = re.sub(r"\s*#.*", "", line).strip()
    return IgnoreRule(compile_regexp(pattern)) if pattern else None


def _parse_glob(line: str) -> IgnoreRule | None:
    pattern = line if line.endswith("\\ ") else line.rstrip()
    if not pattern or pattern.startswith("#"):
        return None
    ignores = not pattern.startswith("!")
    pattern = pattern if ignores else pattern[1:]
    pattern = pattern[1:] if pattern.startswith(("\\#", "\\!")) else pattern
    folders_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    body = pattern.lstrip("/")
    return IgnoreRule(_compile_glob(body, is_anchored="/" in pattern), ignores, folders_only) if body else None


@lru_cache(maxsize=1024)
def _compile_glob(pattern: str, *, is_anchored: bool) -> Glob:
    """One .gitignore pattern. Raises re.error for a class of characters that is none."""
    parts: list[GlobPart] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            parts.append(FOLDERS)
            at += 3
        elif pattern[at:] == "**" and (at == 0 or pattern[at - 1] == "/"):
            parts += EVERYTHING
            at += 2
        elif pattern[at] == "[" and (end := pattern.find("]", at + 2)) > 0:
            inside = pattern[at + 1 : end].replace("\\", "\\\\")
            parts.append(one_of(f"[^/{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]"))
            at = end + 1
        elif pattern[at] == "\\" and at + 1 < len(pattern):
            parts.append(literal(pattern[at + 1]))
            at += 2
        else:
            parts.append({"*": ANY_NAME, "?": ANY_CHARACTER}.get(pattern[at]) or literal(pattern[at]))
            at += 1
    return Glob(parts, is_anchored=is_anchored)
