"""Words inside arguments in a language: terms, ordinals and durations."""

from __future__ import annotations

import re

from gnomon.model.languages.language import Language
from gnomon.model.sentences.spans import UNITS

_NUMBER_OF = re.compile(r"(\d[\d,]*) (.+)")
_TERM_SEPARATORS = {", ": "list", " or ": "any", " and ": "list"}


def put_terms(text: str, language: Language) -> str:
    """Words of ours, alone, with a number before them, or several with commas between them."""
    if text in language.terms:
        return language.terms[text]
    for separator, joint in _TERM_SEPARATORS.items():
        if separator in text:
            items = text.split(separator)
            words = [put_terms(item, language) for item in items]
            return language.joints.get(joint, separator).join(words) if words != items else text
    counted = _NUMBER_OF.fullmatch(text)
    if counted and counted[2] in language.terms:
        return language.joints.get("count_of_term", "{count} {term}").format(
            count=counted[1], term=language.terms[counted[2]]
        )
    return text


def put_ordinal(number: int, language: Language) -> str | None:
    """None: the language has no words for it."""
    words = language.ordinals.get(str(number)) or language.ordinals.get("last" if number < 0 else "other")
    return words and words.format(number=abs(number))


def put_duration(seconds: float, language: Language) -> str:
    """At most two units: 1 小时 5 分钟."""
    if seconds < 60:
        return _put_unit(f"{seconds:g}", "s", language)
    parts: list[str] = []
    whole = round(seconds)
    for unit, size in UNITS:
        count, whole = divmod(whole, size)
        if count and len(parts) < 2:
            parts.append(_put_unit(str(count), unit, language))
    return " ".join(parts)


def _put_unit(number: str, unit: str, language: Language) -> str:
    return language.joints.get(unit, f"{{number}} {unit}").format(number=number)
