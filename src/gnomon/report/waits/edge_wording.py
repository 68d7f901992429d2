"""The rules by which a run's upstream slots are found, in words. Each has a name for listings and a sentence for its reader."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.model.upstream_edges import AfterSpec, Edge


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


def rule_words_of(rule: str) -> RuleWords:
    """The words for a rule; one of a newer version is shown as it is stored."""
    return _WORDS.get(rule) or RuleWords(rule, rule)


_TAKE = {"last": "the last of them", "first": "the first of them", "any": "any one of them"}
_ON_FAILURE = {"proceed": "goes on when they fail", "cancel": "fails when they fail"}
_ON_ABSENT = {"wait": "also for slots without a run", "fail": "fails for slots without a run"}


def describe_edge(dag_id: str, edge: Edge) -> str:
    """`report waits for loads`, with what its author chose."""
    waiting = dag_id if edge.task_id is None else f"{dag_id}.{edge.task_id}"
    return ", ".join([f"{waiting} waits for {edge.label}", *describe_options(edge.after)])


def describe_options(after: AfterSpec) -> list[str]:
    """What is not as usual, in words."""
    told = [_describe_periods(after.previous)] if after.previous else []
    told += [words[chosen] for words, chosen in _list_options(after) if chosen in words]
    if after.empty_interval != "carry":
        told.append(f"empty_interval={after.empty_interval}")
    if after.max_wait_s is not None:
        told.append(f"at most {after.max_wait_s:g} s")
    return told + ([f"days of {after.zone}"] if after.zone is not None else [])


def _list_options(after: AfterSpec) -> list[tuple[dict[str, str], str]]:
    return [(_TAKE, after.take), (_ON_FAILURE, after.on_failure), (_ON_ABSENT, after.on_absent)]


def _describe_periods(back: int) -> str:
    return "the period before" if back == 1 else f"{back} periods before"
