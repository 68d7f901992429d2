"""The rules that choose upstream slots, and the tables that select a rule by both granularities.

If one side has discrete hours and the other runs within the day, labels are matched one to one where both days have as
many, otherwise by the nearest interval. `moved` below: if the upstream's day is an earlier one, its labels are compared
as if it were the run's day. The downstream's days are not read as a whole, because they may have very many labels.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import datetime

from gnomon.rules.dependencies.resolution import RuleName
from gnomon.rules.dependencies.slot_labels import SlotLabels, iterate_backward, iterate_forward
from gnomon.rules.dependencies.slot_query import RuleMatch, SlotQuery, SlotRule
from gnomon.rules.dependencies.zone_days import DAY_US, HOUR_US
from gnomon.rules.timetables.granularity import Granularity


def match_one_to_one_or_nearest(query: SlotQuery) -> RuleMatch:
    """One to one if both days have the same number of labels, else the nearest interval."""
    upstream_labels = query.upstream_day_labels()
    start = query.upstream_day * DAY_US
    if not upstream_labels.labels:
        return RuleMatch([], "none", start, start + DAY_US)
    position = _find_position(query) if query.downstream_days.count(query.day) == len(upstream_labels.labels) else None
    if position is not None:
        return RuleMatch([upstream_labels.slots[position]], "one_to_one", start, start + DAY_US)
    return _match_nearest(query, upstream_labels)


def _find_position(query: SlotQuery) -> int | None:
    """The position of the run's label among those of its day; None for a run that its timetable does not plan."""
    own_labels = query.downstream_days.day(query.day)
    at = bisect_left(own_labels.labels, query.label)
    is_planned = (
        at < len(own_labels.labels) and own_labels.labels[at] == query.label and query.slot in own_labels.slots[at]
    )
    return at if is_planned else None


def _match_nearest(query: SlotQuery, upstream_labels: SlotLabels) -> RuleMatch:
    """The slots of the interval that ends at the run; if it is empty, by `empty_interval`; the next slot if none is earlier."""
    moved = (query.upstream_day - query.day) * DAY_US
    midnight, now = query.upstream_day * DAY_US, query.label + moved
    start = _find_interval_start(query, query.label) + moved
    groups = _slots_between(upstream_labels, start, now + 1)
    if groups:
        return RuleMatch(groups, "backward", start, now + 1)
    passed_count = bisect_right(upstream_labels.labels, now)
    policy: RuleName = _EMPTY[query.after.empty_interval] if passed_count else "forward"
    if policy == "forward":
        return RuleMatch(
            upstream_labels.slots[passed_count : passed_count + 1],
            "forward" if passed_count < len(upstream_labels.labels) else "none",
            now,
            midnight + DAY_US,
        )
    latest = upstream_labels.labels[passed_count - 1]
    if policy == "nearest":
        return RuleMatch([upstream_labels.slots[passed_count - 1]], "nearest", midnight, now + 1)
    start = _find_interval_start(query, latest - moved) + moved
    end = next(label for label, _ in iterate_forward(query.downstream_days, latest - moved, query.label)) + moved + 1
    return RuleMatch(_slots_between(upstream_labels, start, end), "carried", start, end)


def _find_interval_start(query: SlotQuery, label: int) -> int:
    """The start of the interval that contains `label`: just after the downstream's label before it, or midnight."""
    midnight = query.day * DAY_US
    before = next(iterate_backward(query.downstream_days, label, midnight), None)
    return midnight if before is None else before[0] + 1


def _slots_between(labels: SlotLabels, start: int, end: int) -> list[tuple[datetime, ...]]:
    return labels.slots[bisect_left(labels.labels, start) : bisect_left(labels.labels, end)]


_EMPTY: dict[str, RuleName] = {"carry": "carried", "nearest": "nearest", "forward": "forward"}


_WITHIN_DAY = ("minute", "hour", "discrete_hours")


