"""The rules by which a run's upstream slots are found, in words. Each has a name for listings and a sentence for its reader."""

from __future__ import annotations

from typing import NamedTuple


class RuleWords(NamedTuple):
    """What people read for one rule of `dependencies.Resolution`."""

    name: str
    meaning: str


_WORDS = {
    "whole_day": RuleWords("whole day", "all slots of the day"),
    "one_to_one": RuleWords("rule one", "as many slots on both sides: the k-th waits for the k-th"),
    "backward": RuleWords("rule two, backward", "all slots since the run before"),
    "carried": RuleWords("rule two, carried", "nothing since the run before: what the last run with news waited for"),
    "nearest": RuleWords("rule two, nearest", "nothing since the run before: the last slot that day"),
    "forward": RuleWords("rule two, forward", "nothing earlier that day: the next slot"),
    "same_hour": RuleWords("same hour", "all slots of its hour"),
    "span": RuleWords("span", "all slots of the span that ends with it"),
    "previous": RuleWords("previous", "an earlier period"),
    "none": RuleWords("none", "no such slot: it waits for nothing"),
}


def words_of(rule: str) -> RuleWords:
    """The words for a rule; one of a newer version is shown as it is stored."""
    return _WORDS.get(rule) or RuleWords(rule, rule)
