"""Stored timetables in words: a built-in class has its own, an author's those that were stored when its file was parsed."""

from __future__ import annotations

from gnomon.model.errors.timetable import TimetableNotBuilt
from gnomon.model.sentences import Sentence, quote
from gnomon.model.slots import TimetableRef
from gnomon.rules.timetables.registry import build


def summarize_timetable(ref: TimetableRef) -> Sentence:
    """The timetable in a few words, for listings: the name of its class where it cannot be read."""
    if not ref.builtin:
        return quote(ref.summary or ref.class_name)
    try:
        return build(ref).summarize()
    except TimetableNotBuilt:
        return quote(ref.class_name)


def describe_timetable(ref: TimetableRef) -> Sentence | None:
    """The timetable as a sentence; None where there is none."""
    if not ref.builtin:
        return quote(ref.description) if ref.description else None
    try:
        return build(ref).describe()
    except TimetableNotBuilt:
        return None
