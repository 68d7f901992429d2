"""Resolves a dependency: from both timetables to the upstream slots that a run waits for. The entry of this package."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from itertools import groupby

from gnomon.model.after import After, self_dependency_message
from gnomon.rules.dependencies.history import HistoryDays
from gnomon.rules.dependencies.planned_slots import Bounds
from gnomon.rules.dependencies.resolution import History, Resolution, RuleName
from gnomon.rules.dependencies.rule_pairs import PARTIAL_DAY_RULES, select_rule
from gnomon.rules.dependencies.self_dependency import find_earlier_slot
from gnomon.rules.dependencies.slot_chunks import SlotDays
from gnomon.rules.dependencies.slot_labels import SlotLabels, labels_of
from gnomon.rules.dependencies.slot_query import RuleMatch, SlotQuery, SlotRule
from gnomon.rules.dependencies.zone_days import DAY_US, ZoneDays
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.granularity import Granularity
from gnomon.rules.timetables.wall_clock.zones import to_utc, zone_of

MAX_RESOLVERS = 512
"""Most dependencies whose resolvers are cached; the oldest is evicted first."""
UNBOUNDED: Bounds = (None, None)


def upstream_slots(
    after: After,
    *,
    downstream: Timetable,
    upstream: Timetable,
    at: datetime,
    downstream_bounds: Bounds = UNBOUNDED,
    upstream_bounds: Bounds = UNBOUNDED,
    same_dag: bool = False,
    history: History | tuple[Sequence[datetime], datetime | None] | None = None,
) -> Resolution:
    """The upstream slots that the run of `downstream` planned at `at` waits for, and the rule that chose them.

    Bounds are the start_date and the end_date of each DAG. `same_dag`: the DAG waits for itself. `history`: the
    upstream's slots that have a run, ascending, and the last planned slot; without it, only the timetables count.
    The zone is `after.zone`, else the downstream timetable's, else UTC.

    Raises ValueError for a DAG that waits for its own same period, and for an `at` without a time zone.
    """
    key = (id(after), id(downstream), id(upstream), downstream_bounds, upstream_bounds, same_dag)
    resolver = _RESOLVERS.get(key)
    if resolver is None:
        if len(_RESOLVERS) >= MAX_RESOLVERS:
            del _RESOLVERS[next(iter(_RESOLVERS))]
        resolver = Resolver(after, downstream, upstream, downstream_bounds, upstream_bounds, same_dag)
        _RESOLVERS[key] = resolver
    return resolver.resolve(to_utc(at), None if history is None else History(*history))


class Resolver:
    """One dependency, with a cache of the days of both timetables, so that the cost of a slot does not grow with the history."""

    def __init__(
        self,
        after: After,
        downstream: Timetable,
        upstream: Timetable,
        downstream_bounds: Bounds = UNBOUNDED,
        upstream_bounds: Bounds = UNBOUNDED,
        same_dag: bool = False,
    ) -> None:
        if same_dag and not after.back:
            raise ValueError(self_dependency_message(after.dag_id))
        self._after = after
        self._zone = ZoneDays(_zone_for(after, downstream))
        self._downstream_days = SlotDays(downstream, self._zone, downstream_bounds)
        self._upstream_days = SlotDays(upstream, self._zone, upstream_bounds)
        self._downstream_timetable = (
            self._downstream_days if downstream_bounds == UNBOUNDED else SlotDays(downstream, self._zone)
        )
        self._upstream_timetable = (
            self._upstream_days if upstream_bounds == UNBOUNDED else SlotDays(upstream, self._zone)
        )
        self._upstream_bounds = upstream_bounds
        self._same_dag = same_dag
        self._history_days: HistoryDays | None = None
        self._rule: SlotRule | None = None
        if self._downstream_days.granularity is not None and self._upstream_days.granularity is not None:
            self._rule = select_rule(self._downstream_days.granularity, self._upstream_days.granularity, after.back)

    @property
    def cached_slot_count(self) -> int:
        """The number of cached slots of both timetables."""
        day_caches = {
            id(days): days
            for days in (
                self._downstream_days,
                self._upstream_days,
                self._downstream_timetable,
                self._upstream_timetable,
            )
        }
        return sum(days.cached_slot_count for days in day_caches.values())

    @property
    def uses_partial_days(self) -> bool:
        """True if the rule reads less than a day of the upstream and the upstream has many slots per day."""
        return self._upstream_days.chunk_length != DAY_US and (self._same_dag or self._rule in PARTIAL_DAY_RULES)

    @property
    def may_have_changed(self) -> bool:
        """True if the upstream's history has to be searched for slots of an earlier timetable."""
        return self._upstream_days.has_grid

    def changed_days(self, recorded: Sequence[datetime]) -> set[int]:
        """The natural days with a recorded slot that the upstream's timetable does not have. `recorded` is in order."""
        by_day = groupby(recorded, key=lambda slot: self._zone.label(slot) // DAY_US)
        return {day for day, slots in by_day if not self._upstream_days.contains_all(day, list(slots))}

    def resolve(self, at: datetime, history: History | None = None) -> Resolution:
        """The slots that the run planned at `at` (UTC) waits for; without `history`, by the timetables alone."""
        upstream_days = self._upstream_days if history is None else self._get_history_days(history)
        if self._same_dag:
            return self._build_resolution(find_earlier_slot(upstream_days, at, self._after.back), upstream_days)
        first, *others = labels_of(self._downstream_days, at)
        match = self._apply_rule(at, first, upstream_days)
        for label in others:
            match = _merge_matches(match, self._apply_rule(at, label, upstream_days))
        return self._build_resolution(match, upstream_days)

    def _get_history_days(self, history: History) -> HistoryDays:
        if self._history_days is None or not self._history_days.is_of(history):
            self._history_days = HistoryDays(self._upstream_days, self._upstream_bounds, history)
        return self._history_days

    def _apply_rule(self, at: datetime, label: int, upstream_days: SlotDays | HistoryDays) -> RuleMatch:
        rule = self._rule or select_rule(*self._find_granularities(label // DAY_US), self._after.back)
        return rule(
            SlotQuery(
                self._after,
                at,
                label,
                self._downstream_days,
                upstream_days,
                self._downstream_timetable,
                self._upstream_timetable,
            )
        )

    def _find_granularities(self, day: int) -> tuple[Granularity, Granularity]:
        downstream, upstream = self._downstream_days.granularity, self._upstream_days.granularity
        return downstream or _classify_day(self._downstream_timetable.day(day)), upstream or _classify_day(
            self._upstream_timetable.day(day)
        )

    def _build_resolution(self, match: RuleMatch, upstream_days: SlotDays | HistoryDays) -> Resolution:
        """The matched slots after `take` and `on_absent`."""
        groups, rule, start, end = match
        window = self._zone.window(start, end)
        if not groups:
            return Resolution((), "none", window)
        if isinstance(upstream_days, SlotDays):
            return Resolution(_flatten(self._take_groups(groups)), rule, window)
        return self._without_absent(groups, rule, window, upstream_days)

    def _without_absent(
        self,
        groups: list[tuple[datetime, ...]],
        rule: RuleName,
        window: tuple[datetime, datetime],
        upstream_days: HistoryDays,
    ) -> Resolution:
        """With `ignore`, `take` chooses among the present slots; `wait` waits for absent slots too; `fail` only reports them."""
        policy = self._after.on_absent
        absent_slots = {slot for group in groups for slot in group if upstream_days.is_absent(slot)}
        if policy == "ignore":
            present = [
                present_slots
                for group in groups
                if (present_slots := tuple(slot for slot in group if slot not in absent_slots))
            ]
            return Resolution(_flatten(self._take_groups(present)), rule, window, tuple(sorted(absent_slots)))
        taken = _flatten(self._take_groups(groups))
        absent = tuple(slot for slot in taken if slot in absent_slots)
        slots = taken if policy == "wait" else tuple(slot for slot in taken if slot not in absent_slots)
        return Resolution(slots, rule, window, absent)

    def _take_groups(self, groups: list[tuple[datetime, ...]]) -> list[tuple[datetime, ...]]:
        take = self._after.take
        if take == "last":
            return groups[-1:]
        return groups[:1] if take == "first" else groups


def _zone_for(after: After, downstream: Timetable) -> tzinfo:
    if after.zone is not None:
        return zone_of(after.zone)
    own = getattr(downstream, "timezone", None)
    return zone_of("UTC" if own is None else own)


def _classify_day(day: SlotLabels) -> Granularity:
    """The granularity of a timetable that declares none: day for at most one slot in the day, else hour."""
    return "day" if len(day.slots) <= 1 else "hour"


def _merge_matches(first: RuleMatch, second: RuleMatch) -> RuleMatch:
    """The union of the matches of two labels of one run."""
    groups = first.groups + [group for group in second.groups if group not in first.groups]
    return RuleMatch(
        groups, first.rule if first.groups else second.rule, min(first.start, second.start), max(first.end, second.end)
    )


def _flatten(groups: list[tuple[datetime, ...]]) -> tuple[datetime, ...]:
    if len(groups) == 1:
        return groups[0]
    return tuple(sorted({slot for group in groups for slot in group}))


_RESOLVERS: dict[tuple[object, ...], Resolver] = {}
"""By identity of dependency and timetables, which a resolver keeps alive. Only a cache: it does not change results."""
