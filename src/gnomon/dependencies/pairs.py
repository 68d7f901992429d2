"""Which rule holds for which pair of kinds: two tables, for the same period and for an earlier one."""

from __future__ import annotations

from gnomon.dependencies.nearest import one_to_one_or_nearest
from gnomon.dependencies.question import Found, Question, Rule
from gnomon.dependencies.zonedays import DAY_US, HOUR_US
from gnomon.timetables.granularity import Granularity

_WITHIN_DAY = ("minute", "hour", "discrete_hours")


def rule_for(downstream: Granularity, upstream: Granularity, back: int) -> Rule:
    """The rule for a run of the one kind that waits for runs of the other, `back` periods before its own."""
    if "discrete_hours" in (downstream, upstream):
        both_within = downstream in _WITHIN_DAY and upstream in _WITHIN_DAY
        return one_to_one_or_nearest if both_within else _whole_day
    if back:
        return _PREVIOUS.get((downstream, upstream), _that_day)
    return _SAME.get((downstream, upstream), _whole_day)


def _whole_day(question: Question) -> Found:
    """All of the upstream's day."""
    start = question.their_day * DAY_US
    return Found(question.places_of_their_day().slots, "whole_day", start, start + DAY_US)


def _own_period(question: Question) -> Found:
    """What came since the downstream's slot before: its period, up to and with the run's own time."""
    start, end = question.label + 1 - question.my_period(), question.label + 1
    return Found(question.their_places(start, end), "span", start, end)


def _last_hour(question: Question) -> Found:
    """What came in the hour that ends with the run's own time."""
    start, end = question.label + 1 - HOUR_US, question.label + 1
    return Found(question.their_places(start, end), "span", start, end)


def _hour_before(question: Question) -> Found:
    """The natural hour before the run's."""
    start = _hour(question, 1)
    return Found(question.their_places(start, start + HOUR_US), "span", start, start + HOUR_US)


def _same_hour(question: Question) -> Found:
    """The natural hour that the run lies in."""
    start = _hour(question, 0)
    return Found(question.their_places(start, start + HOUR_US), "same_hour", start, start + HOUR_US)


def _that_hour(question: Question) -> Found:
    """The N-th natural hour before the run's."""
    start = _hour(question, question.after.back)
    return Found(question.their_places(start, start + HOUR_US), "previous", start, start + HOUR_US)


def _last_of_that_hour(question: Question) -> Found:
    """The last place of the N-th natural hour before the run's."""
    found = _that_hour(question)
    return found._replace(places=found.places[-1:])


def _longer_period_back(question: Question) -> Found:
    """N periods of the DAG whose period is longer, back."""
    length = max(question.my_period(), question.their_period())
    end = question.label + 1 - question.after.back * length
    return Found(question.their_places(end - length, end), "previous", end - length, end)


def _that_day(question: Question) -> Found:
    """All of the upstream's day, N days back."""
    return _whole_day(question)._replace(rule="previous")


def _last_of_that_day(question: Question) -> Found:
    """The last place of the upstream's day, N days back."""
    found = _that_day(question)
    return found._replace(places=found.places[-1:])


def _hour(question: Question, back: int) -> int:
    return question.label // HOUR_US * HOUR_US - back * HOUR_US


_SAME: dict[tuple[Granularity, Granularity], Rule] = {
    ("minute", "minute"): _own_period,
    ("minute", "hour"): _hour_before,
    ("hour", "minute"): _last_hour,
    ("hour", "hour"): _same_hour,
}
"""Downstream on upstream, same period. Every other pair: the whole day."""
_PREVIOUS: dict[tuple[Granularity, Granularity], Rule] = {
    ("minute", "hour"): _that_hour,
    ("hour", "hour"): _that_hour,
    ("hour", "minute"): _last_of_that_hour,
    ("minute", "minute"): _longer_period_back,
    ("day", "minute"): _last_of_that_day,
    ("day", "hour"): _last_of_that_day,
}
"""Downstream on upstream, N periods back. Every other pair: the whole day, N days back."""
STRETCHES: frozenset[Rule] = frozenset((
    _own_period, _last_hour, _hour_before, _same_hour, _that_hour, _last_of_that_hour, _longer_period_back,
))  # fmt: skip
"""The rules that look at a stretch of the upstream and at nothing else of it; the others look at a whole day."""
