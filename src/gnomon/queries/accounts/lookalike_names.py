"""Names of accounts that can be read as another name: people choose their names at some identity providers, and the audit log and the pages show them."""

from __future__ import annotations

import unicodedata

_INVISIBLE = frozenset("\u115f\u1160\u3164\uffa0")
"""Fillers of Hangul: letters for Unicode, and nothing on a screen."""
_EAST_ASIAN = frozenset({"LATIN", "CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL"})
"""Scripts that names mix, and whose letters look different (Unicode Technical Standard 39, section 5.2, "highly restrictive")."""


def find_lookalike_fault(name: str) -> str | None:
    """Why a name could be read as another one; None for a name that is safe in this respect. Names within one script are not compared."""
    if any(character in _INVISIBLE for character in name):
        return "it has a letter that cannot be seen"
    plain = unicodedata.normalize("NFKC", name)
    if plain != name:
        return f"it has characters that are other forms of those of {plain!r}"
    scripts = {
        _find_script(character) for character in name if unicodedata.category(character) in ("Ll", "Lu", "Lt", "Lo")
    }
    if len(scripts) > 1 and not scripts <= _EAST_ASIAN:
        return f"it mixes letters of several alphabets ({', '.join(sorted(script.capitalize() for script in scripts))}), some of which look alike"
    return None


def _find_script(letter: str) -> str:
    """The first word of the letter's name in Unicode, which is that of its script."""
    return unicodedata.name(letter, "UNKNOWN").replace("-", " ").partition(" ")[0]
