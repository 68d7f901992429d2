"""When a mapped task is expanded, and to how many instances: from the tasks that it is mapped over to lengths or a verdict.

Order of the decision, as in Airflow: an upstream task that it is mapped over and that failed or was skipped decides at once,
whatever the trigger rule says; then the trigger rule; then the lengths. Source: airflow-surface.md D.9.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gnomon.model.mapping import ConcatLength, Expansion, Length, LiteralLength, XComLength, ZipLength
from gnomon.model.sentences import Sentence, say
from gnomon.model.states import FAILED_TASK_STATES, FINISHED_TASK_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.trigger_rules import RuleOutcome, Verdict

FactorLengths = tuple[tuple[int, ...], ...]
"""The lengths of the factors of each expansion: those of the outermost mapped group first, the task's own last."""

INSTANCES_MAX = 1_000_000
"""The most instances of one task in one run: each takes about a kilobyte of the scheduler's memory."""


class SourceFacts(NamedTuple):
    """A task that another one is mapped over, in one run."""

    task_id: str
    state: S | None = None
    """The state of its only instance; for an expanded task SUCCESS once all its instances are finished, else None."""
    length: int | None = None
    """The length of its return value, or the number of instances that returned one; None: it has no length."""
    is_expanded: bool = False
    is_present: bool = True
    """False: the run has no instance of it, because its start and end date exclude the run."""


_RUN = Verdict(RuleOutcome.RUN)


def list_sources(levels: Iterable[Expansion]) -> list[str]:
    """The ids of the tasks that the expansions refer to, each once, in the order in which they occur."""
    return list(
        dict.fromkeys(
            leaf.task_id for level in levels for leaf in _leaves(level.factors) if isinstance(leaf, XComLength)
        )
    )


def _leaves(lengths: Iterable[Length]) -> Iterator[LiteralLength | XComLength]:
    for length in lengths:
        if isinstance(length, LiteralLength | XComLength):
            yield length
        else:
            yield from _leaves(length.parts)


def evaluate_sources(sources: Sequence[SourceFacts]) -> Verdict:
    """UPSTREAM_FAILED or SKIP if a source failed or was skipped, WAIT while one is unfinished, else RUN."""
    failed = next((source for source in sources if source.state in FAILED_TASK_STATES), None)
    if failed is not None:
        reason = say("mapped_source_failed", task_id=failed.task_id, state=failed.state)
        return Verdict(RuleOutcome.UPSTREAM_FAILED, reason)
    skipped = next((source for source in sources if source.state is S.SKIPPED), None)
    if skipped is not None:
        return Verdict(RuleOutcome.SKIP, say("mapped_source_was_skipped", task_id=skipped.task_id))
    waiting = [source for source in sources if source.is_present and source.state not in FINISHED_TASK_STATES]
    if waiting:
        return Verdict(RuleOutcome.WAIT, say("expansion_waits_for", phrases=tuple(map(_describe_waiting, waiting))))
    return _RUN


def _describe_waiting(source: SourceFacts) -> Sentence:
    if source.is_expanded:
        return say("number_of_values_of_task", task_id=source.task_id)
    if source.state is None:
        return say("length_of_value_of_task_without_status", task_id=source.task_id)
    return say("length_of_value_of_task", task_id=source.task_id, state=source.state)


def measure_factors(levels: Sequence[Expansion], sources: Mapping[str, SourceFacts]) -> FactorLengths | None:
    """The lengths of all factors; None if a source that is finished has none."""
    lengths = []
    for level in levels:
        factors = [_measure(length, sources) for length in level.factors]
        known_lengths = tuple(factor for factor in factors if factor is not None)
        if len(known_lengths) < len(factors):
            return None
        lengths.append(known_lengths)
    return tuple(lengths)


def _measure(length: Length, sources: Mapping[str, SourceFacts]) -> int | None:
    if isinstance(length, LiteralLength):
        return length.length
    if isinstance(length, XComLength):
        source = sources.get(length.task_id)
        return None if source is None else source.length
    parts = [_measure(part, sources) for part in length.parts]
    known_parts = [part for part in parts if part is not None]
    if len(known_parts) < len(parts):
        return None
    if isinstance(length, ConcatLength):
        return sum(known_parts)
    return _measure_zip(length, known_parts)


def _measure_zip(length: ZipLength, parts: list[int]) -> int:
    return max(parts, default=0) if length.has_fill_value else min(parts, default=0)


def count_instances(lengths: FactorLengths) -> int:
    """The number of instances of a task with these lengths: their product."""
    return math.prod(map(math.prod, lengths))


def describe_missing(sources: Iterable[SourceFacts]) -> Sentence:
    """The reason of a task whose sources are finished without a length."""
    for source in sources:
        if not source.is_present:
            return say("mapped_source_has_no_instance", task_id=source.task_id)
        if source.length is None:
            return say("mapped_source_has_no_length", task_id=source.task_id, state=str(source.state))
    return say("mapped_length_is_not_known")


def describe_zero(levels: Sequence[Expansion], lengths: FactorLengths) -> Sentence:
    """The reason of a task that is skipped because a length is 0."""
    for level, values in zip(levels, lengths, strict=True):
        for factor, value in zip(level.factors, values, strict=True):
            if value == 0:
                names = list_sources([Expansion(factors=(factor,))])
                if not names:
                    return say("list_in_file_is_empty")
                return say("tasks_gave_no_elements", names=" and ".join(names))
    return say("nothing_to_map_over")


def find_excess(
    task_id: str, lengths: FactorLengths, sources: Iterable[SourceFacts], max_map_length: int
) -> Sentence | None:
    """Why the task cannot be expanded to these lengths, with the remedy; None if it can.

    `max_map_length` limits the length of a return value, not the number of values that the instances of a mapped task return.
    """
    for source in sources:
        if not source.is_expanded and source.length is not None and source.length > max_map_length:
            return say(
                "mapped_value_is_too_long",
                task_id=task_id,
                source=source.task_id,
                length=source.length,
                most=max_map_length,
            )
    count = count_instances(lengths)
    if count > INSTANCES_MAX:
        return say("task_has_too_many_instances", task_id=task_id, number=count, most=INSTANCES_MAX)
    return None
