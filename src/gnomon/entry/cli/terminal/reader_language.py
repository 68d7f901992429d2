"""The language in which sentences are shown to whoever reads the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.entry.cli.terminal.screen import is_plain_asked
from gnomon.ground.config.environment import environment

if TYPE_CHECKING:
    from gnomon.model.languages.language import Language
    from gnomon.model.sentences import Sentence


def find_reader_language() -> Language | None:
    """The language of GNOMON_LANGUAGE, else of the locale; None for English, and for `-o plain`, which programs read."""
    from gnomon.ground.config.language_files import choose_language  # start-up cost: only for what is shown

    return None if is_plain_asked() else choose_language(environment())


def put_into_words(text: str) -> str:
    """A sentence of the catalogue in the language of the reader; any other text as it is."""
    language = find_reader_language()
    if language is None:
        return text
    from gnomon.model.languages.translation import translate  # has the whole catalogue

    return translate(text, language)


def word(sentence: Sentence) -> str:
    """A sentence in the language of the reader."""
    from gnomon.model.sentences import render  # has the whole catalogue

    language = find_reader_language()
    if language is None:
        return render(sentence)
    from gnomon.model.languages.translation import render_in

    return render_in(sentence, language)


def name_column(column: str) -> str:
    """The name of a column of a table, or of a value such as `yes`, in the language of the reader."""
    language = find_reader_language()
    return column if language is None else language.columns.get(column, column)
