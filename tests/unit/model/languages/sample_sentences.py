"""A sentence of each code, with arguments that no language has words for."""

from __future__ import annotations

from collections.abc import Iterator

from gnomon.model.instants import SECOND
from gnomon.model.sentences import (
    ArgumentKind,
    ArgumentValue,
    Command,
    CronText,
    RunName,
    Sentence,
    TaskName,
    quote,
    say,
)
from gnomon.model.sentences.catalogue import TERM_ARGUMENTS, WORDS
from gnomon.model.sentences.templates import find_kind, find_template

AT = 1_772_355_600 * SECOND
_NUMBERS = ("number", "at_number", "size", "minute")
_TIMES = ("start_time", "end_time")
_ITEMS = (quote("X9"), quote("Y9"))
_VALUES: dict[ArgumentKind, ArgumentValue] = {
    ArgumentKind.TEXT: "X9",
    ArgumentKind.COUNT: 7,
    ArgumentKind.INSTANT: AT,
    ArgumentKind.DURATION: 12.5,
    ArgumentKind.ORDINAL: 2,
    ArgumentKind.CRON: CronText("0 4 * * *", "At 04:00"),
    ArgumentKind.DAG: "D9",
    ArgumentKind.RUN: RunName("D9", "R9"),
    ArgumentKind.TASK: TaskName("D9", "R9", "T9", 3),
    ArgumentKind.POOL: "P9",
    ArgumentKind.ASSET: "A9",
    ArgumentKind.COMMAND: Command("dags unpause", ("D9",)),
    ArgumentKind.PHRASE: quote("X9"),
    ArgumentKind.LIST: _ITEMS,
    ArgumentKind.CLAUSES: _ITEMS,
    ArgumentKind.ALL: _ITEMS,
    ArgumentKind.ANY: _ITEMS,
}


def list_samples(phrase: Sentence | None = None) -> Iterator[Sentence]:
    """One sentence a code; `phrase`: what stands in the place of phrases and the items of lists."""
    for code in WORDS:
        yield say(code, **{name: make_value(name, phrase) for name in find_template(code).names})


def make_value(name: str, phrase: Sentence | None = None) -> ArgumentValue:
    """A value of the kind of the argument."""
    if name in _NUMBERS:
        return "3"
    if name in _TIMES:
        return "09:00"
    if name in TERM_ARGUMENTS:
        return "failed"
    kind = find_kind(name)
    if phrase is not None and kind is ArgumentKind.PHRASE:
        return phrase
    return (phrase, phrase) if phrase is not None and isinstance(_VALUES[kind], tuple) else _VALUES[kind]
