"""Formats of keys that `strptime` cannot read back: with the number of a week or of a quarter."""

from __future__ import annotations

import re
from collections.abc import Mapping

_DIRECTIVES = {
    "Y": r"\d{4}",
    "m": r"\d{2}",
    "d": r"\d{2}",
    "H": r"\d{2}",
    "M": r"\d{2}",
    "S": r"\d{2}",
    "V": r"\d{2}",
    "U": r"\d{2}",
    "W": r"\d{2}",
}
_TOKEN = re.compile(r"%([YmdHMSVUW])|\{([^}]*)\}|(.)", re.DOTALL)
_ANY_WORD = r"\w+"
OPEN_MAX = 2
"""Placeholders of any word that no separator ends. Each multiplies the ways to divide a key among them, which are all tried for a key that does not fit."""


def compile_key_format(text: str, placeholders: Mapping[str, str] | None = None) -> re.Pattern[str]:
    """A pattern for a whole key, with a group for each directive and each `{placeholder}`.

    `placeholders`: name to the pattern of its value; others match any word. Raises ValueError for a name that is used twice or is no
    identifier, for two placeholders of any word side by side, which could not be told apart, and for more than OPEN_MAX that no separator ends.
    """
    known_placeholders, parts, seen_groups, after_word, open_words = placeholders or {}, [], set(), False, 0
    for directive, name, literal in _TOKEN.findall(text):
        is_placeholder = not directive and not literal
        group = directive or name
        open_words += after_word and (not literal or re.match(r"\w", literal) is not None)
        if literal:
            parts.append(re.escape(literal))
            after_word = False
            continue
        if is_placeholder and not name.isidentifier():
            raise ValueError(
                f"output_format {text!r} has invalid placeholder {{{name}}}; a placeholder is an identifier"
            )
        if group in seen_groups:
            raise ValueError(
                f"output_format {text!r} reuses {'placeholder' if is_placeholder else 'directive'} {group!r}; use each once"
            )
        is_word = is_placeholder and name not in known_placeholders
        if is_word and after_word:
            raise ValueError(
                f"output_format {text!r} has adjacent default-pattern placeholders ending at {{{name}}}; put a separator between them"
            )
        seen_groups.add(group)
        after_word = is_word
        parts.append(f"(?P<{group}>{_DIRECTIVES[directive] if directive else known_placeholders.get(name, _ANY_WORD)})")
    if open_words > OPEN_MAX:
        raise ValueError(
            f"output_format {text!r} has {open_words} placeholders that a letter, a digit, _ or a directive follows, and at most {OPEN_MAX} can be read back;"
            " put a separator such as - behind the others"
        )
    return re.compile(f"^{''.join(parts)}$")
