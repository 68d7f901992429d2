"""Sentences of DAG files: made without the catalogue, and without the modules of sentences until there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.model.sentences.sentence import ArgumentValue, Sentence


def say_unchecked(code: str, **arguments: ArgumentValue) -> Sentence:
    """As `say`, without the catalogue: for DAG files, which are loaded for each task and need no words. A test checks code and arguments."""
    from gnomon.model.sentences.sentence import Sentence  # start-up cost: few DAG files have a warning

    return Sentence(code, tuple(arguments.items()))
