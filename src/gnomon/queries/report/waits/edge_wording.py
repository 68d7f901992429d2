"""Dependencies and their rules in words: a sentence for an edge, and a name and a meaning for each rule that finds upstream slots."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.model.sentences import Sentence, render, say
from gnomon.model.upstream_edges import DependencySpec, Edge


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


_TAKE = {"last": "takes_last_slot", "first": "takes_first_slot", "any": "takes_any_slot"}
_ON_FAILURE = {"proceed": "starts_after_failures", "cancel": "fails_after_failures"}
_ON_ABSENT = {"wait": "waits_for_absent_slots", "fail": "fails_for_absent_slots"}


def describe_edge(dag_id: str, edge: Edge) -> Sentence:
    """A phrase such as `report waits for loads`, followed by the options that are not the defaults."""
    return _say_edge("edge_waits", dag_id, edge)


def describe_closed_edge(dag_id: str, edge: Edge) -> Sentence:
    """`report waited for loads`, with the options."""
    return _say_edge("edge_waited", dag_id, edge)


def _say_edge(code: str, dag_id: str, edge: Edge) -> Sentence:
    options = _list_options(edge.dependency)
    return say(
        code,
        waiting=_name_side(dag_id, edge.task_id),
        upstream=_name_side(edge.dependency.dag_id, edge.dependency.task_id),
        chosen=say("with_options", phrases=tuple(options)) if options else None,
    )


def _name_side(dag_id: str, task_id: str | None) -> Sentence:
    return say("dag", dag=dag_id) if task_id is None else say("task_of_dag", dag=dag_id, task_id=task_id)


def describe_options(after: DependencySpec) -> list[str]:
    """A phrase for each option of a dependency that is not the default."""
    return list(map(render, _list_options(after)))


def _list_options(after: DependencySpec) -> list[Sentence]:
    chosen = ((_TAKE, after.take), (_ON_FAILURE, after.on_failure), (_ON_ABSENT, after.on_absent))
    phrases = [say("periods_before", count=after.previous)] if after.previous else []
    phrases += [say(codes[option]) for codes, option in chosen if option in codes]
    if after.empty_interval != "carry":
        phrases.append(say("empty_interval_is", option=after.empty_interval))
    if after.max_wait_s is not None:
        phrases.append(say("waits_at_most", max_wait=after.max_wait_s))
    return phrases + ([say("days_of_zone", zone=after.zone)] if after.zone is not None else [])
