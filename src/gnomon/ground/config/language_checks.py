"""What is wrong with a file of a language: found when it is read, so that no sentence fails when it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gnomon.model.languages.language import SECTIONS
from gnomon.model.sentences.catalogue import WORDS
from gnomon.model.sentences.templates import find_template, parse_words

_WRITTEN_WITH = {
    "count_of_term": ("count", "term"),
    "step": ("step", "range"),
    **dict.fromkeys(("d", "h", "min", "s"), ("number",)),
}
"""The joints that have arguments."""


def find_fault(document: object) -> str | None:
    """The place of the first fault, and what must stand there; None: there is none."""
    if not isinstance(document, dict):
        return "it must be a JSON object of sections"
    for section, texts in document.items():
        if section == "name":
            if not isinstance(texts, str):
                return "name: it must be a text"
        elif section not in SECTIONS:
            return f"{section!r} is no section; there are name, {', '.join(SECTIONS)}"
        elif not isinstance(texts, dict):
            return f"{section}: it must be a JSON object of texts"
        else:
            faults = (f"{section}, {key!r}: {fault}" for key, fault in _iterate_faults(section, texts))
            fault = next(faults, None)
            if fault:
                return fault
    return None


def _iterate_faults(section: str, texts: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for key, value in texts.items():
        is_pair = section == "sentences" and isinstance(value, list) and len(value) == 2
        forms = value if is_pair and isinstance(value, list) else [value]
        words = [form for form in forms if isinstance(form, str)]
        if len(words) < len(forms):
            yield key, "it must be a text" + (", or a pair of texts" if section == "sentences" else "")
            continue
        names = _list_arguments(section, key)
        if names is not None:
            yield from ((key, fault) for form in words if (fault := _compare_names(form, names)))


def _list_arguments(section: str, key: str) -> tuple[str, ...] | None:
    """The arguments that the words may name; None: they are not looked for."""
    if section == "sentences":
        return find_template(key).names if key in WORDS else None
    if section == "cron":
        return tuple(part.name for part in parse_words(key) if part.name is not None)
    return ("number",) if section == "ordinals" else _WRITTEN_WITH.get(key) if section == "joints" else None


def _compare_names(words: str, names: tuple[str, ...]) -> str | None:
    try:
        unknown = {part.name for part in parse_words(words)} - {None, *names}
    except ValueError as error:
        return f"{error}; write an argument as {{name}}, and a brace as {{{{"
    if not unknown:
        return None
    arguments = ", ".join(f"{{{name}}}" for name in names) or "none"
    return f"there is no argument {{{min(map(str, unknown))}}}; there are {arguments}"
