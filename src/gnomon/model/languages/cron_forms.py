"""The English words of a cron expression, as cron-descriptor writes them, in a language.

They are parts with commas between them, `Every 15 minutes, at 04:00, 05:00 and 12:00, only in March`; a part may have a list, which has commas too.
"""

from __future__ import annotations

import functools
import re

from gnomon.model.languages.language import Language

_OR = " (or) "
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_NAMES = (
    *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_TIME = r"\d\d?:\d\d(?::\d\d)?"
_VALUE = rf"(?:{_TIME}|\d+|{'|'.join((*_NAMES, *_ORDINALS))})"
_RANGE = rf"{_VALUE} through {_VALUE}"
_STEP = rf"every \d+ (?:minutes|hours|days of the week|days|weeks|months)(?:, (?:{_RANGE}|starting {_VALUE}))?+"
_ITEM = rf"(?:{_STEP}|{_RANGE}|{_VALUE})"
_LIST = rf"(?>{_ITEM}(?:, {_ITEM})*,? and {_ITEM}|{_TIME}(?:, {_TIME})+|{_ITEM})"
"""Several values with `and` before the last, times with commas only, or one value. What is read is not given back, so that no text takes long."""
_LISTED = ("times", "minutes", "days", "months")
"""The arguments of parts that may be lists; all others are one value."""
_ITEMS = re.compile(_ITEM, re.IGNORECASE)


def put_cron(text: str, language: Language) -> str | None:
    """The words of a cron expression in the language; None: they are none, or one of their parts has no translation."""
    alternatives: list[str] = []
    for words in text.split(_OR):
        parts = _put_parts(words, language)
        if parts is None:
            return None
        alternatives.append(language.joints.get("cron", ", ").join(filter(None, parts)))
    return language.joints.get("any", _OR).join(alternatives)


def _put_parts(text: str, language: Language) -> list[str] | None:
    parts: list[str] = []
    place = 0
    while place < len(text):
        matched = _match_part(text, place, language)
        if matched is None:
            return None
        match, words = matched
        values = {name: _put_list(value, language) for name, value in match.groupdict().items()}
        if None in values.values():
            return None
        parts.append(words.format_map(values))
        place = match.end() + len(", ")
    return parts or None


def _match_part(text: str, place: int, language: Language) -> tuple[re.Match[str], str] | None:
    """The part that begins there, and its words in the language."""
    matches = ((pattern.match(text, place), words) for pattern, words in _list_patterns(language))
    return next(((match, words) for match, words in matches if match), None)


def _put_list(text: str, language: Language) -> str | None:
    items = [_put_item(item, language) for item in _ITEMS.findall(text)]
    return None if None in items else language.joints.get("list", ", ").join(filter(None, items))


def _put_item(text: str, language: Language) -> str | None:
    """A number, a time of day, the name of a day or a month, a range of them, or `every 2 hours, 06:00 through 18:59`."""
    if re.fullmatch(_VALUE, text):
        return language.terms.get(text, text)
    parts = _put_parts(text, language)
    if parts is None:
        return None
    if len(parts) == 1:
        return parts[0]
    return language.joints.get("step", "{step}, {range}").format(step=parts[0], range=parts[1])


@functools.lru_cache(maxsize=8)
def _list_patterns(language: Language) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(_write_pattern(english), re.IGNORECASE), words) for english, words in language.cron.items()]


def _write_pattern(english: str) -> str:
    """A pattern of a whole part."""
    pieces = re.split(r"\{(\w+)\}", english)
    values = (f"(?P<{name}>{_LIST if name in _LISTED else _VALUE})" for name in pieces[1::2])
    pattern = "".join(re.escape(literal) + next(values, "") for literal in pieces[::2])
    return f"{pattern}(?=, |$)"
