"""Reads `.airflowignore` files: which files below a folder are not DAG files.

`glob` (the default) is the syntax of .gitignore: the last pattern that matches decides, a pattern with `!` includes a path
again, a pattern with a slash is anchored at the folder of its file. `regexp`: a pattern that is found anywhere in the path
below the DAG folder excludes the file. Rules apply to the folder of the ignore file and to everything below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

FILE_NAME = ".airflowignore"
BYTES_MAX = 1_048_576
"""A larger ignore file is not applied."""
RULES_MAX = 2_000
LINE_MAX = 2_000


class IgnoreRule(NamedTuple):
    """One line of an ignore file: it excludes the paths that it matches, or includes them again."""

    pattern: re.Pattern[str]
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

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether the last rule that matches ignores the path (relative to the DAG folder); None when none matches."""
        shown = path if self.whole_path or not self.folder else path[len(self.folder) + 1 :]
        for rule in reversed(self.rules):
            if (is_folder or not rule.is_folders_only) and rule.pattern.search(shown):
                return rule.is_ignoring
        return None


def parse_ignore_file(text: str, folder: str, *, regexp: bool) -> tuple[IgnoreRules, list[str]]:
    """The rules of an ignore file's text, and one message for each line that is not valid or beyond a bound."""
    rules: list[IgnoreRule] = []
    problems: list[str] = []
    place = f"{folder}/{FILE_NAME}" if folder else FILE_NAME
    for number, line in enumerate(text.splitlines(), 1):
        if len(rules) >= RULES_MAX:
            problems.append(
                f"{place} has more than {RULES_MAX} rules: those from line {number} on are not applied; ignore whole folders"
            )
            break
        if len(line) > LINE_MAX:
            problems.append(
                f"{place}, line {number}: the pattern has more than {LINE_MAX} characters, and is not applied; shorten it"
            )
            continue
        try:
            rule = _parse_regexp(line) if regexp else _parse_glob(line)
        except (re.error, RecursionError, OverflowError) as error:
            problems.append(
                f"{place}, line {number}: {line.strip()[:200]!r} is not a {'regular expression' if regexp else 'pattern'}: {error}"
            )
            continue
        if rule is not None:
            rules.append(rule)
    return IgnoreRules(folder, tuple(rules), whole_path=regexp), problems


def is_ignored(path: str, is_folder: bool, layers: Sequence[IgnoreRules]) -> bool:
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
    return IgnoreRule(re.compile(pattern)) if pattern else None


def _parse_glob(line: str) -> IgnoreRule | None:
    pattern = line if line.endswith("\\ ") else line.rstrip()
    if not pattern or pattern.startswith("#"):
        return None
    ignores = not pattern.startswith("!")
    pattern = pattern if ignores else pattern[1:]
    pattern = pattern[1:] if pattern.startswith(("\\#", "\\!")) else pattern
    folders_only = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    anchored = "/" in pattern
    body = _glob_to_regexp(pattern.lstrip("/"))
    return IgnoreRule(re.compile(f"{'^' if anchored else '(?:^|/)'}{body}$"), ignores, folders_only) if body else None


@lru_cache(maxsize=1024)
def _glob_to_regexp(pattern: str) -> str:
    """The regular expression of one .gitignore pattern. It never looks again at what is behind a `*` or `**` that has matched: no pattern takes long.

    What stands between two `**`, and in a name between two `*`, has a fixed length, so its first match is as good as any other: an atomic group.
    """
    parts: list[list[str]] = [[]]
    names = pattern.split("/")
    is_any_below = names[-1] == "**"
    for name in names[:-1] if is_any_below else names:
        if name == "**":
            parts.append([])
        else:
            parts[-1].append(_name_to_regexp(name))
    first = "/".join(parts[0])
    more = ["/".join(part) for part in parts[1:] if part]
    out = [first, "/"] if first and (parts[1:] or is_any_below) else [first]
    for number, part in enumerate(more, 1):
        is_last = number == len(more) and not is_any_below
        out.append(f"(?:[^/]+/)*?{part}" if is_last else f"(?>(?:[^/]+/)*?{part}/)")
    return "".join(out) + (".+" if is_any_below else "")


def _name_to_regexp(name: str) -> str:
    """The regular expression of a pattern for one name of a path."""
    pieces: list[str] = [""]
    at = 0
    while at < len(name):
        if name[at] == "*":
            pieces.append("")
        elif name[at] == "[" and (end := name.find("]", at + 2)) > 0:
            inside = name[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            pieces[-1] += f"[^/{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]"
            at = end
        elif name[at] == "\\" and at + 1 < len(name):
            at += 1
            pieces[-1] += re.escape(name[at])
        else:
            pieces[-1] += "[^/]" if name[at] == "?" else re.escape(name[at])
        at += 1
    first, *others = pieces
    if not others:
        return first
    between = "".join(f"(?>[^/]*?{piece})" for piece in others[:-1] if piece)
    return f"{first}{between}[^/]*{others[-1]}"
