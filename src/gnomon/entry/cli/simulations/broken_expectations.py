"""How a text names the runs that break expectations: the first of each, and how many more do."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.sentences import Sentence, say


def shorten_violations(violations: Iterable[Sentence]) -> list[Sentence]:
    """One or two sentences for each expectation."""
    by_text: dict[object, list[Sentence]] = {}
    for sentence in violations:
        by_text.setdefault(dict(sentence.arguments).get("text"), []).append(sentence)
    shortened = []
    for text, sentences in by_text.items():
        shortened.append(sentences[0])
        if len(sentences) > 1:
            shortened.append(say("expectation_is_broken_by_more", count=len(sentences) - 1, text=str(text)))
    return shortened
