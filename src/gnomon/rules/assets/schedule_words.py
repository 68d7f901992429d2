"""The schedule of a DAG in words: its timetable, its assets, or both."""

from __future__ import annotations

from gnomon.model.assets import AliasKey, AllOf, AnyOf, AssetCondition
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec
from gnomon.rules.timetables.stored_words import describe_timetable, summarize_timetable


def summarize_schedule(spec: DagSpec) -> Sentence:
    """The schedule in a few words, for listings."""
    if spec.asset_condition is None:
        return summarize_timetable(spec.timetable)
    if spec.timetable.can_be_scheduled:
        return say("asset_or_schedule", schedule=summarize_timetable(spec.timetable))
    return say("partitioned_asset" if spec.partition_rules else "asset")


def describe_schedule(spec: DagSpec) -> Sentence | None:
    """The schedule as a sentence; None where there is none."""
    if spec.asset_condition is None:
        return describe_timetable(spec.timetable)
    condition = say_condition(spec.asset_condition)
    times = describe_timetable(spec.timetable) if spec.timetable.can_be_scheduled else None
    if times is None:
        return say("triggered_by_condition", condition=condition)
    return say("triggered_by_condition_or_schedule", condition=condition, schedule=times)


def say_condition(condition: AssetCondition, *, nested: bool = False) -> Sentence:
    """The condition as `orders AND (customers OR alias daily)`."""
    if isinstance(condition, AliasKey):
        return say("named_alias", alias=condition.name)
    if not isinstance(condition, AllOf | AnyOf):
        return say("this_asset", asset=str(condition.name or condition.uri))
    parts = tuple(say_condition(part, nested=True) for part in condition.parts)
    in_brackets = nested and len(parts) > 1
    if isinstance(condition, AllOf):
        return say("all_of_in_brackets" if in_brackets else "all_of", all_parts=parts)
    return say("any_of_in_brackets" if in_brackets else "any_of", any_parts=parts)
