"""Which ids are allowed, and a message for those that are not."""

from __future__ import annotations

import re

ID_MAX = 250
GROUP_ID_MAX = 200
_ID = re.compile(r"[\w.-]+", re.UNICODE)
_GROUP_ID = re.compile(r"[\w-]+", re.UNICODE)


def check_id(kind: str, value: object, where: str = "") -> str:
    """The id of a DAG or task, checked: 1 to 250 letters, digits, `_`, `-`, `.`; TypeError or ValueError otherwise."""
    return _check(kind, value, where, _ID, ID_MAX, "letters, digits, '_', '-' and '.'")


def check_group_id(value: object, where: str = "") -> str:
    """The id of a task group, checked: 1 to 200 letters, digits, `_`, `-`."""
    return _check("group_id", value, where, _GROUP_ID, GROUP_ID_MAX, "letters, digits, '_' and '-'")


def _check(kind: str, value: object, where: str, allowed: re.Pattern[str], longest: int, words: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{kind} must be text, not {value!r} ({type(value).__name__}){where}.")
    if not allowed.fullmatch(value):
        raise ValueError(f"{kind} {value!r} has characters that are not allowed{where}. Use only {words}.")
    if len(value) > longest:
        raise ValueError(f"{kind} {value[:40]!r}… has {len(value)} characters{where}; at most {longest} are allowed.")
    return str(value)
