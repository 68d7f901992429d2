"""Whether a regular expression reads a text in time proportional to its length, whatever the text is.

Python's engine tries the ways to match one after the other. A repetition inside another, or two that can take the same characters, have so many ways that
30 characters take minutes, and the whole process waits.
"""

from __future__ import annotations

import re

_WAYS_MAX = 1_000
"""Ways in which the repetitions with an upper bound share the characters."""
_STEPS_MAX = 1_000_000
"""Steps of a pattern without a repetition that has no upper bound: they do not depend on the length of the text."""
_STEPS_AT_EACH_MAX = 1_000
"""Steps that are tried again at each character of the text, where a repetition without an upper bound may have ended."""
_PART = re.compile(
    r"(?P<atom>\\[wWdDsS.\-/\\+*?^$|(){}\[\]]|\[\^?[^\[\]\\^]*(?:\\[wWdDsS.\-/\\][^\[\]\\^]*)*\]|[^\\^$.|?*+(){}\[\]]|\.)"
    r"(?:(?P<unbounded>[*+])|(?P<optional>\?)|\{(?P<least>\d{1,4})(?P<range>,(?P<most>\d{0,4}))?\})?\??"
)


def is_linear(pattern: str) -> bool:
    """True for an empty pattern, and for one that begins with `^`, has no groups and no alternatives, and at most one repetition without an upper bound,
    whose rest takes few steps: `^a*a{9999}b$` tries those 9,999 at each character.

    False does not mean that it takes long: only that this cannot be told simply.
    """
    if not pattern.startswith("^"):
        return not pattern
    end = len(pattern) - (1 if pattern.endswith("$") and not pattern.endswith("\\$") else 0)
    position, unbounded, ways, steps = 1, 0, 1, 0
    while position < end:
        part = _PART.match(pattern, position, end)
        if part is None:
            return False
        position = part.end()
        if part["unbounded"] or (part["range"] and not part["most"]):
            unbounded += 1
        elif part["optional"]:
            ways *= 2
        elif part["most"]:
            ways *= max(1, int(part["most"]) - int(part["least"]) + 1)
        steps += max(1, int(part["most"] or part["least"] or 1))
        if unbounded > 1 or ways > _WAYS_MAX:
            return False
    return ways * steps <= (_STEPS_AT_EACH_MAX if unbounded else _STEPS_MAX)
