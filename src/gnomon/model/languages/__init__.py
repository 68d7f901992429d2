"""Sentences of the catalogue in the language of a reader. What is stored, logged and given to programs stays English."""

from gnomon.model.languages.language import SECTIONS, Language
from gnomon.model.languages.recognition import recognize
from gnomon.model.languages.translation import list_spans_in, list_spans_of_text, render_in, translate

__all__ = [
    "SECTIONS",
    "Language",
    "list_spans_in",
    "list_spans_of_text",
    "recognize",
    "render_in",
    "translate",
]
