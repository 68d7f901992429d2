"""Dependencies and their rules in words: a sentence for an edge, and a name and a meaning for each rule that finds upstream slots."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.model.upstream_edges import AfterSpec, Edge


class RuleWords(NamedTuple):
    """The name and the meaning of a rule of `dependencies.Resolution`."""

    name: str
    meaning: str


_WORDS = {
    "whole_day": RuleWords("whole day", "all slots of the day"),
    "one_to_one": RuleWords(
        "rule one", "both DAGs have the same number of slots that day: the k-th waits for the k-th"
    ),
    "backward": RuleWords("rule two, backward", "all slots since the previous run"),
    "carried": RuleWords(
        "rule two, carried", "no slot since the previous run: the slots that the last run with new slots waited for"
    ),
    "nearest": RuleWords("rule two, nearest", "no slot since the previous run: the last slot that day"),
    "forward": RuleWords("rule two, forward", "no earlier slot that day: the next slot"),
    "same_hour": RuleWords("same hour", "all slots of the run's hour"),
    "span": RuleWords("span", "all slots of the time span that ends with the run"),
    "previous": RuleWords("previous", "an earlier period"),
    "logical_date": RuleWords("logical date", "the slot with the logical date that the sensor looks for"),
    "no_such_date": RuleWords(
        "no such slot", "no slot has the logical date that the sensor looks for: it waits until its timeout"
    ),
    "none": RuleWords("none", "no such slot: the run does not wait"),
}


def rule_words_of(rule: str) -> RuleWords:
    """The words for a rule; an unknown rule, stored by a newer version, is shown as it is stored."""
    return _WORDS.get(rule) or RuleWords(rule, rule)


_TAKE = {"last": "the last of them", "first": "the first of them", "any": "any one of them"}
_ON_FAILURE = {"proceed": "starts even when they fail", "cancel": "fails when they fail"}
_ON_ABSENT = {"wait": "waits also for slots without a run", "fail": "fails for slots without a run"}


def describe_edge(dag_id: str, edge: Edge) -> str:
    """A phrase such as `report waits for loads`, followed by the options that are not the defaults."""
    waiting = dag_id if edge.task_id is None else f"{dag_id}.{edge.task_id}"
    return ", ".join([f"{waiting} waits for {edge.label}", *describe_options(edge.after)])


def describe_options(after: AfterSpec) -> list[str]:
    """A phrase for each option of a dependency that is not the default."""
    phrases = [_describe_periods(after.previous)] if after.previous else []
    phrases += [words[chosen] for words, chosen in _list_options(after) if chosen in words]
    if after.empty_interval != "carry":
        phrases.append(f"empty_interval={after.empty_interval}")
    if after.max_wait_s is not None:
        phrases.append(f"at most {after.max_wait_s:g} s")
    return phrases + ([f"days of {after.zone}"] if after.zone is not None else [])


def _list_options(after: AfterSpec) -> list[tuple[dict[str, str], str]]:
    return [(_TAKE, after.take), (_ON_FAILURE, after.on_failure), (_ON_ABSENT, after.on_absent)]


def _describe_periods(back: int) -> str:
    return "the period before" if back == 1 else f"{back} periods before"