def select_rule(downstream: Granularity, upstream: Granularity, back: int) -> SlotRule:
    """The rule for these granularities of the two DAGs, `back` periods before the run's own."""
    if "discrete_hours" in (downstream, upstream):
        both_within = downstream in _WITHIN_DAY and upstream in _WITHIN_DAY
        return match_one_to_one_or_nearest if both_within else _whole_day
    if back:
        return _PREVIOUS.get((downstream, upstream), _day_n_before)
    return _SAME.get((downstream, upstream), _whole_day)


def _whole_day(query: SlotQuery) -> RuleMatch:
    """All slots of the upstream's day."""
    start = query.upstream_day * DAY_US
    return RuleMatch(query.upstream_day_labels().slots, "whole_day", start, start + DAY_US)


def _own_period(query: SlotQuery) -> RuleMatch:
    """The slots since the downstream's previous slot: one downstream period that ends with the run's own time."""
    start, end = query.label + 1 - query.downstream_period(), query.label + 1
    return RuleMatch(query.upstream_slots_between(start, end), "span", start, end)


def _last_hour(query: SlotQuery) -> RuleMatch:
    """The slots of the hour that ends with the run's own time."""
    start, end = query.label + 1 - HOUR_US, query.label + 1
    return RuleMatch(query.upstream_slots_between(start, end), "span", start, end)


def _hour_before(query: SlotQuery) -> RuleMatch:
    """The slots of the natural hour before the run's."""
    start = _hour(query, 1)
    return RuleMatch(query.upstream_slots_between(start, start + HOUR_US), "span", start, start + HOUR_US)


def _same_hour(query: SlotQuery) -> RuleMatch:
    """The slots of the natural hour of the run."""
    start = _hour(query, 0)
    return RuleMatch(query.upstream_slots_between(start, start + HOUR_US), "same_hour", start, start + HOUR_US)


def _hour_n_before(query: SlotQuery) -> RuleMatch:
    """The slots of the N-th natural hour before the run's."""
    start = _hour(query, query.after.back)
    return RuleMatch(query.upstream_slots_between(start, start + HOUR_US), "previous", start, start + HOUR_US)


def _last_of_hour_n_before(query: SlotQuery) -> RuleMatch:
    """The last label of the N-th natural hour before the run's."""
    match = _hour_n_before(query)
    return match._replace(groups=match.groups[-1:])


def _longer_period_back(query: SlotQuery) -> RuleMatch:
    """The slots of the range N periods back, in periods of the DAG with the longer period."""
    length = max(query.downstream_period(), query.upstream_period())
    end = query.label + 1 - query.after.back * length
    return RuleMatch(query.upstream_slots_between(end - length, end), "previous", end - length, end)


def _day_n_before(query: SlotQuery) -> RuleMatch:
    """All slots of the upstream's day, N days back."""
    return _whole_day(query)._replace(rule="previous")


def _last_of_day_n_before(query: SlotQuery) -> RuleMatch:
    """The last label of the upstream's day, N days back."""
    match = _day_n_before(query)
    return match._replace(groups=match.groups[-1:])


def _hour(query: SlotQuery, back: int) -> int:
    return query.label // HOUR_US * HOUR_US - back * HOUR_US


_SAME: dict[tuple[Granularity, Granularity], SlotRule] = {
    ("minute", "minute"): _own_period,
    ("minute", "hour"): _hour_before,
    ("hour", "minute"): _last_hour,
    ("hour", "hour"): _same_hour,
}
"""Downstream on upstream, same period. Every other pair: the whole day."""
_PREVIOUS: dict[tuple[Granularity, Granularity], SlotRule] = {
    ("minute", "hour"): _hour_n_before,
    ("hour", "hour"): _hour_n_before,
    ("hour", "minute"): _last_of_hour_n_before,
    ("minute", "minute"): _longer_period_back,
    ("day", "minute"): _last_of_day_n_before,
    ("day", "hour"): _last_of_day_n_before,
}
"""Downstream on upstream, N periods back. Every other pair: the whole day, N days back."""
PARTIAL_DAY_RULES: frozenset[SlotRule] = frozenset(
    (
        _own_period,
        _last_hour,
        _hour_before,
        _same_hour,
        _hour_n_before,
        _last_of_hour_n_before,
        _longer_period_back,
    )
)
"""The rules that read only a part of an upstream day; the others read whole days."""
